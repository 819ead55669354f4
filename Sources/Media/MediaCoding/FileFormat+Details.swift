internal import AudioTypes
internal import CFFmpeg
internal import TextEncodings

/// Where a container keeps what a file says besides its sound.
extension FileFormat {
    /// Where a container has its cover.
    enum CoverPlace {
        /// A stream with one packet, as libavformat's muxers of such containers take it.
        case stream
        /// A file in the container.
        case attachment
        /// A tag.
        case comment
    }

    private var name: String { unsafe String(cString: container.pointee.name) }

    private var hasVorbisComments: Bool { ["flac", "ogg", "oga", "opus", "spx"].contains(name) }

    /// `nil` where there is no place for a cover.
    var coverPlace: CoverPlace? {
        switch name {
        case "flac", "mp3", "mp4", "ipod", "mov", "aiff": .stream
        case "matroska": .attachment
        case "ogg", "oga", "opus", "spx": .comment
        default: nil
        }
    }

    /// The cover that goes beside the tags, where it can be stored.
    func picture(of details: FileDetails) -> Muxer.Picture? {
        guard let cover = details.cover, let place = coverPlace, place != .comment else { return nil }
        return Muxer.Picture(cover, isAttachment: place == .attachment)
    }

    /// The chapters that the muxer is given.
    ///
    /// Those of Vorbis comments are comments, and made here: libavformat writes them for Opus only, and rounds their
    /// seconds up beside the fraction (FFmpeg 5.1).
    func chapters(of details: FileDetails) -> [Chapter] { hasVorbisComments ? [] : details.chapters }

    /// Whether the container has tags for ReplayGain that players read; MP4 as libavformat writes it, and WAVE, have none.
    package var holdsReplayGain: Bool {
        hasVorbisComments || ["mp3", "aiff", "matroska", "wv", "tta", "asf"].contains(name)
    }

    /// Opus has a tag of its own, relative to −23 LUFS, in 256ths of a dB (RFC 7845, section 5.2.1).
    private func entries(of gain: ReplayGain) -> [(name: String, text: String)] {
        if name == "opus" {
            func units(_ gain: Double) -> String { "\(Int16(clamping: Int(saturating: ((gain - 5) * 256).rounded())))" }
            return [("R128_TRACK_GAIN", gain.trackGain), ("R128_ALBUM_GAIN", gain.albumGain)].compactMap { name, gain in
                gain.map { (name, units($0)) }
            }
        }
        guard holdsReplayGain else { return [] }
        let gains = [("REPLAYGAIN_TRACK_GAIN", gain.trackGain), ("REPLAYGAIN_ALBUM_GAIN", gain.albumGain)]
        let peaks = [("REPLAYGAIN_TRACK_PEAK", gain.trackPeak), ("REPLAYGAIN_ALBUM_PEAK", gain.albumPeak)]
        return gains.compactMap { name, gain in gain.map { (name, Self.decimal($0, 2) + " dB") } }
            + peaks.compactMap { name, peak in peak.map { (name, Self.decimal($0, 6)) } }
    }

    private static func decimal(_ number: Double, _ digits: Int) -> String {
        let unit = (0..<digits).reduce(1) { unit, _ in unit * 10 }
        let count = Int(saturating: (abs(number) * Double(unit)).rounded())
        return "\(number < 0 ? "-" : "")\(count / unit)." + String(count % unit, digits: digits)
    }

    /// The tags of a file: several values of one are several entries in Vorbis comments, and one text elsewhere.
    func metadata(of details: FileDetails) -> [(name: String, text: String)] {
        guard hasVorbisComments else {
            return details.copied.map { ($0.name, $0.values.joined(separator: "; ")) } + entries(of: details.replayGain)
        }
        var entries = details.copied.flatMap { tag in tag.values.map { (name: tag.name, text: $0) } }
        entries += self.entries(of: details.replayGain)
        entries += Self.comments(of: details.chapters)
        if coverPlace == .comment, let cover = details.cover, let block = Self.pictureBlock(cover) {
            entries.append((name: "METADATA_BLOCK_PICTURE", text: block))
        }
        return entries
    }

    /// Chapters as Vorbis comments (https://wiki.xiph.org/Chapter_Extension).
    private static func comments(of chapters: [Chapter]) -> [(name: String, text: String)] {
        chapters.enumerated().flatMap { index, chapter -> [(name: String, text: String)] in
            let name = "CHAPTER" + String(index + 1, digits: 3)
            let time = Int(saturating: (chapter.start.seconds * 1_000).rounded())
            let (minutes, rest) = (time / 60_000, time % 60_000)
            let clock =
                String(minutes / 60, digits: 2) + ":" + String(minutes % 60, digits: 2) + ":"
                + String(rest / 1_000, digits: 2) + "."
                + String(rest % 1_000, digits: 3)
            return [(name, clock)] + (chapter.title.map { [(name + "NAME", $0)] } ?? [])
        }
    }

    /// A picture as FLAC's block in Base64, which is how Vorbis comments hold it (RFC 9639, section 8.8).
    private static func pictureBlock(_ cover: MediaPicture) -> String? {
        guard let type = cover.mimeType else { return nil }
        var block: [UInt8] = []
        func append(_ number: Int) {
            unsafe withUnsafeBytes(of: UInt32(clamping: number).bigEndian) { unsafe block.append(contentsOf: $0) }
        }
        let frontCover = 3
        for number in [frontCover, type.utf8.count] { append(number) }
        block += Array(type.utf8)
        // No description; bits of a pixel and colours of a palette are unknown.
        for number in [0, cover.width, cover.height, 0, 0, cover.bytes.count] { append(number) }
        block += cover.bytes
        return String(decoding: Base64.encoded(block), as: UTF8.self)
    }
}
