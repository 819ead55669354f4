internal import AudioTypes
internal import HTTP

/// Parts, and the segments in them.
extension SegmentSession {
    /// Moves to the next run of bytes for one demuxer: until a discontinuity, a gap, another variant or a seek.
    ///
    /// Unread bytes of the current part are dropped. The first segment of the next one is fetched already.
    ///
    /// - Returns: `nil` at the end of a presentation that has one.
    package func nextPart() throws(SegmentError) -> SessionPart? {
        part = nil
        if reading?.isTaken == true {
            dropReading()
            plan.advance()
            reason = .gap
        }
        while true {
            if reading == nil {
                guard let place = try nextPlace() else { return try end() }
                start(place)
            }
            if try makeReady() { break }
        }
        return makePart()
    }

    /// Reads the current part, which starts with its initialisation section.
    ///
    /// - Returns: The number of bytes; 0 at the end of the part.
    package func read(into target: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int {
        while let part, unsafe !target.isEmpty {
            if reading == nil {
                guard let place = try nextPlace(), continues(part, place) else { break }
                start(place)
            }
            if reading?.container == nil, try !makeReady() {
                // Without a reason for a new part, the same position is read from another location.
                if reason == nil { continue } else { break }
            }
            guard reading?.container == part.container, reading?.place.timeline == part.timeline else { break }
            let held = unsafe reading?.takeHeld(into: target) ?? 0
            if held > 0 { return held }
            guard let count = try unsafe pull(into: target) else { break }
            if count > 0 { return count }
            finishSegment()
        }
        part = nil
        return 0
    }

    // MARK: Parts

    private func makePart() -> SessionPart? {
        guard let reading, let container = reading.container else { return nil }
        let place = reading.place
        // A thousandth of a second is a rounding error.
        let sound = soundFrom.map { $0 - place.start < 0.001 ? place.start : $0 } ?? place.start
        let made = SessionPart(
            reason: reason ?? .discontinuity,
            startTime: place.start,
            soundFrom: sound,
            timeline: place.timeline,
            container: container,
            indicatedBitRate: presentation.indicatedBitRate,
            soundUntil: place.segment.soundLeft.map { place.start + $0 },
            mediaTime: place.segment.mediaTime
        )
        part = made
        self.reading?.isTaken = true
        partMap = place.segment.map
        reason = nil
        soundFrom = nil
        return made
    }

    /// Whether a part's demuxer can read this segment too.
    private func continues(_ part: SessionPart, _ place: SegmentPlan.Place) -> Bool {
        if place.timeline != part.timeline { reason = reason ?? .discontinuity }
        let map = place.segment.map
        if map?.uri != partMap?.uri || map?.byteRange != partMap?.byteRange { reason = reason ?? .format }
        return reason == nil
    }

    private func end() throws(SegmentError) -> SessionPart? {
        guard hasGiven || reason == .seek else {
            guard let lastTrouble else { throw .noSegments }
            throw lastTrouble.httpError.map { .nothingPlayable($0) } ?? lastTrouble
        }
        reporter.completed()
        return nil
    }

    // MARK: Segments

    /// The next segment; if it is live, waits for it.
    private func nextPlace() throws(SegmentError) -> SegmentPlan.Place? {
        var isFresh = false
        if wantsLive { try goLive() }
        while true {
            if wantedStep != nil, plan.step != .end { try changeVariant() }
            if plan.playlist.isLive, !isFresh, schedule.isOutdated(now: .now) {
                // After a pause the playlist shows the current live position; one update is enough.
                isFresh = true
                try reload()
                continue
            }
            switch plan.step {
            case .end:
                guard try goesBackFromEnd() else { return nil }
            case .reload: try reload()
            case .segment(let place):
                guard place.segment.isGap else { return place }
                leaveOut(place)
            }
        }
    }

    /// Moves to the segment that is played live, by the newest playlist.
    private func goLive() throws(SegmentError) {
        if schedule.next <= .now { try reload() }
        wantsLive = false
        readUntil = plan.seekLive()
        soundFrom = nil
    }

    private func start(_ place: SegmentPlan.Place) {
        reading = SegmentReading(place: place, base: playlistURL ?? "")
    }

    private func leaveOut(_ place: SegmentPlan.Place) {
        plan.advance()
        readUntil = max(readUntil, place.end)
        reason = reason == nil ? .gap : reason
        healing.moved()
    }

    private func goBack(to sequence: Int) {
        plan.goBack(to: sequence)
        readUntil = min(readUntil, plan.nextStart)
    }

    /// Treats an end whose last segments were left out as temporary: waits for them.
    ///
    /// A rest shorter than half a segment may be a rounding error that never existed.
    private func goesBackFromEnd() throws(SegmentError) -> Bool {
        guard hasGiven, let lost = healing.leftOut else { return false }
        let rest = plan.rest(from: lost)
        if rest > 0, rest < presentation.targetDuration / 2 { return false }
        guard rest > 0, let first = healing.reachedEnd() else { throw lastTrouble ?? .noSegments }
        goBack(to: first)
        return true
    }

    private func finishSegment() {
        guard let reading else { return }
        self.reading = nil
        plan.advance()
        readUntil = reading.place.end
        guard let stream = reading.stream, stream.isSmooth, let throughput = client.throughput else { return }
        let sample = Adaptation.Sample(
            seconds: secondsTaken(by: stream, at: throughput),
            mediaDuration: reading.place.segment.duration,
            throughput: throughput
        )
        wantedStep = adaptation.received(sample) ?? wantedStep
    }

    /// Fetches a segment's start, and detects its container.
    ///
    /// - Returns: Whether it can be read; if not, the next one is tried.
    private func makeReady() throws(SegmentError) -> Bool {
        var chunk = [UInt8](repeating: 0, count: SegmentContainer.sniffedBytes)
        while let reading, reading.container == nil {
            let rest = max(chunk.count, SegmentContainer.tagLength(reading.head)) - reading.head.count
            if rest > 0 {
                let outcome = unsafe chunk.withUnsafeMutableBytes { bytes in
                    Result { () throws(SegmentError) -> Int? in
                        try unsafe pull(into: UnsafeMutableRawBufferPointer(rebasing: bytes.prefix(rest)))
                    }
                }
                guard let more = try outcome.get() else { return false }
                self.reading?.head += chunk[..<more]
                if more > 0 { continue }
            }
            return try recognize()
        }
        return reading != nil
    }

    private func recognize() throws(SegmentError) -> Bool {
        guard let reading else { return false }
        if let container = SegmentContainer(firstBytes: reading.head) {
            self.reading?.container = container
            hasGiven = true
            let length = SegmentContainer.tagLength(reading.head)
            if length > 0, length <= reading.head.count { tag = Array(reading.head.prefix(length)) }
            return true
        }
        let url = reading.stream?.url ?? reading.base
        dropReading()
        if case .aes128? = reading.place.segment.encryption, !reading.hasFreshKey {
            secrets = SegmentSecrets()
            start(reading.place)
            self.reading?.hasFreshKey = true
            return try makeReady()
        }
        leaveOut(reading.place)
        lastTrouble = .notMedia
        strangers += 1
        reporter.failed("\(SegmentError.notMedia)", url: url)
        // A single invalid segment is an accident; only invalid ones mean that it is not media.
        if !hasGiven, strangers >= 5 { throw .notMedia }
        return false
    }

    // MARK: Bytes

    /// Reads bytes of the segment, with retries.
    ///
    /// - Returns: `nil` when the segment was left out; 0 at its end.
    private func pull(into target: UnsafeMutableRawBufferPointer) throws(SegmentError) -> Int? {
        while reading != nil {
            let outcome = Result { () throws(SegmentError) -> Int in
                let stream = try prepared()
                fetchAhead()
                let answer = Result { () throws(HTTPError) in try unsafe stream.read(into: target) }
                return try answer.mapError { SegmentError.http($0, what: "a segment") }.get()
            }
            switch outcome {
            case .success(let count):
                if count > 0 {
                    healing.succeeded()
                    reporter.connected(throughput: client.throughput)
                }
                return count
            case .failure(let error):
                try heal(error)
            }
        }
        return nil
    }

    /// The segment's stream, with everything that it needs first.
    private func prepared() throws(SegmentError) -> SegmentStream {
        guard let reading else { throw .noSegments }
        if let stream = reading.stream { return stream }
        healing.began(now: .now)
        let segment = reading.place.segment
        if part == nil, let map = segment.map, reading.initialization == nil {
            self.reading?.initialization = try secrets.initialization(
                map,
                in: reading.base,
                client: client,
                factory: decryptors
            )
        }
        let url = try location(segment.uri, in: reading.base, what: "a segment")
        let decryptor = try secrets.decryptor(
            segment.encryption,
            in: reading.base,
            client: client,
            factory: decryptors
        )
        let stream =
            takeAhead(reading.place, url)
            ?? SegmentStream(url, range: segment.byteRange, client: client, mediaDuration: segment.duration)
        stream.decrypt(with: decryptor)
        self.reading?.stream = stream
        return stream
    }

    /// Waits for another attempt, or leaves the segment out.
    private func heal(_ error: SegmentError) throws(SegmentError) {
        guard let reading, !error.isInterrupted, let cause = temporaryCause(of: error) else { throw error }
        let place = reading.place
        let decision = healing.failed(
            cause,
            sequence: place.sequence,
            duration: place.segment.duration,
            isNewest: plan.playlist.isLive && place.sequence + 1 == plan.playlist.endSequence,
            isBegun: reading.isTaken,
            now: .now,
            random: .random(in: 0...1)
        )
        lastTrouble = error
        let words = error.httpError.map { "\($0)" } ?? "\(error)"
        report(error, url: reading.stream?.url ?? reading.base, isFinal: decision == .giveUp)
        switch decision {
        case .giveUp: throw error
        case .skip:
            dropReading()
            leaveOut(place)
        case .goBack(let sequence, let time):
            dropReading()
            goBack(to: sequence)
            try wait(words, until: time)
        case .retry(let time):
            try wait(words, until: time)
            if plan.playlist.isLive {
                // The playlist has advanced in the meantime, perhaps without this segment.
                if schedule.next < .now { try reload() }
            } else if cause.trouble == .missing, !reading.isTaken {
                try refresh()
            }
        }
    }

    /// The error that decides about another attempt; `nil` when that makes no sense.
    private func temporaryCause(of error: SegmentError) -> HTTPError? {
        // A page instead of a broadcast's key is typical of a server that is not ready.
        if case .badKey = error, plan.playlist.isLive { return HTTPError(.status(503, "")) }
        return error.httpError
    }

    private func wait(_ words: String, until time: HostTime) throws(SegmentError) {
        let since = healing.reconnection.since
        if let since, since < time {
            reporter.waits(words, attempt: healing.reconnection.attempt, until: time, since: since)
        }
        try sleep(until: time)
        healing.began(now: .now)
    }
}
