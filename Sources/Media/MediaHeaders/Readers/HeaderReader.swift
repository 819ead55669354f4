internal import AudioTypes
package import Charsets
internal import Songs

/// Reads the headers of media files, one file after another; each thread has its own reader.
///
/// Only common formats are read here: FLAC, MP3, Ogg with one stream of Vorbis, Opus or FLAC, MP4 with one plain track,
/// WAV, AIFF, and pictures. Other or unusual files are left to libavformat, which knows everything and is slow.
package struct HeaderReader: ~Copyable {
    var window = ByteWindow()
    var tags = TagCollector()

    package init() {}

    /// The system's error number if the last file could not be read as far as necessary; else 0.
    package var failure: Int32 { window.failure }

    package enum Result: Sendable, Hashable {
        /// All metadata was read.
        case complete
        /// All except the chapters, which the file has.
        case lacksChapters
        /// The format is not a common one; only reliable metadata was set, such as common tags.
        case unknown
    }

    /// Reads an open file, which stays open.
    ///
    /// - Parameters:
    ///   - file: Has the size; receives the metadata.
    ///   - texts: Reads those that declare no encoding.
    package mutating func read(
        _ descriptor: Int32,
        into file: inout ScannedFile,
        texts: UndeclaredText = UndeclaredText()
    ) -> Result {
        window.begin(descriptor, size: file.size)
        return read(into: &file, texts)
    }

    mutating func read(
        _ access: any ByteAccess,
        into file: inout ScannedFile,
        texts: UndeclaredText = UndeclaredText()
    ) -> Result {
        window.begin(access)
        return read(into: &file, texts)
    }

    /// Reads a file in memory.
    package mutating func read(
        _ bytes: [UInt8],
        into file: inout ScannedFile,
        texts: UndeclaredText = UndeclaredText()
    ) -> Result {
        window.begin(bytes)
        return read(into: &file, texts)
    }

    /// Reads a second time where the first one has shown that texts are in another character set.
    private mutating func read(into file: inout ScannedFile, _ texts: UndeclaredText) -> Result {
        let kind = file.kind
        window.text = texts
        let result = read(into: &file)
        if window.text.judge() {
            file = ScannedFile(uri: file.uri, size: file.size, modified: file.modified, inode: file.inode)
            file.kind = kind
            window.rewind()
            return read(into: &file)
        }
        if !window.text.sample.isEmpty, window.text.charset == .windows1252 { file.undeclaredText = window.text.sample }
        return result
    }

    private mutating func read(into file: inout ScannedFile) -> Result {
        tags.begin()
        let blank = file
        let isKnown = readKnown(into: &file)
        // A duration of centuries is as invalid as a negative one.
        if let duration = file.duration, !(0...MediaTime.limit).contains(duration) { file.duration = nil }
        tags.fillIn(&file)
        guard isKnown else {
            let found = file
            file = blank
            if tags.isWhole, !window.isExhausted {
                (file.tags, file.cueSheet, file.cover) = (found.tags, found.cueSheet, found.cover)
                file.replayGain = tags.replayGain
            }
            file.portableID = found.portableID ?? plainIdentity()
            // A film's own properties, which no other reader provides.
            (file.width, file.height) = (found.width, found.height)
            (file.orientation, file.captured) = (found.orientation, found.captured)
            return .unknown
        }
        file.replayGain = tags.replayGain
        return tags.hasChapters ? .lacksChapters : .complete
    }

    /// The identity for a format whose audio is contiguous between common tags.
    private mutating func plainIdentity() -> String? {
        var start = 0
        if let header = ID3v2Header(at: 0, &window) { start = header.end }
        guard let magic = window.bigEndian(start, 4) else { return nil }
        let names = [fourCC("wvpk"), fourCC("MAC "), fourCC("MPCK"), fourCC("TTA1"), fourCC("OFR "), fourCC("tBaK")]
        // The last two are Musepack's older version, and MPEG audio of all kinds.
        guard names.contains(magic) || magic >> 8 == fourCC("MP+") || magic >> 21 == 0x7ff else { return nil }
        let end = TailTags(&window).audioEnd
        var id = PortableID("plain")
        guard start < end, id.combine(payload: start..<end, &window) else { return nil }
        return id.text
    }

    private mutating func readKnown(into file: inout ScannedFile) -> Bool {
        guard window.load(0, min(16, window.size)), window.size >= 16 else { return false }
        if file.kind == .image { return readPicture(into: &file) }
        switch window.bigEndian(0, 4) {
        case fourCC("fLaC"): return readFLAC(at: 0, into: &file)
        case fourCC("OggS"): return readOgg(into: &file)
        case fourCC("RIFF"):
            return window.has("WEBP", at: 8) ? readPicture(into: &file) : readWave(into: &file)
        case fourCC("RF64"), fourCC("BW64"): return readWave(into: &file)
        case fourCC("FORM"): return readAIFF(into: &file)
        case 0x8950_4e47: return readPicture(into: &file)
        case 0x3026_b275:
            readASF(into: &file)
            return false
        default: break
        }
        if window[0] == 0xff, window[1] == 0xd8, window[2] == 0xff { return readPicture(into: &file) }
        if window.has("ID3", at: 0) { return readBehindID3(into: &file) }
        switch window.bigEndian(4, 4) {
        case fourCC("ftyp"), fourCC("moov"), fourCC("mdat"), fourCC("free"), fourCC("skip"), fourCC("wide"):
            return readMP4(into: &file)
        default: return readMPEG(at: 0, into: &file)
        }
    }

    /// Reads what follows an ID3v2 tag: MPEG audio, or FLAC, which has tags of its own.
    private mutating func readBehindID3(into file: inout ScannedFile) -> Bool {
        guard let header = ID3v2Header(at: 0, &window), readID3v2(header, into: &file) else { return false }
        let place = window.endOfID3v2(at: 0)
        if window.has("fLaC", at: place) {
            tags.begin()
            file.tags = []
            file.cover = .none
            file.cueSheet = nil
            return readFLAC(at: place, into: &file)
        }
        tags.recordEnd()
        return readMPEG(at: place, into: &file)
    }
}

/// Four letters as a big-endian number.
func fourCC(_ name: StaticString) -> Int {
    name.withUTF8Buffer { letters in unsafe letters.reduce(0) { $0 << 8 | Int($1) } }
}
