internal import AudioTypes
internal import CivilTime
private import MediaCoding
internal import Synchronization

extension Player {
    /// The access log of an item of the queue; `nil` is the current one.
    package func accessLog(of id: PlayerItem.ID? = nil) -> AccessLog {
        guard let id = id ?? queue.current?.id else { return AccessLog() }
        if logs.stretch?.item == id { record(heardTo: currentTime()) }
        return logs[id].access
    }

    /// The error log of an item of the queue; `nil` is the current one.
    package func errorLog(of id: PlayerItem.ID? = nil) -> ErrorLog {
        (id ?? queue.current?.id).map { logs[$0].errors } ?? ErrorLog()
    }

    // MARK: Stretches

    /// Begins a stretch when something is heard, and ends it when playback is no longer wanted.
    func recordStretch() {
        let status = transport.status
        if status == .paused {
            logs.wish = nil
            endStretch()
        } else {
            logs.wish = logs.wish ?? .now
        }
        guard status == .playing, logs.stretch == nil, let item = queue.current, shared.withLock({ $0.target }) == nil
        else { return }
        beginStretch(item)
    }

    private func beginStretch(_ item: PlayerItem) {
        let stream = pipeline.streams.withLock { $0.status(of: item.id) }
        let session = logs.session(of: item.id)
        var event = AccessLog.Event(
            playbackStartDate: wallClock(),
            uri: MediaError.display(item.entry.location),
            playbackSessionID: session,
            playbackType: .file,
            playbackStartOffset: currentTime().seconds
        )
        if let wish = logs.wish { event.startupTime = .now - wish }
        logs.stretch = PlayerLogs.Stretch(item: item.id)
        logs[item.id].access.begin(event, isFetched: stream != nil)
        if let stream { logs[item.id].access.record(stream) }
        if let event = logs[item.id].access.events.last { tell(.newAccessLogEntry(item, event)) }
    }

    /// Ends the stretch, because another item is played, or none.
    ///
    /// - Parameter time: The item's time at that moment; `nil` is the heard time.
    func endStretch(at time: MediaTime? = nil) {
        guard let stretch = logs.stretch else { return }
        record(heardTo: time ?? currentTime())
        logs[stretch.item].access.end()
        logs.stretch = nil
        logs.wish = transport.rate != 0 ? .now : nil
    }

    private func record(heardTo time: MediaTime) {
        guard let id = logs.stretch?.item else { return }
        logs[id].access.record(heardTo: time.seconds)
        if let stream = pipeline.streams.withLock({ $0.status(of: id) }) { logs[id].access.record(stream) }
    }

    func log(_ failure: StreamFailure, of item: PlayerItem) {
        if let event = logs.record(failure, of: item) { tell(.newErrorLogEntry(item, event)) }
    }

    /// Logs an item's failure, unless its network session has logged it already.
    func recordFailure(of item: PlayerItem, _ reason: String) {
        let location = MediaError.display(item.entry.location)
        let failure = StreamFailure(
            date: wallClock(),
            uri: location,
            domain: "media",
            comment: reason.hasPrefix(location + ": ") ? String(reason.dropFirst(location.count + 2)) : reason,
            isFinal: true
        )
        log(failure, of: item)
    }
}
