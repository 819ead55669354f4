internal import AudioTypes
internal import MediaHeaders
internal import Threads

/// An Ogg file in which several streams follow one another, as in a recording of a radio station: each is a medium of its own
/// to libavformat, which by itself stops at the end of the first one, or decodes the next one wrongly.
struct OggChainFile {
    private let entry: MediaEntry
    private let track: TrackSelection
    private let interrupt: Interrupt
    private let file: RandomAccessFile
    private var links: [Link] = []
    /// Seconds of all streams.
    private var seconds = 0.0
    /// The streams that could not be opened, and are left out.
    private(set) var damage = MediaReader.Damage()

    private struct Link {
        var bytes: Range<Int>
        /// The position in the file's sound of its first sample, in seconds.
        var start: Double
    }

    /// Opens each stream once, for its length; `nil` for a file that is no chain.
    ///
    /// - Throws: `MediaError`, or `FFmpegError` when it was interrupted.
    init?(_ entry: MediaEntry, _ track: TrackSelection, _ interrupt: Interrupt) throws {
        guard let file = entry.filePath.flatMap(RandomAccessFile.init(path:)),
            let starts = OggLinks(of: file)?.starts, starts.count > 1
        else { return nil }
        (self.entry, self.track, self.interrupt, self.file) = (entry, track, interrupt, file)
        for (start, end) in zip(starts, starts.dropFirst() + [file.size]) {
            links.append(Link(bytes: start..<end, start: seconds))
            do {
                let reader = try open(links.count - 1)
                let samples = reader.info.duration?.sample(at: reader.track.sampleRate) ?? 0
                seconds += Double(samples) / Double(reader.track.sampleRate)
            } catch is MediaError {
                links.removeLast()
                damage.packets += 1
                damage.first = damage.first ?? MediaTime(seconds: seconds)
            }
        }
        guard !links.isEmpty else { throw MediaError(location: entry.location, reason: .undecodable) }
    }

    var count: Int { links.count }

    /// The index of the stream that a position is in.
    func index(at seconds: Double) -> Int { links.lastIndex { $0.start <= seconds } ?? 0 }

    func open(_ index: Int) throws -> PacketReader {
        let bytes = LocalBytes(file, links[index].bytes)
        let source = PacketReader.Source(input: try InputContext(bytes), container: "ogg", part: links[index].bytes)
        return try PacketReader.open(entry, track: track, interrupt: interrupt, source: source)
    }

    /// A stream's part of the file: one that begins where the stream before ended, and lasts as long as all of them.
    func part(_ index: Int, of part: StreamPart) -> StreamPart {
        var part = part
        let rate = part.track.sampleRate
        let base = Int(sample: (links[index].start * Double(rate)).rounded())
        // Where the samples behind the end are dropped here, they are followed by another stream's.
        if let length = part.timing.length { part.latest = Double(base + length) / Double(rate) }
        part.timing.base = base
        part.timing.length = Int(sample: (seconds * Double(rate)).rounded())
        part.info.duration = MediaTime(seconds: seconds)
        return part
    }
}
