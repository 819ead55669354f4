internal import AudioTypes
package import TimedText

extension TagReader {
    /// The lyrics in a file's tags: those with times before those without, then the first ones.
    ///
    /// Read are ID3v2's `SYLT` and `USLT`, Vorbis comments, APE items and `TXXX` frames named `LYRICS` and the like, and
    /// MP4's `©lyr`. Text may be LRC wherever it is. At most `Lyrics.byteLimit` bytes of each are read.
    ///
    /// Of many in one file the first ones are read.
    package mutating func lyrics() -> Lyrics? {
        let all = everyLyrics()
        return all.first(where: \.isSynced) ?? all.first
    }

    /// Files have them in a few languages at most.
    private static let lyricsLimit = 16

    private mutating func everyLyrics() -> [Lyrics] {
        let tag = ID3v2Header(at: 0, &window)
        let start = window.endOfID3v2(at: 0)
        if window.has("fLaC", at: start) {
            guard var stream = flacComments(at: start) else { return [] }
            return lyrics(in: &stream)
        }
        let ofID3 = tag.map { lyrics(in: $0, audioAt: start) } ?? []
        if !ofID3.isEmpty { return ofID3 }
        if var stream = oggComments() { return lyrics(in: &stream) }
        let ofMovie = movieLyrics()
        return ofMovie.isEmpty ? apeLyrics() : ofMovie
    }

    private mutating func lyrics(in tag: ID3v2Header, audioAt place: Int) -> [Lyrics] {
        let audio = window.bigEndian(place, 4).flatMap { MPEGAudioHeader(bits: UInt32($0)) }
        var found: [Lyrics] = []
        _ = tag.visit(&window, unsynchronisedLimit: Self.tagLimit) { frame, window in
            if found.count < Self.lyricsLimit, let lyrics = frame.lyrics(audio, &window) { found.append(lyrics) }
        }
        return found
    }

    private mutating func lyrics(in stream: inout CommentStream) -> [Lyrics] {
        var found: [Lyrics] = []
        VorbisCommentReader.read(&stream, &window) { bytes -> (name: LyricsName?, limit: Int) in
            let name = LyricsName(bytes)
            return (name, name == nil ? 0 : Lyrics.byteLimit)
        } show: { name, value in
            guard let name, found.count < Self.lyricsLimit, let lyrics = name.lyrics(value) else { return }
            found.append(lyrics)
        }
        return found
    }

    private mutating func apeLyrics() -> [Lyrics] {
        var found: [Lyrics] = []
        TailTags(&window).ape?.visit(&window) { item, window in
            guard found.count < Self.lyricsLimit, let name = LyricsName(item.name[...]),
                let text = item.texts(atMost: Lyrics.byteLimit, &window).first, let lyrics = name.lyrics(text)
            else { return }
            found.append(lyrics)
        }
        return found
    }

    private mutating func movieLyrics() -> [Lyrics] {
        guard window.has("ftyp", at: 4), let movie = MP4Boxes(0..<window.size).first("moov", &window),
            let user = MP4Boxes(movie).first("udta", &window), let meta = MP4Boxes(user).first("meta", &window),
            let list = MP4Boxes(meta: meta, &window).first("ilst", &window)
        else { return [] }
        var found: [Lyrics] = []
        MP4Boxes(list).visit(&window) { name, item, window in
            guard found.count < Self.lyricsLimit,
                let name = name == fourCC("----") ? lyricsName(of: item, &window) : LyricsName(apple: name),
                let value = MP4Boxes(item).first("data", &window), value.count > 8
            else { return }
            let text = value.lowerBound + 8..<min(value.upperBound, value.lowerBound + 8 + Lyrics.byteLimit)
            guard window.load(text.lowerBound, text.count), let lyrics = name.lyrics(window[text]) else { return }
            found.append(lyrics)
        }
        return found
    }
}

/// The name of a free-form item with lyrics.
private func lyricsName(of item: Range<Int>, _ window: inout ByteWindow) -> LyricsName? {
    guard let name = MP4Boxes(item).first("name", &window), (5...24).contains(name.count),
        window.load(name.lowerBound, name.count)
    else { return nil }
    return LyricsName(window[name.lowerBound + 4..<name.upperBound])
}

/// The name of a comment or an item with lyrics.
struct LyricsName {
    /// The language that FFmpeg puts behind the name, as in `lyrics-eng`.
    private var language: String?

    /// `nil` for other names.
    init?(_ name: ArraySlice<UInt8>) {
        guard name.count <= 20 else { return nil }
        let words = String(decoding: name, as: UTF8.self).lowercased().split(separator: "-", maxSplits: 1)
        guard let word = words.first?.filter({ $0 != " " && $0 != "_" }), Self.words.contains(word) else { return nil }
        language = words.count > 1 ? String(words[1]) : nil
    }

    /// `©lyr`.
    init?(apple name: Int) { if name != 0xa9 << 24 | fourCC("lyr") { return nil } }

    /// `uslt` is what FFmpeg makes of lyrics that it writes into MP3 files.
    private static let words: Set = [
        "lyrics", "unsyncedlyrics", "syncedlyrics", "unsynchronisedlyrics", "synchronisedlyrics", "uslt",
    ]

    func lyrics(_ text: ArraySlice<UInt8>) -> Lyrics? { Lyrics(lrc: text, language: language) }
}
