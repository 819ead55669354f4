internal import Charsets
internal import Songs

/// The tags at a file's end: ID3v1, Lyrics3 and APE.
struct TailTags {
    /// The end of the audio, before all tags.
    private(set) var audioEnd: Int
    private var id3v1: Int?
    private(set) var ape: APETag?

    /// - Parameter end: The offset that the last tag ends at; `nil` for the file's end.
    init(_ window: inout ByteWindow, endingAt end: Int? = nil) {
        audioEnd = end ?? window.size
        // The usual tags at once, with the end of the audio.
        _ = window.load(max(0, audioEnd - 2048), min(2048, audioEnd))
        // In any order, though each should occur once.
        for _ in 0..<4 {
            if id3v1 == nil, window.has("TAG", at: audioEnd - 128) {
                audioEnd -= 128
                id3v1 = audioEnd
            } else if let tag = APETag(endingAt: audioEnd, &window) {
                ape = ape ?? tag
                audioEnd = tag.start
            } else if window.has("LYRICS200", at: audioEnd - 9), window.load(audioEnd - 15, 6) {
                let digits = window[audioEnd - 15..<audioEnd - 9]
                guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
                let size = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } + 15
                guard size <= audioEnd else { return }
                audioEnd -= size
            } else {
                return
            }
        }
    }

    /// Reads APE's items, else ID3v1.
    ///
    /// - Parameter isOnlyGain: Whether the file has better tags; then only the loudness is read, which mp3gain writes
    ///   here.
    func read(
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        isOnlyGain: Bool,
        into file: inout ScannedFile
    ) {
        ape?.read(&window, &tags, isOnlyGain: isOnlyGain, into: &file)
        tags.fillIn(&file)
        guard !isOnlyGain, file.tags.isEmpty, let id3v1 else { return }
        readID3v1(at: id3v1, &window, &tags, into: &file)
    }

    private func readID3v1(
        at place: Int,
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        into file: inout ScannedFile
    ) {
        guard window.load(place, 128) else { return }
        let bytes = Array(window[place..<place + 128])
        func add(_ tag: TagType, _ range: Range<Int>) {
            tags.add(tag, window.text.utf8(bytes[range].prefix { $0 != 0 }), to: &file)
        }
        add(.title, 3..<33)
        add(.artist, 33..<63)
        add(.album, 63..<93)
        add(.date, 93..<97)
        // Version 1.1 stores a track's number at the comment's end.
        let hasTrack = bytes[125] == 0 && bytes[126] != 0
        add(.comment, 97..<(hasTrack ? 125 : 127))
        if hasTrack { file.tags.append((.track, String(bytes[126]))) }
        if let genre = ID3Genres.name(Int(bytes[127])) { tags.add(.genre, genre, to: &file) }
    }
}

extension APETag {
    fileprivate func read(
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        isOnlyGain: Bool,
        into file: inout ScannedFile
    ) {
        visit(&window) { item, window in
            let meaning = tags.meaning(of: item.name[...])
            if meaning == .picture, !isOnlyGain || file.cover == .none { file.cover = .embedded }
            guard isWanted(meaning, isOnlyGain) else { return }
            let limit = meaning == .cueSheet ? TagCollector.cueSheetLimit : 8 * TagCollector.valueLimit
            for text in item.texts(atMost: limit, &window) { tags.add(meaning, text, to: &file) }
        }
    }

    private func isWanted(_ meaning: TagMeaning, _ isOnlyGain: Bool) -> Bool {
        switch meaning {
        case .other, .picture: false
        case .gain: true
        case .tag, .substitute, .cueSheet, .chapter: !isOnlyGain
        }
    }
}
