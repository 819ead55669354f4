internal import AudioTypes
internal import HTTP

/// A segment that was requested before it is read.
struct SegmentAhead {
    let sequence: Int
    let stream: SegmentStream
}

/// Segments that are fetched beside the one being read.
///
/// Only their bytes: what is made of a segment, its key and its failures are seen to when it is read. One whose request
/// has failed by then is requested again.
extension SegmentSession {
    /// Receives how much is buffered, of how much at most, in seconds.
    package func record(buffered seconds: Double, of limit: Double) { width.record(buffered: seconds, of: limit) }

    /// Requests the segments that follow, as many as are fetched at a time.
    func fetchAhead() {
        guard width.isShort, let reading, let stream = reading.stream else { return }
        let segment = reading.place.segment
        let size =
            stream.size ?? presentation.indicatedBitRate.map { Int(saturating: Double($0 / 8) * segment.duration) }
        if let size, let progress = stream.progress, segment.duration > 0 {
            width.measure(bytes: progress.bytes, seconds: progress.seconds, needed: Double(size) / segment.duration)
        }
        guard width.count > 1 else { return }
        for place in plan.following(width.count - 1) where !ahead.contains(where: { $0.sequence == place.sequence }) {
            request(place, in: reading.base)
        }
    }

    private func request(_ place: SegmentPlan.Place, in base: String) {
        let segment = place.segment
        guard !segment.isGap, let url = try? location(segment.uri, in: base, what: "a segment") else { return }
        let stream = SegmentStream(url, range: segment.byteRange, client: client, mediaDuration: segment.duration)
        // It is requested again when it is read.
        try? stream.requestAhead()
        ahead.append(SegmentAhead(sequence: place.sequence, stream: stream))
    }

    /// The stream of a segment that is read now, if it was requested; those that were jumped over are dropped.
    func takeAhead(_ place: SegmentPlan.Place, _ url: String) -> SegmentStream? {
        let later = place.sequence + 1..<place.sequence + FetchWidth.most
        let taken = ahead.first { $0.sequence == place.sequence && $0.stream.isSame(as: url, place.segment.byteRange) }
        for other in ahead where other.stream !== taken?.stream && !later.contains(other.sequence) {
            other.stream.cancel()
        }
        ahead.removeAll { !later.contains($0.sequence) }
        return taken?.stream
    }

    func dropAhead() {
        for segment in ahead { segment.stream.cancel() }
        ahead = []
    }

    /// The seconds in which a segment arrived; beside others, those that it would have taken alone.
    func secondsTaken(by stream: SegmentStream, at throughput: Double) -> Double {
        width.count > 1 ? Double(stream.count) * 8 / max(throughput, 1) : stream.waited
    }
}
