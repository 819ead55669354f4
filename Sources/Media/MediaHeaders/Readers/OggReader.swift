/// Ogg with one stream of Vorbis, Opus or FLAC (RFC 3533, 5334, 7845; Vorbis I; the FLAC mapping).
extension HeaderReader {
    mutating func readOgg(into file: inout ScannedFile) -> Bool {
        guard var pages = OggPages(at: 0, &window), pages.page.isFirst,
            let stream = OggStream(pages.page, &window, &file)
        else { return false }
        guard pages.turn(&window), !pages.page.isFirst,
            // A page of another stream: video, or several at once.
            pages.page.start == window.pageEnd(0)
        else { return false }
        guard let audio = readComments(stream, pages, into: &file) else { return false }
        let isPlain = stream.isPlain && hasWholeHeaders(before: audio.page.start)
        guard let start = stream.startGranule(audio.page, &window), let last = lastPage(serial: pages.serial),
            let end = last.granule, end - start - stream.delay >= 0
        else { return false }
        file.duration = Double(end - start - stream.delay) / Double(stream.rate)
        file.setBitRate(ofBytes: window.size - audio.page.start)
        guard identify(stream, audio, last, samples: end - start, into: &file) else { return false }
        return !mayBeJoined(last) && isPlain
    }

    /// Bytes of a file in which pages' checksums are compared: those that are read at once, for a picture may follow.
    private static let checkedBytes = ByteWindow.usualHead

    /// Whether the pages before the audio have their checksums: libavformat passes over others, and may then not open the
    /// file.
    private mutating func hasWholeHeaders(before audio: Int) -> Bool {
        var place = 0
        while place < audio, let page = OggPages.Page(at: place, &window), page.body.upperBound <= Self.checkedBytes {
            guard page.hasChecksum(&window) else { return false }
            place = page.body.upperBound
        }
        return true
    }

    /// Whether the page in the middle has not the number and the size that it has in one stream: a file may be joined to itself,
    /// with the same stream's number again.
    private mutating func mayBeJoined(_ last: OggPages.Page) -> Bool {
        let middle = last.start / 2
        guard let page = window.page(from: middle, within: 8_192) ?? window.page(from: middle, within: 65_536) else {
            return true
        }
        let pages = Double(last.sequence) + 1
        let share = Double(page.sequence) / pages
        let meanSize = Double(window.size) / pages
        let size = Double(page.body.upperBound - page.start)
        // In a few pages, numbers say little of the bytes.
        let tolerance = 0.3 + 1.5 / pages
        return page.isFirst && page.start > 0 || abs(share - 0.5) > tolerance || pages > 4 && meanSize > 2.2 * size
    }

    /// - Returns: The pages, at the first one with audio.
    private mutating func readComments(
        _ stream: OggStream,
        _ pages: OggPages,
        into file: inout ScannedFile
    ) -> OggPages? {
        var comments = CommentStream(packetOf: pages)
        guard stream.codec.skipToComments(&comments, &window) else { return nil }
        readVorbisComments(&comments, into: &file)
        guard var pages = comments.finish(&window), !pages.isBroken else { return nil }
        tags.recordEnd()
        for _ in 0..<min(stream.furtherHeaders, 256) {
            if stream.codec == .flac, let first = pages.peek(&window),
                FLACBlocks.Kind(rawValue: first & 0x7f) == .picture
            {
                file.cover = .embedded
            }
            while pages.nextPart(&window) != nil {}
            guard !pages.isBroken else { return nil }
        }
        // Audio starts on a new page.
        guard pages.isAtPageEnd, pages.turn(&window) else { return nil }
        return pages
    }

    /// The last page of the stream on which a packet ends.
    private mutating func lastPage(serial: UInt32) -> OggPages.Page? {
        // The longest page has 27 + 255 + 255 × 255 bytes.
        for reach in [8192, 66_000, 140_000] {
            let start = max(0, window.size - reach)
            guard window.load(start, window.size - start) else { return nil }
            var end = window.size
            while let place = window.lastPlace(of: "OggS", in: start..<end) {
                if let page = OggPages.Page(at: place, &window) {
                    // A page of another stream: several were chained.
                    guard page.serial == serial else { return nil }
                    if page.granule != nil { return page.body.upperBound == window.size ? page : nil }
                }
                end = place + 3
                guard window.load(start, end - start) else { return nil }
            }
            if start == 0 { break }
        }
        return nil
    }

    /// Sets the identity: the first packets, the end of the last ones, and the number of samples.
    ///
    /// The file's own bytes are unsuitable, because editing tags changes the pages' numbers and checksums, or rewrites
    /// all pages.
    private mutating func identify(
        _ stream: OggStream,
        _ audio: OggPages,
        _ last: OggPages.Page,
        samples: Int,
        into file: inout ScannedFile
    ) -> Bool {
        if let info = stream.flac, info.hasDigest {
            var id = PortableID("flac")
            info.identify(&id)
            file.portableID = id.text
            return true
        }
        var id = PortableID(stream.codec.name)
        for number in [stream.rate, stream.channels, samples] { id.combine(number) }
        var body = last.body
        var pieces: [[UInt8]] = []
        var wanted = PortableID.piece / 2
        var place = last.start
        let reach = max(audio.page.start, last.start - 66_000)
        while true {
            let part = max(body.lowerBound, body.upperBound - wanted)..<body.upperBound
            guard window.load(part.lowerBound, part.count) else { return false }
            pieces.append(Array(window[part]))
            wanted -= part.count
            guard wanted > 0, place > audio.page.start else { break }
            guard window.load(reach, place - reach), let before = window.lastPlace(of: "OggS", in: reach..<place),
                let page = OggPages.Page(at: before, &window), page.body.upperBound == place
            else { return false }
            (body, place) = (page.body, before)
        }
        for piece in pieces.reversed() { id.combine(piece[...]) }
        var pages = audio
        wanted = PortableID.piece
        while wanted > 0 {
            guard let part = pages.nextPart(&window) else {
                if pages.isBroken { break }
                continue
            }
            let count = min(wanted, part.count)
            guard window.load(part.lowerBound, count) else { return false }
            id.combine(window[part.lowerBound..<part.lowerBound + count])
            wanted -= count
        }
        file.portableID = id.text
        return true
    }
}

extension ByteWindow {
    /// The first page that begins within so many bytes.
    fileprivate mutating func page(from start: Int, within reach: Int) -> OggPages.Page? {
        let end = min(size, start + reach)
        guard load(start, end - start), let place = firstPlace(of: "OggS", in: start..<end) else { return nil }
        return OggPages.Page(at: place, &self)
    }

    /// The end of the page at a position; `nil` when there is none.
    fileprivate mutating func pageEnd(_ place: Int) -> Int? { OggPages.Page(at: place, &self)?.body.upperBound }
}
