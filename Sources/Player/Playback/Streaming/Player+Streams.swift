package import AudioTypes
internal import Outputs
internal import Synchronization

/// Media of the network.
extension Player {
    /// What the current item's network is doing, with the buffer as it is now; `nil` for what is not of the network.
    ///
    /// Never waits.
    package nonisolated var streamStatus: StreamStatus? {
        guard let id = read({ $0.currentItem?.id }) else { return nil }
        return pipeline.streams.withLock { $0.status(of: id) }
    }

    /// Plays at once what is there, without waiting until it lasts.
    ///
    /// - Parameter rate: As in `setRate`; `nil` is the default rate.
    package func playImmediately(atRate rate: Double? = nil) {
        if let rate { setRate(rate) }
        play()
        pipeline.post(.playImmediately)
    }

    /// Sets how many seconds are read ahead of what is heard; `nil` or 0 is Segue's own choice.
    package func setPreferredForwardBuffer(_ seconds: Double?) {
        precondition(seconds.map { $0.isFinite && $0 >= 0 } ?? true, "a buffer has a length")
        change { $0.preferredForwardBuffer = seconds }
    }

    /// Limits the bits per second that a variant of a stream may have; `nil` is no limit.
    package func setPreferredPeakBitRate(_ rate: Int?) { change { $0.preferredPeakBitRate = rate } }

    /// Sets whether the player waits until enough of a stream is there to play on for a while.
    ///
    /// If not, it begins with what there is, and pauses when that has been heard.
    package func setAutomaticallyWaits(_ waits: Bool) {
        change { $0.automaticallyWaits = waits }
        apply(transport.handle(.waitingSet(waits)))
    }

    private func change(_ body: (inout StreamOptions) -> Void) {
        body(&settings.stream)
        pipeline.post(.configure(settings))
    }

    // MARK: What the pipeline tells

    /// How a jump has come out: a stream may have nothing to be played yet.
    func loadAfterLanding() -> Transport.Load {
        let heard = output.clock.frame(at: .now) + 0.5
        let isDry = pipeline.timeline.withLock { $0.noticeDryEnd(at: heard) != nil }
        return isDry ? .buffering : .ready
    }

    /// All that is there has been heard.
    func runDry(_ reason: Timeline.DryEnd.Reason) {
        switch reason {
        case .starving: apply(transport.handle(.ranDry))
        // The item is over, and it is the next one that is waited for.
        case .opening: pipeline.post(.endHere(generation: generation))
        }
    }

    func tellStall() {
        guard let item = queue.current else { return }
        logs.noteStall(of: item.id)
        tell(.playbackStalled(item))
    }

    func receive(_ event: StreamEvent, of id: PlayerItem.ID) {
        guard let index = queue.index(of: id) else { return }
        let item = queue.items[index]
        switch event {
        case .changed(let status):
            guard item.id == queue.current?.id else { return }
            if case .reconnecting = status.connection, transport.load == .preparing {
                // It will take a while, and that is no secret.
                apply(transport.handle(.loaded(.buffering)))
            }
            tell(.streamChanged(status))
        case .failed(let failure): log(failure, of: item)
        case .transferred(let transfer): logs.note(transfer, of: item)
        // Its status tells.
        case .progressed: break
        }
    }

    /// Tags that came with the sound are heard.
    func tellTags(_ marks: some Sequence<Timeline.Mark>) {
        for mark in marks {
            queue.update(mark.item) { item in
                item.timedTags = mark.tags
                for name in mark.tags.names { item.info?.tags.set(name, to: mark.tags[name]) }
            }
            publish()
            if let item = queue.current, item.id == mark.item { tell(.timedMetadata(item, mark.tags)) }
        }
    }
}
