/// The contents of a medium, as found by opening it.
package struct MediaInfo: Sendable, Hashable {
    /// The container's short name as FFmpeg gives it, such as `flac` or `mov,mp4,m4a,3gp,3g2,mj2`.
    package var container: String
    /// `nil` while unknown and for endless streams.
    package var duration: MediaTime?
    /// Bits per second over all streams; `nil` when unknown.
    package var bitRate: Int?
    package var streams: [StreamInfo]
    /// The choices of a presentation in segments, of which `streams` has only what is fetched; empty for other media.
    package var renditions: [StreamInfo] = []
    package var chapters: [Chapter]
    package var tags: Tags
    package var replayGain: ReplayGain
    /// Whether the medium supports seeking.
    package var isSeekable: Bool
    /// Whether the number of samples is known exactly.
    ///
    /// Raw ADTS and Matroska do not say where the encoder's padding begins.
    package var hasExactEnd: Bool
    /// The decoded format of the stream that is played; `nil` when the medium was only examined.
    package var sourceFormat: SourceFormat?
    /// Bits per second of the stream that is played, or of the whole medium if only that is known.
    package var playedBitRate: Int?
    /// The cover in a file that is played over the network, as stored; `nil` for other media.
    package var cover: [UInt8]?

    package init(
        container: String,
        duration: MediaTime? = nil,
        bitRate: Int? = nil,
        streams: [StreamInfo] = [],
        chapters: [Chapter] = [],
        tags: Tags = Tags(),
        replayGain: ReplayGain = ReplayGain(),
        isSeekable: Bool = true,
        hasExactEnd: Bool = true
    ) {
        self.container = container
        self.duration = duration
        self.bitRate = bitRate
        self.streams = streams
        self.chapters = chapters
        self.tags = tags
        self.replayGain = replayGain
        self.isSeekable = isSeekable
        self.hasExactEnd = hasExactEnd
    }

    /// The audio streams, in the medium's order.
    package var audioStreams: [StreamInfo] { streams.filter { $0.kind == .audio } }

    /// The moving picture, if there is one.
    package var videoStream: StreamInfo? { streams.first { $0.kind == .video } }

    /// When a film was taken, as it is stored: Apple's local time, else the container's; `nil` when unknown.
    package var captured: String? {
        videoStream == nil ? nil : tags["com.apple.quicktime.creationdate"] ?? tags["creation_time"]
    }

    /// At which a film was taken, if that was not the rate at which it is shown: Android's; in frames per second.
    package var captureRate: Double? {
        videoStream == nil ? nil : tags["com.android.capture.fps"].flatMap { Double($0) }
    }

    /// Of a Live Photo's film, as it is stored.
    package var contentIdentifier: String? { tags["com.apple.quicktime.content.identifier"] }
}

/// One stream of a medium.
package struct StreamInfo: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case audio, video, subtitle, data, attachment, cover
    }

    /// The stream's index in the medium, from 0.
    package var index: Int
    package var kind: Kind
    /// The codec's short name as FFmpeg gives it, such as `flac` or `opus`.
    package var codec: String
    package var profile: String?
    /// An ISO 639 code as stored in the medium.
    package var language: String?
    package var title: String?
    /// Such as `default`, `forced`, `comment`.
    package var dispositions: [String]
    /// Bits per second; `nil` when unknown.
    package var bitRate: Int?
    /// For audio: frames per second.
    package var sampleRate: Int?
    /// For audio.
    package var channels: ChannelLayout?
    /// For audio: bits per sample where the codec keeps them exactly.
    package var bitsPerSample: Int?
    /// For video and pictures, in pixels, as they are stored.
    package var width: Int?
    package var height: Int?
    /// For video.
    package var video = VideoTraits()

    package init(index: Int, kind: Kind, codec: String) {
        self.index = index
        self.kind = kind
        self.codec = codec
        self.dispositions = []
    }
}

