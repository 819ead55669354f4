/// Moving from song to song.
extension PlayQueue {
    // MARK: Modes

    /// - Returns: Whether that changed the mode.
    @discardableResult
    package mutating func setRepeat(_ isOn: Bool) -> Bool { setMode(\.repeats, isOn) }

    @discardableResult
    package mutating func setSingle(_ value: QueueModes.Switch) -> Bool { setMode(\.single, value) }

    @discardableResult
    package mutating func setConsume(_ value: QueueModes.Switch) -> Bool { setMode(\.consume, value) }

    /// A playing song becomes the first of a random order; otherwise there is no current song afterwards.
    @discardableResult
    package mutating func setRandom(_ isOn: Bool) -> Bool {
        guard setMode(\.random, isOn) else { return false }
        if isOn {
            if !isPlaying { currentSlot = nil }
            reshuffle(first: currentSlot)
        } else {
            order = nil
        }
        prepareNextRound()
        return true
    }

    private mutating func setMode<Value: Equatable>(
        _ mode: WritableKeyPath<QueueModes, Value>,
        _ value: Value
    ) -> Bool {
        guard modes[keyPath: mode] != value else { return false }
        modes[keyPath: mode] = value
        prepareNextRound()
        return true
    }

    // MARK: Commands

    /// Plays the current song, or the first in playing order; resumes a paused one.
    ///
    /// - Returns: `unchanged` for a song that is playing or paused, and for an empty queue.
    package mutating func play() -> QueuePlayback {
        guard !isPlaying, count > 0 else { return .unchanged }
        return adopt(Following(slot: currentSlot ?? slot(atPlace: 0)))
    }

    /// Plays an entry, also as the target of a seek to another song.
    ///
    /// In random order it is moved right after the playing song, so that `previous` returns to that one.
    package mutating func play(position: Int) -> QueuePlayback {
        let slot = entries[position].slot
        if var order = order.take() {
            if !isPlaying {
                order.move(slot, to: 0)
            } else if let currentSlot, currentSlot != slot {
                let place = order.place(of: currentSlot)
                order.move(slot, to: order.place(of: slot) < place ? place : place + 1)
            }
            self.order = order
        }
        return adopt(Following(slot: slot))
    }

    /// - Returns: `nil` when there is no such entry.
    package mutating func play(id: UInt32) -> QueuePlayback? { position(of: id).map { play(position: $0) } }

    /// Makes an entry the current one without playing it, as after a restart.
    package mutating func select(position: Int) {
        currentSlot = entries[position].slot
        isPlaying = false
        reshuffle(first: currentSlot)
        prepareNextRound()
    }

    /// Continues with the next song, regardless of `single`; after the last one, stops.
    package mutating func next() -> QueueStep { step(to: following(byItself: false)) }

    /// Continues because the current song has ended.
    ///
    /// A step's `pause` comes from `single` or `rest`: the next song becomes current, paused at its start.
    package mutating func songEnded() -> QueueStep {
        guard isPlaying else { return QueueStep(playback: .unchanged) }
        let pauses = modes.pausesAfterSong
        let following = following(byItself: true)
        let isOver = modes.single == .oneshot
        if isOver { modes.single = .off }
        if modes.rest == .afterSong { modes.rest = nil }
        var step = step(to: following)
        step.modesChanged = step.modesChanged || isOver
        if pauses, case .play(let id) = step.playback { step.playback = .pause(id: id) }
        return step
    }

    /// Continues because the current song cannot be played: `single` is for a song that was heard.
    package mutating func songFailed() -> QueueStep {
        modes.rest == .afterSong ? songEnded() : step(to: following(byItself: true))
    }

    /// Ends playback once after the song or the queue, or no longer does.
    ///
    /// - Returns: Whether that is a change.
    package mutating func setRest(_ rest: QueueModes.Rest?) -> Bool {
        defer { modes.rest = rest }
        return modes.rest != rest
    }

    /// Goes back in playing order; from the first song to the last one with `repeat`, else to its start.
    package mutating func previous() -> QueuePlayback {
        guard isPlaying, let currentSlot else { return .unchanged }
        let place = place(of: currentSlot)
        if place > 0 { return adopt(Following(slot: slot(atPlace: place - 1))) }
        return adopt(Following(slot: modes.repeats ? slot(atPlace: count - 1) : currentSlot))
    }

    /// Stops; `play` starts with the current song again, and a random order is reshuffled.
    package mutating func stop() {
        guard isPlaying else { return }
        leave(for: currentSlot)
    }

    // MARK: Steps

    private mutating func step(to following: Following?) -> QueueStep {
        guard isPlaying, let old = currentSlot else { return QueueStep(playback: .unchanged) }
        var step = QueueStep(playback: .stop)
        if let following { step.playback = adopt(following) } else { leave() }
        guard modes.consume != .off, currentSlot != old else { return step }
        let position = table.position(of: old)
        step.consumed = entries[position].id
        remove(position..<(position + 1))
        if modes.consume == .oneshot {
            modes.consume = .off
            step.modesChanged = true
            prepareNextRound()
        }
        return step
    }

    /// Makes a song the playing one; its priority is reset.
    @discardableResult
    mutating func adopt(_ following: Following) -> QueuePlayback {
        if following.beginsRound, let nextRound = nextRound.take() {
            order?.replace(by: nextRound)
            // The songs that led to it in that order are still to come.
            order?.move(following.slot, to: 0)
        }
        currentSlot = following.slot
        isPlaying = true
        let position = table.position(of: following.slot)
        if entries[position].priority != 0 {
            beginChange()
            entries[position].priority = 0
            entries[position].version = version
            entryChanges.record(entries[position].id, in: version)
        }
        prepareNextRound()
        return .play(id: entries[position].id)
    }

    /// Ends playback; the given song becomes current, for `play` to start with.
    mutating func leave(for current: UInt32? = nil) {
        let wasPlaying = isPlaying
        isPlaying = false
        currentSlot = current
        if wasPlaying { reshuffle(first: current) }
        prepareNextRound()
    }
}
