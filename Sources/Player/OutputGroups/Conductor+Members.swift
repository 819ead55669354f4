internal import AudioTypes
internal import Mixing
internal import Outputs
internal import Synchronization

extension Conductor {
    /// Adds a member, with its output if that is open already.
    ///
    /// - Parameter place: Its index; `nil` is behind all others.
    mutating func add(_ member: GroupMember, live: (any AudioOutput)?, at place: Int? = nil) -> Bool {
        guard !isClosed, index(of: member.name) == nil else { return false }
        let place = place ?? members.count
        members.insert(member, at: place)
        changed.append(member.name)
        members[place].requested = heard
        if let live { adopt(live, place) }
        open(place)
        elect()
        return true
    }

    /// Removes a member, and adds another one of the same name in its place.
    ///
    /// - Returns: The output of the old one, where there is a member of that name.
    mutating func replace(with member: GroupMember) -> LiveOutput? {
        guard let index = index(of: member.name) else { return nil }
        openChanges += 1
        let old = remove(member.name)?.1
        openChanges -= 1
        _ = add(member, live: nil, at: index)
        return old
    }

    /// Removes a member, and silences its output.
    mutating func remove(_ name: String) -> (GroupMember, LiveOutput?)? {
        guard let index = index(of: name) else { return nil }
        members[index].opener.cancel()
        let member = members.remove(at: index)
        changed.append(name)
        member.live?.output.pause()
        elect()
        return (member, member.live)
    }

    mutating func setEnabled(_ isEnabled: Bool, _ name: String) -> Bool {
        guard let index = index(of: name) else { return false }
        guard members[index].description.isEnabled != isEnabled else { return true }
        members[index].description.isEnabled = isEnabled
        members[index].error = nil
        members[index].hasFailed = false
        changed.append(name)
        if isEnabled {
            open(index)
        } else {
            members[index].opener.cancel()
            end(index)
        }
        elect()
        return true
    }

    mutating func setAttribute(_ key: String, to value: String, of name: String) throws(AttributeProblem) -> Bool {
        guard let index = index(of: name) else { return false }
        if let output = members[index].live?.inner.ownAttributes, output.attributes[key] != nil {
            try output.setAttribute(key, to: value)
            changed.append(name)
            return true
        }
        guard members[index].description.attributes[key] != value else { return true }
        members[index].description.attributes[key] = value
        changed.append(name)
        return true
    }

    func needsOpening(_ name: String) -> Bool {
        !isClosed && (index(of: name).map { members[$0].needsOpening } ?? false)
    }

    /// Handles the outcome of an attempt to open a member.
    ///
    /// - Returns: Whether the output is still wanted.
    mutating func opened(_ outcome: Opener.Outcome, _ name: String) -> Bool {
        guard needsOpening(name), let index = index(of: name) else { return false }
        switch outcome {
        case .opened(let output):
            adopt(output, index)
            setError(nil, index)
            changed.append(name)
        case .failed(let reason): setError(reason, index)
        }
        elect()
        return true
    }

    /// Handles a member's event.
    mutating func handle(_ event: OutputEvent, from serial: Int) {
        if let index = members.firstIndex(where: { $0.live?.serial == serial }) {
            switch event {
            case .lost(let reason):
                members[index].live?.isLost = true
                setError(reason, index)
            case .routeLost(let loss):
                members[index].live?.isLost = true
                members[index].live?.routeLoss = loss
                setError(loss.text, index)
            case .restored:
                members[index].live?.isLost = false
                if members[index].live?.routeLoss != nil { returned(index) }
                setError(nil, index)
            case .routeChanged(let change):
                members[index].route = members[index].route?.updated(by: change) ?? change
                changed.append(members[index].name)
            case .failed(let reason):
                members[index].hasFailed = true
                setError(reason, index)
                end(index)
            case .corkRequested, .volumeHeld: center.state.withLock { $0.events }?(event)
            case .attributesChanged: changed.append(members[index].name)
            case .clockChanged, .formatChanged, .idle: break
            }
        }
        elect()
    }

    /// A member's sink is back: where others went on meanwhile, it joins them.
    private mutating func returned(_ index: Int) {
        members[index].live?.routeLoss = nil
        guard let live = members[index].live, center.state.withLock({ $0.leader }) != nil, !leads(live.serial) else {
            return
        }
        live.output.discard(to: entrance)
        live.output.framesAvailable()
    }

    /// Starts a member's output, if there is something to play.
    mutating func enter(_ index: Int) {
        guard let ring, let receiver, let live = members[index].live else { return }
        let serial = live.serial
        if let volume = level.volume { live.volumeControl?.setVolume(volume, isMuted: level.isMuted) }
        live.volumeControl?.setCeiling(level.ceiling)
        if let feed = live.feed, members[index].description.plugin.takesAtOnce {
            let pace = members[index].description.plugin.pace { [center] in center.clock }
            feed.setPace(leads(serial) ? nil : pace, isStarted: isStarted)
        }
        let position = members[index].keepsAll ? max(members[index].requested, ring.kept) : entrance
        live.output.attach(ring, at: position) { receiver($0, serial) }
        if isStarted { live.output.start() }
        live.output.framesAvailable()
        members[index].live?.isEntering = isStarted && live.output.clock.rate == 0
    }

    private mutating func adopt(_ output: any AudioOutput, _ index: Int) {
        members[index].live = LiveOutput(output, members[index].description, serial: nextSerial, format: format)
        nextSerial += 1
        if let title { members[index].live?.show(title) }
        enter(index)
    }

    /// Opens a member that should be open.
    mutating func open(_ index: Int) {
        let member = members[index]
        guard member.needsOpening, isStarted || member.opensEarly else { return }
        members[index].requested = heard
        member.opener.request(retrying: isStarted)
    }

    /// Releases a member's output.
    private mutating func end(_ index: Int) {
        guard let live = members[index].live else { return }
        members[index].live = nil
        members[index].route = nil
        members[index].opener.close(live.output)
    }

    /// Reopens a sound server that was lost while others play on: it would resume where it was lost.
    mutating func reopenLost() {
        for index in members.indices {
            guard let live = members[index].live, live.isLost, live.routeLoss == nil, !leads(live.serial),
                !members[index].description.plugin.takesAtOnce
            else { continue }
            end(index)
            open(index)
        }
    }

    private mutating func setError(_ error: String?, _ index: Int) {
        guard members[index].error != error else { return }
        members[index].error = error
        changed.append(members[index].name)
    }

    private func index(of name: String) -> Int? { members.firstIndex { $0.name == name } }
}

extension RouteChange {
    /// The change with what the output tells of it, which does not know why it was opened there.
    fileprivate func updated(by news: RouteChange) -> RouteChange {
        guard news.reason == .unknown, news.previous == nil else { return news }
        let format = news.format.isEmpty && news.sink == sink ? format : news.format
        return RouteChange(reason, from: previous, to: news.sink, format: format)
    }
}