/// How the frames of a video stream are shown.
package struct VideoTraits: Sendable, Hashable {
    /// The width of a pixel beside its height, such as 4 and 3.
    package struct Aspect: Sendable, Hashable {
        package let width, height: Int

        /// - Returns: `nil` unless both are positive.
        package init?(_ width: Int, _ height: Int) {
            guard width > 0, height > 0 else { return nil }
            (self.width, self.height) = (width, height)
        }
    }

    /// Frames per second, on average; `nil` when unknown.
    package var frameRate: Double?
    /// Whether frames last for different times.
    package var isVariable = false
    /// Of a pixel; `nil` when unknown, or square.
    package var sampleAspect: Aspect?
    /// Whether a frame's lines are of two moments; `nil` when unknown.
    package var isInterlaced: Bool?
    /// How the frames are turned to be shown: degrees clockwise, 0 to 359.
    package var rotation = 0
    /// Such as `BT.709`; `nil` when unknown.
    package var colourSpace: String?
    /// `PQ` or `HLG`; `nil` for a standard dynamic range.
    package var hdr: String?

    package init() {}
}

extension StreamInfo {
    /// The dimensions with square pixels, before the frames are turned; `nil` when unknown.
    package var squareSize: (width: Int, height: Int)? {
        guard let width, let height, width > 0, height > 0 else { return nil }
        guard let aspect = video.sampleAspect else { return (width, height) }
        let shown = Double(width) * Double(aspect.width) / Double(aspect.height)
        return (min(1 << 20, max(1, Int(saturating: shown.rounded()))), height)
    }

    /// The dimensions as they are shown, upright; `nil` when unknown.
    package var shownSize: (width: Int, height: Int)? {
        guard let size = squareSize else { return nil }
        return video.rotation == 90 || video.rotation == 270 ? (size.height, size.width) : size
    }
}

/// A named part of a medium.
package struct Chapter: Sendable, Hashable {
    package var title: String?
    package var start: MediaTime
    package var end: MediaTime

    package init(title: String?, start: MediaTime, end: MediaTime) {
        self.title = title
        self.start = start
        self.end = end
    }
}

extension Chapter {
    /// Chapters by their start, each of which ends with the medium, or where the next one begins if it has no end of its own.
    package static func inOrder(_ chapters: [Chapter], within duration: MediaTime?) -> [Chapter] {
        var chapters = chapters.sorted { $0.start < $1.start }
        for index in chapters.indices {
            let chapter = chapters[index]
            let next = index + 1 < chapters.count ? chapters[index + 1].start : duration
            let hasEnd = chapter.end > chapter.start && duration.map { chapter.end <= $0 + Self.slack } ?? true
            if !hasEnd { chapters[index].end = max(chapter.start, next ?? chapter.start) }
        }
        return chapters
    }

    /// By so much a last chapter may end behind a medium, whose length is rounded in other ways.
    private static let slack = MediaTime(seconds: 1)
}

/// A medium's tags: lower-case names as FFmpeg gives them (`title`, `album_artist`, `track`), each with its values.
package struct Tags: Sendable, Hashable {
    private var values: [String: [String]] = [:]
    /// The picture that came with them in a stream, as stored.
    package var picture: [UInt8]?

    package init() {}

    /// The tags' names, sorted.
    package var names: [String] { values.keys.sorted() }
    package var isEmpty: Bool { values.isEmpty && picture == nil }

    /// All values of a tag, in the medium's order.
    package subscript(all name: String) -> [String] { values[name.lowercased()] ?? [] }

    /// The first value of a tag.
    package subscript(name: String) -> String? { values[name.lowercased()]?.first }

    package mutating func append(_ value: String, to name: String) {
        values[name.lowercased(), default: []].append(value)
    }

    /// Replaces all values of a tag with one.
    package mutating func set(_ name: String, to value: String?) {
        values[name.lowercased()] = value.map { [$0] }
    }

    package var title: String? { self["title"] }
    package var artist: String? { self["artist"] ?? self["album_artist"] }
    package var album: String? { self["album"] }
}
