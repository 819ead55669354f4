internal import AudioTypes
package import TimedText

extension TagReader {
    /// The lyrics in a file's tags: those with times before those without, then the first ones.
    ///
    /// Read are ID3v2's `SYLT` and `USLT`, Vorbis comments, APE items and `TXXX` frames named `LYRICS` and the like, and
    /// MP4's `©lyr`. Text may be LRC wherever it is. At most `Lyrics.byteLimit` bytes of each are read.
    package mutating func lyrics() -> Lyrics? {
        let all = everyLyrics()
        return all.first(where: \.isSynced) ?? all.first
    }

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
            if let lyrics = frame.lyrics(audio, &window) { found.append(lyrics) }
        }
        return found
    }

    private mutating func lyrics(in stream: inout CommentStream) -> [Lyrics] {
        var found: [Lyrics] = []
        VorbisCommentReader.read(&stream, &window) { name -> (name: Bool, limit: Int) in
            isLyricsName(name) ? (true, Lyrics.byteLimit) : (false, 0)
        } show: { isLyrics, value in
            if isLyrics, let lyrics = Lyrics(lrc: value) { found.append(lyrics) }
        }
        return found
    }

    private mutating func apeLyrics() -> [Lyrics] {
        var found: [Lyrics] = []
        TailTags(&window).ape?.visit(&window) { item, window in
            guard isLyricsName(item.name[...]) else { return }
            found += item.texts(atMost: Lyrics.byteLimit, &window).compactMap { Lyrics(lrc: $0) }
        }
        return found
    }

    private mutating func movieLyrics() -> [Lyrics] {
        guard window.has("ftyp", at: 4), let movie = MP4Boxes(0..<window.size).first("moov", &window),
            let user = MP4Boxes(movie).first("udta", &window), let meta = MP4Boxes(user).first("meta", &window),
            meta.count > 4,
            let list = MP4Boxes(meta.lowerBound + 4..<meta.upperBound).first("ilst", &window)
        else { return [] }
        var found: [Lyrics] = []
        MP4Boxes(list).visit(&window) { name, item, window in
            guard name == appleLyrics || name == fourCC("----") && isNamedLyrics(item, &window),
                let value = MP4Boxes(item).first("data", &window), value.count > 8
            else { return }
            let text = value.lowerBound + 8..<min(value.upperBound, value.lowerBound + 8 + Lyrics.byteLimit)
            guard window.load(text.lowerBound, text.count), let lyrics = Lyrics(lrc: window[text]) else { return }
            found.append(lyrics)
        }
        return found
    }
}

/// `©lyr`.
private let appleLyrics = 0xa9 << 24 | fourCC("lyr")

/// Whether a free-form item is named as one with lyrics.
private func isNamedLyrics(_ item: Range<Int>, _ window: inout ByteWindow) -> Bool {
    guard let name = MP4Boxes(item).first("name", &window), (5...24).contains(name.count),
        window.load(name.lowerBound, name.count)
    else { return false }
    return isLyricsName(window[name.lowerBound + 4..<name.upperBound])
}

/// Whether a comment or an item of this name has lyrics.
func isLyricsName(_ name: ArraySlice<UInt8>) -> Bool {
    guard name.count <= 20 else { return false }
    let letters = String(decoding: name, as: UTF8.self).lowercased().filter { $0 != " " && $0 != "_" }
    return ["lyrics", "unsyncedlyrics", "syncedlyrics", "unsynchronisedlyrics", "synchronisedlyrics"].contains(letters)
}
