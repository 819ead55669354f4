package import AudioTypes
internal import Mixers
internal import Outputs
internal import Synchronization

/// Network media.
extension Player {
    /// The stream status of the current item, with the buffer as it is now; `nil` for local media.
    ///
    /// Never waits.
    package nonisolated var streamStatus: StreamStatus? {
        guard let id = read({ $0.currentItem?.id }) else { return nil }
        return pipeline.streams.withLock { $0.status(of: id) }
    }

    /// Plays the buffered data at once, without waiting until it lasts.
    package func playImmediately() {
        play()
        pipeline.post(.playImmediately)
    }

    /// The same, at a rate as in `setRate`.
    package func playImmediately(atRate rate: Double) throws(PlaybackRateError) {
        try setRate(rate)
        pipeline.post(.playImmediately)
    }

    /// Sets how many seconds are read ahead of the heard time; `nil` or 0 is Segue's own choice.
    package func setPreferredForwardBuffer(_ seconds: Double?) {
        precondition(seconds.map { $0.isFinite && $0 >= 0 } ?? true, "a buffer has a length")
        change { $0.preferredForwardBuffer = seconds }
    }

    /// Limits the bits per second of a stream's variant; `nil` is no limit.
    package func setPreferredPeakBitRate(_ rate: Int?) { change { $0.preferredPeakBitRate = rate } }

    /// Sets whether the player waits until enough of a stream is buffered to play on for a while.
    ///
    /// If not, it starts with the data received so far, and pauses when that has been heard.
    package func setAutomaticallyWaits(_ waits: Bool) {
        change { $0.automaticallyWaits = waits }
        apply(transport.handle(.waitingSet(waits)))
    }

    private func change(_ body: (inout StreamOptions) -> Void) {
        body(&settings.stream)
        pipeline.post(.configure(settings))
    }

    // MARK: Messages of the pipeline

    /// The outcome of a jump: a stream may have no frames yet.
    func loadAfterLanding() -> Transport.Load {
        let heard = output.clock.frame(at: .now) + 0.5
        let isDry = pipeline.timeline.withLock { $0.noticeDryEnd(at: heard) != nil }
        return isDry ? .buffering : .ready
    }

    /// Handles that all received data was heard.
    func runDry(_ reason: Timeline.DryEnd.Reason) {
        switch reason {
        case .starving: apply(transport.handle(.ranDry))
        // The item is over; the wait is for the next one.
        case .opening: pipeline.post(.endHere(generation: generation))
        }
    }

    func tellStall() {
        guard let item = queue.current else { return }
        logs.recordStall(of: item.id)
        tell(.playbackStalled(item))
    }

    func receive(_ event: StreamEvent, of id: PlayerItem.ID) {
        guard let index = queue.index(of: id) else { return }
        let item = queue.items[index]
        switch event {
        case .changed(let status):
            guard item.id == queue.current?.id else { return }
            if case .reconnecting = status.connection, transport.load == .preparing {
                // It will take a while, which is reported.
                apply(transport.handle(.loaded(.buffering)))
            }
            tell(.streamChanged(status))
        case .failed(let failure): log(failure, of: item)
        case .transferred(let transfer): logs.record(transfer, of: item)
        // The status shows it.
        case .progressed: break
        }
    }

    /// Publishes the stream's tags that are heard now.
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
