internal import AudioTypes
package import Outputs
internal import Synchronization

extension OutputGroup {
    /// All members, in the order in which they were added.
    package var members: [OutputState] { conduct { $0.members.map(\.state) } }

    /// Whether the volume has an effect on any enabled member.
    package var hasVolume: Bool {
        conduct { conductor in
            let enabled = conductor.members.filter(\.description.isEnabled)
            // While all are disabled, the volume is that of the next one to be enabled.
            return (enabled.isEmpty ? conductor.members : enabled).contains { $0.description.mixer != .none }
        }
    }

    /// Adds a member.
    ///
    /// It is opened on a thread of its own, a file once playback starts, with retries while the group is to play.
    ///
    /// - Returns: False, without any effect, when the name is taken.
    @discardableResult
    package func add(_ description: OutputDescription) -> Bool { insert(description, live: nil, route: nil) }

    /// Adds a member that was removed from another group, with its output unchanged.
    @discardableResult
    package func insert(_ detached: DetachedOutput) -> Bool {
        insert(detached.description, live: detached.output, route: detached.route)
    }

    /// Removes a member; the others continue.
    ///
    /// Blocks until a file has received the frames heard so far.
    package func remove(_ name: String) -> DetachedOutput? {
        guard let (member, live) = conduct({ $0.remove(name) }) else { return nil }
        return DetachedOutput(
            description: member.description,
            output: live.map { $0.feed?.release() ?? $0.output },
            route: live == nil ? nil : member.route
        )
    }

    /// Opens a member, or closes it, which completes a file.
    ///
    /// - Returns: False when there is no such member.
    @discardableResult
    package func setEnabled(_ isEnabled: Bool, _ name: String) -> Bool {
        conduct { $0.setEnabled(isEnabled, name) }
    }

    /// Changes a member's attributes, which clients see.
    ///
    /// - Returns: False when there is no such member.
    /// - Throws: `AttributeProblem`, when the output does not take the value.
    @discardableResult
    package func setAttribute(_ key: String, to value: String, of name: String) throws(AttributeProblem) -> Bool {
        let result = conduct { conductor in
            Result { () throws(AttributeProblem) in try conductor.setAttribute(key, to: value, of: name) }
        }
        return try result.get()
    }

    /// The streams that members make for listeners, in the members' order.
    package var sharedStreams: [any SharedStream] {
        conductor.withLock { $0.members.compactMap { $0.live?.inner.sharedStream } }
    }

    /// Has outputs tell their listeners what is heard.
    package func show(_ title: StreamTitle) { conduct { $0.show(title) } }

    /// Closes the output of a member, and opens the one of another description with the same name.
    ///
    /// Blocks for a moment.
    ///
    /// - Parameter route: Where the new output is to be heard, and why.
    package func replace(with description: OutputDescription, route: RouteChange?) {
        let member = makeMember(description, route: route)
        let old = conduct { $0.replace(with: member) }
        (old.map { $0.feed?.release() ?? $0.output })?.close()
    }

    /// Exchanges the volumes and ceilings of members that come, before two groups exchange these: each keeps its own.
    package func exchangeVolume(with other: OutputGroup) {
        let mine = conduct { $0.level }
        let others = other.conduct { $0.level }
        conduct { $0.level = others }
        other.conduct { $0.level = mine }
    }

    /// Begins a change of members in several steps, in the middle of which the player is told of no loss.
    package func beginChange() { conduct { $0.openChanges += 1 } }

    package func endChange() {
        conduct { conductor in
            conductor.openChanges -= 1
            conductor.elect()
        }
    }

    private func insert(_ description: OutputDescription, live: (any AudioOutput)?, route: RouteChange?) -> Bool {
        let member = makeMember(description, route: route)
        return conduct { $0.add(member, live: live) }
    }

    private func makeMember(_ description: OutputDescription, route: RouteChange?) -> GroupMember {
        let name = description.name
        let center = center
        let open = description.open
        let opener = Opener(
            longestDelay: description.plugin.longestDelay,
            open: { try open(center.state.withLock { $0.format }) },
            isNeeded: { [weak self] in self?.conduct { $0.needsOpening(name) } ?? false },
            report: { [weak self] outcome in self?.conduct { $0.opened(outcome, name) } ?? false }
        )
        var member = GroupMember(description: description, opener: opener)
        member.route = route
        return member
    }
}
