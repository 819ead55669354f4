package import AudioTypes
package import Charsets
package import Songs

/// Reads only the tags of a file, as they are stored, including values that the library does not keep.
package struct TagReader: ~Copyable {
    var window = ByteWindow()

    /// The largest valid tag in bytes, with pictures; larger ones are damaged.
    static let tagLimit = 32 * 1_048_576
    /// The limit in bytes on what is read of a file: a tag, parts of it twice.
    private static let readLimit = 2 * tagLimit

    /// - Parameters:
    ///   - descriptor: Of an open file; the caller closes it.
    ///   - size: In bytes.
    ///   - charset: Of texts that declare none; `nil` to judge by them.
    package init(_ descriptor: Int32, size: Int, charset: Charset? = nil) {
        window.text = UndeclaredText(in: charset)
        window.begin(descriptor, size: size, head: 4096, limit: Self.readLimit)
    }

    /// Reads a file that is in memory.
    package init(_ bytes: [UInt8]) { window.begin(bytes, limit: Self.readLimit) }

    /// Reads a second time where the first one has shown that texts are in another character set.
    private mutating func judging<Result>(_ read: (inout Self) -> Result) -> Result {
        let result = read(&self)
        guard window.text.judge() else { return result }
        window.rewind()
        return read(&self)
    }

    // MARK: - Names and values

    /// Names and values of Vorbis comments (FLAC, Ogg), ID3v2 `TXXX` frames and APE items, in order.
    ///
    /// - Parameter ofID3: Whether ID3v2 tags are included.
    /// - Returns: `nil` when the file has none of these formats.
    package mutating func comments(ofID3: Bool) -> [(String, String)]? {
        let tag = ID3v2Header(at: 0, &window)
        let start = window.endOfID3v2(at: 0)
        if window.has("fLaC", at: start) {
            guard var stream = flacComments(at: start) else { return [] }
            return comments(&stream)
        }
        if let tag, ofID3 { return judging { $0.comments(tag) } }
        if var stream = oggComments() { return comments(&stream) }
        return apeComments()
    }

    /// The library's tags among names and values from any source.
    package static func libraryTags(_ comments: [(String, String)]) -> [(TagType, String)] {
        var tags = TagCollector()
        var file = ScannedFile(uri: "", size: 0, modified: 0, inode: 0)
        for (name, value) in comments {
            switch tags.meaning(of: Array(name.utf8)[...]) {
            case .tag(let tag): tags.add(tag, Array(value.utf8)[...], to: &file)
            case .substitute(let tag): tags.add(.substitute(tag), Array(value.utf8)[...], to: &file)
            case .gain, .cueSheet, .picture, .chapter, .other: break
            }
        }
        tags.fillIn(&file)
        return file.tags
    }

    private mutating func comments(_ tag: ID3v2Header) -> [(String, String)] {
        var comments: [(String, String)] = []
        _ = tag.visit(&window, unsynchronisedLimit: Self.tagLimit) { frame, window in
            guard let (name, values) = frame.namedValues(&window) else { return }
            for value in values { comments.append((text(name), text(value))) }
        }
        return comments
    }

    /// The comments of a FLAC stream.
    mutating func flacComments(at start: Int) -> CommentStream? {
        var blocks = FLACBlocks(at: start)
        while let block = blocks.next(&window) {
            if block.kind == .comments { return CommentStream(block.content) }
        }
        return nil
    }

    /// The comments of the first stream of an Ogg file.
    mutating func oggComments() -> CommentStream? {
        // The first pages of all streams come before any other page.
        var place = 0
        while let page = OggPages.Page(at: place, &window), page.isFirst {
            place = page.body.upperBound
            guard let codec = OggCodec(page, &window), var pages = OggPages(at: page.start, &window) else { continue }
            while pages.nextPart(&window) != nil {}
            var stream = CommentStream(packetOf: pages)
            return codec.skipToComments(&stream, &window) ? stream : nil
        }
        return nil
    }

    private mutating func comments(_ stream: inout CommentStream) -> [(String, String)] {
        var comments: [(String, String)] = []
        VorbisCommentReader.read(&stream, &window) { bytes -> (String?, limit: Int) in
            let name = text(bytes)
            // A picture encoded as text is not a comment; it is read as a picture.
            let isPicture = ["METADATA_BLOCK_PICTURE", "COVERART"].contains(name.uppercased())
            return isPicture ? (nil, 0) : (name, .max)
        } show: { name, value in
            if let name { comments.append((name, text(value))) }
        }
        return comments
    }

    private mutating func apeComments() -> [(String, String)]? {
        guard let tag = TailTags(&window).ape else { return nil }
        var comments: [(String, String)] = []
        tag.visit(&window) { item, window in
            for value in item.texts(&window) { comments.append((text(item.name[...]), text(value))) }
        }
        return comments
    }

    // MARK: - Pictures and volumes

    /// The front cover in an ID3v2 tag, or else the first picture, whatever MIME type the tag declares.
    package mutating func id3v2Picture() -> ID3v2Picture? {
        var found: ID3v2Picture?
        _ = ID3v2Header(at: 0, &window)?.visit(&window, unsynchronisedLimit: Self.tagLimit) { frame, window in
            guard found?.isFront != true, let picture = ID3v2Picture(frame, &window),
                found == nil || picture.isFront
            else { return }
            found = picture
        }
        return found
    }

    /// The picture of the first chapter that has one, in an ID3v2 tag (id3.org: ID3v2 Chapter Frame Addendum).
    package mutating func id3v2ChapterPicture() -> ID3v2Picture? {
        guard let header = ID3v2Header(at: 0, &window) else { return nil }
        var found: ID3v2Picture?
        var count = 0
        _ = header.visit(&window, unsynchronisedLimit: Self.tagLimit) { frame, window in
            guard found == nil, count < Self.chapterLimit, frame.id == fourCC("CHAP"),
                let content = frame.bytes(&window)
            else { return }
            count += 1
            // The chapter's name, and four numbers; then frames as in a tag.
            guard let name = content.firstIndex(of: 0), content.endIndex - name > 17 else { return }
            var inner = TagReader(header.tag(of: content[(name + 17)...]))
            found = inner.id3v2Picture()
        }
        return found
    }

    /// The chapters in an ID3v2 tag, as they are stored (id3.org: ID3v2 Chapter Frame Addendum); without a title those that have
    /// none, of which libavformat gives the element's name.
    package mutating func id3v2Chapters() -> [Chapter] {
        guard let header = ID3v2Header(at: 0, &window) else { return [] }
        return judging { $0.chapters(header) }
    }

    private mutating func chapters(_ header: ID3v2Header) -> [Chapter] {
        var chapters: [Chapter] = []
        _ = header.visit(&window, unsynchronisedLimit: Self.tagLimit) { frame, window in
            guard frame.id == fourCC("CHAP"), chapters.count < Self.mostChapters,
                let content = frame.bytes(atMost: 1_048_576, &window), let name = content.firstIndex(of: 0),
                content.endIndex - name > 16
            else { return }
            func time(_ place: Int) -> MediaTime {
                let milliseconds = content[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
                return MediaTime(seconds: Double(milliseconds) / 1_000)
            }
            let (start, end) = (time(name + 1), time(name + 5))
            var inner = TagReader(header.tag(of: content[(name + 17)...]))
            inner.window.text = window.text
            chapters.append(Chapter(title: inner.id3v2Title(), start: start, end: end))
            window.text = inner.window.text
        }
        return chapters
    }

    private mutating func id3v2Title() -> String? {
        var title: String?
        _ = ID3v2Header(at: 0, &window)?.visit(&window) { frame, window in
            guard title == nil, frame.id == fourCC("TIT2"), let bytes = frame.bytes(atMost: 4_096, &window) else {
                return
            }
            title = ID3Text.values(bytes, &window.text).first { !$0.isEmpty }.map(text)
        }
        return title
    }

    /// More than any book has.
    private static let mostChapters = 10_000

    /// Chapters that are looked at for a picture.
    private static let chapterLimit = 100

    /// The texts of a tag between the packets of a stream, by FFmpeg's names, with the picture.
    ///
    /// - Parameter limit: In bytes; larger pictures are left out.
    package mutating func streamTags(pictureAtMost limit: Int) -> Tags {
        var tags = Tags()
        _ = ID3v2Header(at: 0, &window)?.visit(&window, unsynchronisedLimit: Self.tagLimit) { frame, window in
            guard let name = Self.streamNames[frame.id], let bytes = frame.bytes(atMost: 4_096, &window) else { return }
            for value in ID3Text.values(bytes, &window.text) where !value.isEmpty { tags.append(text(value), to: name) }
        }
        tags.picture = id3v2Picture().flatMap { (1...limit).contains($0.bytes.count) ? $0.bytes : nil }
        return tags
    }

    private static let streamNames = [
        fourCC("TIT2"): "title", fourCC("TPE1"): "artist", fourCC("TALB"): "album", fourCC("TT2"): "title",
        fourCC("TP1"): "artist", fourCC("TAL"): "album",
    ]

    /// The loudness corrections in an APE tag at the file's end, where mp3gain and others write them.
    package mutating func tailGain() -> ReplayGain {
        var tags = TagCollector()
        var file = ScannedFile(uri: "", size: 0, modified: 0, inode: 0)
        TailTags(&window).read(&window, &tags, isOnlyGain: true, into: &file)
        return tags.replayGain
    }

    /// The loudness corrections in the `RVA2` frames of an ID3v2 tag.
    package mutating func id3v2Volumes() -> ReplayGain {
        var volumes = ReplayGain()
        _ = ID3v2Header(at: 0, &window)?.visit(&window) { frame, window in
            if let volume = frame.volume(&window) { volumes.fillIn(volume) }
        }
        return volumes
    }
}

extension ID3v2Frame {
    /// The loudness correction in an `RVA2` frame; `nil` for other frames.
    func volume(_ window: inout ByteWindow) -> ReplayGain? {
        guard id == fourCC("RVA2"), let bytes = bytes(atMost: 256, &window) else { return nil }
        return ReplayGain(volumeFrame: bytes)
    }
}

private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
