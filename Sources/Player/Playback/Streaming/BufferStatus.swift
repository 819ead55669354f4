package import AudioTypes
internal import Outputs
internal import Synchronization

/// The buffer of the current item, at one moment (AVPlayerItem's flags and ranges).
package struct BufferStatus: Sendable, Hashable {
    /// Whether the item will probably play on without a stall; may be false while the buffer is full.
    package var isLikelyToKeepUp = false
    /// Whether no more is read until some of it was heard.
    package var isFull = false
    /// Whether all buffered data was heard: the item stalls, or ends.
    package var isEmpty = true
    /// The range that needs no request; from the heard time on, or all of a local file.
    package var loaded: [ClosedRange<MediaTime>] = []
    /// The ranges that can be seeked to.
    package var seekable: [ClosedRange<MediaTime>] = []
    /// `nil` for local media.
    package var stream: StreamStatus?
}

extension Player {
    /// The buffer of the current item; never waits.
    package nonisolated func bufferStatus() -> BufferStatus {
        let (item, rate) = read { ($0.currentItem, $0.rate == 0 ? $0.defaultRate : $0.rate) }
        guard let item, item.info != nil else { return BufferStatus() }
        let decoded = loadedTimeRange()
        guard let stream = pipeline.streams.withLock({ $0.status(of: item.id) }) else {
            return localStatus(of: item, decoded)
        }
        var status = BufferStatus()
        let ahead = decoded.map { ($0.upperBound - $0.lowerBound).seconds } ?? 0
        let supply = BufferGate.Supply(stream, rate: rate, ahead: ahead / rate)
        let hasStalled = pipeline.timeline.withLock { $0.dryEnd?.isNoticed ?? false }
        status.stream = stream
        status.isFull = stream.isFull
        status.isEmpty = ahead + stream.bufferedDuration < Self.nothing
        status.isLikelyToKeepUp = !hasStalled && BufferGate.keepsUp(supply)
        status.seekable = stream.window.map(times).map { [$0] } ?? seekable(item)
        if let decoded {
            let end = decoded.upperBound + MediaTime(seconds: stream.bufferedDuration)
            status.loaded = [decoded.lowerBound...min(end, item.duration.map { max($0, decoded.upperBound) } ?? end)]
        }
        return status
    }

    private nonisolated func localStatus(of item: PlayerItem, _ decoded: ClosedRange<MediaTime>?) -> BufferStatus {
        var status = BufferStatus()
        status.seekable = seekable(item)
        status.loaded = status.seekable.isEmpty ? [decoded].compactMap(\.self) : status.seekable
        let ahead = decoded.map { ($0.upperBound - $0.lowerBound).seconds } ?? 0
        status.isEmpty = ahead < Self.nothing
        status.isFull = true
        status.isLikelyToKeepUp = true
        return status
    }

    private nonisolated func times(_ window: ClosedRange<Double>) -> ClosedRange<MediaTime> {
        MediaTime(seconds: window.lowerBound)...MediaTime(seconds: window.upperBound)
    }

    private nonisolated func seekable(_ item: PlayerItem) -> [ClosedRange<MediaTime>] {
        guard item.info?.isSeekable == true, let duration = item.duration, duration >= .zero else { return [] }
        return [.zero...duration]
    }

    /// Seconds that count as nothing: less than a packet.
    private nonisolated static var nothing: Double { 0.01 }
}
