internal import AudioTypes
internal import HTTP
internal import Mixing

/// A medium of the network that is read ahead, on a thread of its own, until it is let go of.
final class ReadAhead: Sendable {
    private let core: StreamCore

    /// Begins at once.
    init(_ entry: MediaEntry, _ selection: AudioTrackSelection, _ context: StreamContext) {
        let core = StreamCore(entry, selection, context)
        self.core = core
        WorkThread.start(named: "segue-read") { StreamWorker.run(core) }
    }

    /// Nobody waits for the thread, which may be deep in a system call; but a recording is completed.
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

    /// Takes what comes next; never waits.
    func take(into packet: borrowing Packet) throws -> StreamCore.Taken { try core.take(into: packet) }

    /// Waits until there is something to take.
    func wait(_ interrupt: Interrupt) throws(FFmpegError) { try core.waitForNews(interrupt) }

    /// Goes on with a packet at or before a sample; what lies near is there already.
    func seek(before sample: Int, zero: Int, of track: Track) {
        // What is before the medium's beginning is not there; a part in its middle may have that below zero.
        let timestamp = track.timestamp(max(min(0, zero), sample + zero))
        core.seek(before: sample, zero: zero, timestamp: timestamp, sampleRate: track.sampleRate)
    }

    var status: StreamStatus { core.status }

    /// The status for whoever outlives this.
    var statusSource: @Sendable () -> StreamStatus { { [core] in core.status } }

    /// What may be changed while it is read: how far ahead.
    func setOptions(_ options: StreamOptions) { core.setOptions(options) }
}
