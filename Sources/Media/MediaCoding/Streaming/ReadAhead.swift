internal import AudioTypes
internal import FFmpegValues
internal import HTTP
internal import Threads

/// A network medium that is read ahead on a thread of its own, until it is released.
final class ReadAhead: Sendable {
    private let core: StreamCore

    /// Starts at once.
    init(_ entry: MediaEntry, _ selection: TrackSelection, _ context: StreamContext) throws(ThreadError) {
        let core = StreamCore(entry, selection, context)
        self.core = core
        try WorkThread.start(named: "segue-read") { StreamWorker.run(core) }
    }

    /// No thread waits for the reading one, which may be deep in a system call; but a recording is completed.
    deinit {
        core.cancel()
        if core.options.recording != nil { core.hasEnded.wait(until: .now + 2) }
    }

    /// Waits for the first part.
    func open(_ interrupt: Interrupt) throws -> StreamPart {
        let packet = try Packet()
        while true {
            switch try core.take(into: packet) {
            case .part(let part): return part
            case .nothing: try core.waitForNews(interrupt)
            case .tags: continue
            case .packet, .end: throw MediaError(location: core.entry.location, reason: .undecodable)
            }
        }
    }

    /// Takes the next packet; never waits.
    func take(into packet: borrowing Packet) throws -> StreamCore.Taken { try core.take(into: packet) }

    /// Waits until there is a packet to take.
    func wait(_ interrupt: Interrupt) throws(FFmpegError) { try core.waitForNews(interrupt) }

    /// Continues with a packet at or before a sample; nearby packets are buffered already.
    func seek(before sample: Int, zero: Int, of track: Track) {
        // There is nothing before the medium's start; a part from its middle may have that below zero.
        let timestamp = track.timestamp(max(min(0, zero), sample + zero))
        core.seek(before: sample, zero: zero, timestamp: timestamp, sampleRate: track.sampleRate)
    }

    var status: StreamStatus { core.status }

    /// A source of the status that outlives this object.
    var statusSource: @Sendable () -> StreamStatus { { [core] in core.status } }

    /// Changes the options while it is read: how far ahead.
    func setOptions(_ options: StreamOptions) { core.setOptions(options) }
}
