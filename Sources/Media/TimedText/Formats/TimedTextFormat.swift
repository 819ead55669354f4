package import Charsets
private import Playlists

/// The formats of files with subtitles or lyrics.
package enum TimedTextFormat: String, Sendable, Hashable, CaseIterable {
    case subRip = "srt"
    case webVTT = "vtt"
    case ass
    case ssa
    case lrc

    /// The bytes that are read of a file; ASS files with fonts in them are the largest.
    package static let byteLimit = 16 * 1_048_576

    /// By a file name's extension, in any letter case.
    package init?(fileName: String) {
        guard let dot = fileName.lastIndex(of: ".") else { return nil }
        self.init(rawValue: fileName[fileName.index(after: dot)...].lowercased())
    }

    /// Reads a file's text, in UTF-8, UTF-16 or another character set.
    ///
    /// Damaged parts are left out. The track is empty when nothing could be read.
    ///
    /// - Parameter charset: Of lines that are not UTF-8; `nil` to judge by them.
    package func read(_ bytes: [UInt8], charset: Charset? = nil) -> TextTrack {
        let lines = SourceText(decoding: Array(bytes.prefix(Self.byteLimit)), charset: charset).lines
        switch self {
        case .subRip: return TextTrack(SubRip.cues(lines))
        case .webVTT: return TextTrack(WebVTT.cues(lines))
        case .ass, .ssa: return TextTrack(ASS.cues(lines))
        case .lrc: return Lyrics(lrc: bytes, charset: charset)?.track ?? TextTrack([])
        }
    }
}
