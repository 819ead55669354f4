package import AudioTypes
private import CivilTime
internal import Files
internal import NIOCore
internal import NIOPosix
private import Synchronization

/// A stream in segments, and where it is written.
package struct HLSSettings: Sendable, Hashable {
    package var encoding: StreamEncoding
    package var folder: String
    /// Seconds of a segment.
    package var segmentTime: Double
    /// How many segments the playlist lists.
    package var segmentCount: Int

    /// - Parameter bitRate: Bits per second of AAC; `nil` for the usual ones.
    package init(folder: String, segmentTime: Double = 4, segmentCount: Int = 6, bitRate: Int? = nil) {
        encoding = StreamEncoding(.aac, bitRate: bitRate)
        self.folder = folder
        self.segmentTime = segmentTime
        self.segmentCount = segmentCount
    }
}

extension StreamOutput {
    /// Writes a stream in segments into a folder, for a web server.
    ///
    /// - Throws: A one-line reason why it cannot.
    package static func hls(_ settings: HLSSettings, format: AudioFormat) throws -> StreamOutput {
        let encoder = try StreamEncoder(settings.encoding, wanted: format)
        return StreamOutput(encoder, to: try HLSFolder(settings, sampleRate: encoder.format.sampleRate))
    }
}

/// The folder of a stream in segments, each a file that appears whole, and a playlist that names whole files only.
///
/// It writes on the output's thread, which may wait for the disk: others read the same frames on their own.
final class HLSFolder: StreamDestination {
    private let settings: HLSSettings
    private let sampleRate: Int
    /// Held while files are written.
    private let state: Mutex<State>
    /// Under a lock of its own: setting the title must not wait for a disk.
    private let title = Mutex("")

    private struct State {
        var playlist: RollingPlaylist
        /// The files of an earlier stream, to be removed when the playlist no longer names them.
        var leftovers: [String]
        /// The segment that is being made.
        var bytes: [UInt8] = []
        var samples = 0
        var silence = 0.0
        var date = 0.0
        /// Samples before this segment, since the last discontinuity.
        var start = 0
        var isDiscontinuous = true
        var demand: (@Sendable (StreamDemand) -> Void)?
    }

    static let playlistName = "stream.m3u8"
    private static let prefix = "stream-"
    private static let suffix = ".aac"
    /// Seconds of silence after which no more is written.
    private static let longestSilence = 30.0
    /// When a folder that cannot be written to is tried again.
    private static let retryTime = TimeAmount.seconds(5)
    /// Samples of one AAC frame.
    private static let frameLength = 1_024

    init(_ settings: HLSSettings, sampleRate: Int) throws {
        self.settings = settings
        self.sampleRate = sampleRate
        makeFolders(settings.folder, permissions: 0o755)
        // A segment may exceed its time by what is encoded at once.
        let target = Int(saturating: (settings.segmentTime + 0.5).rounded(.up))
        var playlist = RollingPlaylist(target: target, length: settings.segmentCount)
        if let old = try? fileContents(settings.folder + "/" + Self.playlistName, atMost: 1 << 20) {
            playlist.resume(after: String(decoding: old, as: UTF8.self))
        }
        let leftovers: [String]
        do {
            leftovers = try fileNames(in: settings.folder).filter {
                $0.hasPrefix(Self.prefix) && $0.hasSuffix(Self.suffix)
            }
        } catch {
            throw StreamProblem("\(settings.folder): \(error)")
        }
        state = Mutex(State(playlist: playlist, leftovers: leftovers))
    }

    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void) {
        state.withLock { $0.demand = demand }
        demand(.wanted)
    }

    func show(_ title: String) { self.title.withLock { $0 = title } }

    func send(_ packet: StreamPacket) {
        let (demand, problem) = state.withLock { state in
            do {
                try write(packet, &state)
                return (state.demand, nil as String?)
            } catch {
                (state.bytes, state.samples, state.isDiscontinuous, state.start) = ([], 0, true, 0)
                return (state.demand, "\(settings.folder): \(error)")
            }
        }
        guard let demand, let problem else { return }
        demand(.lost(problem))
        streamLoops.next().scheduleTask(in: Self.retryTime) { demand(.wanted) }
    }

    func close() {
        state.withLock { state in
            if state.samples > 0 { try? finishSegment(&state) }
            state.demand = nil
        }
    }

    // MARK: Segments

    private func write(_ packet: StreamPacket, _ state: inout State) throws {
        state.silence = packet.isSilent ? state.silence + packet.seconds : 0
        if state.silence > Self.longestSilence {
            if state.samples > 0 { try finishSegment(&state) }
            (state.isDiscontinuous, state.start) = (true, 0)
            return
        }
        if state.samples == 0 { state.date = wallClock() - packet.seconds }
        state.bytes += packet.bytes
        state.samples += Self.frameCount(packet.bytes) * Self.frameLength
        if Double(state.samples) >= settings.segmentTime * Double(sampleRate) { try finishSegment(&state) }
    }

    private static func frameCount(_ bytes: [UInt8]) -> Int {
        var (place, count) = (0, 0)
        while let header = ADTSHeader(bytes, at: place) {
            place += header.byteCount
            count += 1
        }
        return count
    }

    private func finishSegment(_ state: inout State) throws {
        let number = state.playlist.next
        let segment = RollingPlaylist.Segment(
            number: number,
            name: "\(Self.prefix)\(number)\(Self.suffix)",
            seconds: Double(state.samples) / Double(sampleRate),
            date: state.date,
            title: title.withLock { $0 },
            isDiscontinuous: state.isDiscontinuous
        )
        let bytes = PackedAudio.timestamp(samples: state.start, sampleRate: sampleRate) + state.bytes
        state.start += state.samples
        (state.bytes, state.samples, state.isDiscontinuous) = ([], 0, false)
        try write(bytes, to: segment.name)
        var gone = state.playlist.append(segment).map(\.name)
        try write(Array(state.playlist.text.utf8), to: Self.playlistName)
        if state.playlist.segments.count == settings.segmentCount {
            gone += state.leftovers
            state.leftovers = []
        }
        for name in gone { try? AtomicFile.removeUnsynced(settings.folder + "/" + name) }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        try AtomicFile.make(settings.folder + "/" + name, isNew: false) { file in try file.write(bytes) }
    }
}

/// Segments that are plain AAC, which begin with their time (RFC 8216, section 3.4).
enum PackedAudio {
    private static let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]

    /// An ID3 tag with the time of the first sample, on a clock of 90 kHz with 33 bits.
    static func timestamp(samples: Int, sampleRate: Int) -> [UInt8] {
        let ticks = UInt64(clamping: samples) * 90_000 / UInt64(clamping: max(1, sampleRate)) & 0x1_ffff_ffff
        let payload = owner + (0..<8).map { UInt8(truncatingIfNeeded: ticks >> (56 - 8 * $0)) }
        let frame = Array("PRIV".utf8) + size(payload.count) + [0, 0] + payload
        return Array("ID3".utf8) + [4, 0, 0] + size(frame.count) + frame
    }

    /// A size in four times seven bits.
    private static func size(_ count: Int) -> [UInt8] {
        [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: count >> $0) & 0x7f }
    }
}
