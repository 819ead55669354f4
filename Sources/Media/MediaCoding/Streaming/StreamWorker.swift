internal import AudioTypes
internal import FFmpegValues
private import HTTP
internal import Threads

/// The work of the read-ahead thread.
struct StreamWorker: ~Copyable {
    private let core: StreamCore
    private var recorder: StreamRecorder?

    static func run(_ core: StreamCore) {
        var worker = StreamWorker(core)
        do {
            let medium = try OpenMedium(core).open()
            worker.begin(medium.part)
            worker.read(medium.session)
        } catch {
            worker.fail(error)
        }
        worker.record { recorder throws(FFmpegError) in try recorder.finish() }
        core.hasEnded.ring()
    }

    private init(_ core: StreamCore) {
        self.core = core
        recorder = core.options.recording.map(StreamRecorder.init)
    }

    private mutating func read(_ session: any StreamSession) {
        while !core.isCancelled {
            core.waitForRoom()
            do {
                if let order = core.takeSeek() {
                    if let part = try session.seek(order) { begin(part) }
                    continue
                }
                try step(session)
            } catch {
                // An interrupt is a request, not a failure.
                if !core.interrupt.isRaised { fail(error) }
            }
        }
    }

    private mutating func step(_ session: any StreamSession) throws {
        let packet = try Packet()
        while !core.interrupt.isRaised {
            switch try session.read(into: packet) {
            case .packet:
                guard let track = session.track else { break }
                record { recorder throws(FFmpegError) in try recorder.write(packet) }
                session.record(ahead: try core.put(packet, of: track, throughput: session.throughput))
            case .part(let part): begin(part)
            case .tags(let tags): core.put(.tags(tags))
            case .end: return core.end(.end)
            }
            core.waitForRoom()
        }
    }

    private mutating func begin(_ part: StreamPart) {
        record { recorder throws(FFmpegError) in try recorder.begin(part) }
        core.put(.part(part))
    }

    /// Reports a recording that fails; the stream continues.
    private mutating func record(_ body: (StreamRecorder) throws(FFmpegError) -> Void) {
        guard let recorder, let path = core.options.recording else { return }
        do throws(FFmpegError) {
            try body(recorder)
        } catch {
            self.recorder = nil
            core.context.report(.failed(StreamFailure(ofRecording: error, at: path)))
        }
    }

    private func fail(_ error: any Error) {
        guard !core.isCancelled else { return }
        core.context.report(.failed(StreamFailure(of: error, at: core.entry.location, isFinal: true)))
        core.end(.failure(core.mediaError(error)))
    }
}
