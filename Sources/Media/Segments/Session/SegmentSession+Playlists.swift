internal import AudioTypes
internal import HTTP

/// Playlists: the first one, updates, and those of other variants.
extension SegmentSession {
    /// The URL of a step's playlist, for a log.
    private func address(ofStep step: Int) -> String { playlists.address(of: ladder.steps[step]) }

    // MARK: The first

    /// Tries the chosen variant, then the others, with retries while they make sense.
    func loadFirstPlaylist() throws(SegmentError) {
        while true {
            var trouble = SegmentError.noVariants
            for candidate in candidates {
                let began = HostTime.now
                playlistHealing.began(now: began)
                let outcome = Result { () throws(SegmentError) in
                    let found = try playlists.playlist(of: ladder.steps[candidate])
                    step = candidate
                    try adopt(found, began: began)
                }
                switch outcome {
                case .success:
                    adaptation.move(to: step)
                    return playlistHealing.succeeded()
                case .failure(let error):
                    if error.isInterrupted { throw error }
                    report(error, url: address(ofStep: candidate))
                    // A temporary error is worth waiting for, whatever the other variants' errors are.
                    if trouble.httpError?.isTemporary != true { trouble = error }
                }
            }
            guard let error = trouble.httpError, let next = retry(&playlistHealing, error, isLive: false) else {
                throw trouble
            }
            try sleep(until: next)
        }
    }

    /// The chosen step, those below it, and those above it; of hundreds only some are tried.
    private var candidates: ArraySlice<Int> {
        (Array((0...step).reversed()) + ladder.steps.indices.filter { $0 > step }).prefix(8)
    }

    // MARK: Updates

    /// Waits until the live playlist is due, and requests it.
    ///
    /// A failure is reported and delays the next call; only giving up throws.
    func reload() throws(SegmentError) {
        try sleep(until: schedule.next)
        let began = HostTime.now
        playlistHealing.began(now: began)
        switch Result(catching: { () throws(SegmentError) in try playlists.playlist(of: ladder.steps[step]) }) {
        case .success(let found):
            playlistURL = found.url
            if let trouble = found.trouble { report(trouble, url: address(ofStep: step)) }
            try update(found.playlist, began: began)
        case .failure(let error):
            if error.isInterrupted { throw error }
            try reloadFailed(error)
        }
    }

    private func update(_ newer: MediaPlaylist, began: HostTime) throws(SegmentError) {
        let isStuck = schedule.standsStillSince(now: began) != nil
        let wasEmpty = plan.playlist.segments.isEmpty
        let change = plan.update(newer, isPersistent: isStuck)
        playlistHealing.succeeded()
        schedule.loaded(isChanged: change != .none, targetDuration: newer.reloadInterval, began: began)
        switch change {
        case .none: try checkStandstill()
        case .more:
            if wasEmpty { soundFrom = plan.firstSound }
        case .missed, .restarted:
            let words = change == .missed ? "segments left the playlist unplayed" : "the stream has restarted"
            reporter.failed(words, url: playlistURL ?? "")
            if reason == nil { reason = change == .missed ? .gap : .discontinuity }
            soundFrom = nil
            dropReading()
            dropAhead()
            // A restarted stream may have other keys, and another encoder, under the same names.
            secrets = SegmentSecrets()
        }
        if change != .none { reporter.connected(throughput: client.throughput) }
    }

    /// Treats a playlist without changes for long as an outage of its source.
    private func checkStandstill() throws(SegmentError) {
        let now = HostTime.now
        guard let since = schedule.standsStillSince(now: now) else { return }
        if let limit = options.reconnectLimit, now - since > limit { throw .standsStill(seconds: now - since) }
        let attempt = Int(saturating: (now - since) / max(schedule.next - now, 0.1))
        reporter.waits("the playlist has stalled", attempt: max(attempt, 1), until: schedule.next, since: since)
    }

    private func reloadFailed(_ error: SegmentError) throws(SegmentError) {
        report(error, url: playlistURL ?? "")
        // A page that is not a playlist is typical of a server that is not ready.
        let cause = error.httpError ?? HTTPError(.status(503, ""))
        guard let next = retry(&playlistHealing, cause, words: "\(error)", isLive: true) else { throw error }
        schedule.failed(retryAt: next)
        // The locations in a master playlist may be valid for a day, or until the server restarts.
        if let status = error.httpError?.status, status < 500, playlistHealing.attempt % 8 == 2 {
            try refreshLadder()
        }
        // Another variant may be on another server.
        if playlistHealing.attempt % 4 == 3 { wantedStep = substitute }
    }

    /// The step to try instead of the current one: the next lower one, wrapping around, of those that may be played.
    private var substitute: Int? {
        let last = ladder.ceiling > 0 ? ladder.ceiling : ladder.steps.count - 1
        guard last > 0 else { return nil }
        return step > 0 ? step - 1 : last
    }

    // MARK: Other variants

    /// Switches to the wanted step; if its playlist is unavailable, the current one stays.
    func changeVariant() throws(SegmentError) {
        guard let wanted = wantedStep else { return }
        let began = HostTime.now
        switch Result(catching: { () throws(SegmentError) in try playlists.playlist(of: ladder.steps[wanted]) }) {
        case .success(let found):
            wantedStep = nil
            dropAhead()
            let isWhole = plan.change(to: found.playlist, from: readUntil)
            if reason == nil { reason = isWhole ? .format : .gap }
            soundFrom = isWhole ? readUntil : nil
            step = wanted
            playlistURL = found.url
            schedule = ReloadSchedule(targetDuration: found.playlist.reloadInterval, began: began)
            playlistHealing.succeeded()
            adaptation.move(to: step)
            recordStep()
        case .failure(let error):
            if error.isInterrupted { throw error }
            wantedStep = nil
            report(error, url: address(ofStep: wanted))
            adaptation.stay(on: step)
        }
    }

    // MARK: Retries

    /// When to retry, which is also reported; `nil` for not at all.
    func retry(
        _ healing: inout Reconnection,
        _ error: HTTPError,
        words: String? = nil,
        isLive: Bool
    ) -> HostTime? {
        let now = HostTime.now
        var cause = isLive ? error.asTemporary : error
        // Other hosts may have been contacted since.
        cause.isWatched = cause.isWatched && client.isWatching
        let decision = healing.failed(cause, isLive: isLive, now: now, random: .random(in: 0...1))
        guard case .retry(let next) = decision else { return nil }
        reporter.waits(words ?? "\(error)", attempt: healing.attempt, until: next, since: healing.since ?? now)
        return next
    }

    /// Reports a failure.
    func report(_ error: SegmentError, url: String, isFinal: Bool = false) {
        if let cause = error.httpError {
            reporter.failed(cause, url: url, isFinal: isFinal)
        } else {
            reporter.failed("\(error)", url: url, isFinal: isFinal)
        }
    }

    func sleep(until time: HostTime) throws(SegmentError) {
        let outcome = Result { () throws(HTTPError) in try client.sleep(until: time) }
        try outcome.mapError { SegmentError.http($0, what: "waiting") }.get()
    }
}
