/// A Vorbis comment header (Vorbis I, section 5), read comment by comment: what is large is passed over.
enum VorbisCommentReader {
    /// More than any file has that is as it should be.
    private static let limit = 65_536
    /// What is looked at of a comment before it is known what it is, in bytes.
    private static let head = 1024

    /// - Parameter stream: From the vendor's length on.
    static func read(
        _ stream: inout CommentStream,
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        into file: inout ScannedFile
    ) {
        guard let vendor = stream.number(&window), stream.skip(vendor, &window), let count = stream.number(&window)
        else { return }
        for _ in 0..<min(count, limit) {
            guard let length = stream.number(&window), let start = stream.take(min(length, head), &window) else {
                return
            }
            guard let equals = start.firstIndex(of: UInt8(ascii: "=")), equals > start.startIndex else {
                guard stream.skip(length - start.count, &window) else { return }
                continue
            }
            let meaning = tags.meaning(of: start[..<equals])
            var rest = length - start.count
            if rest == 0 {
                tags.add(meaning, start[(equals + 1)...], to: &file)
                continue
            }
            // Reading on may move what was read.
            var value = Array(start[(equals + 1)...])
            let wanted = min(rest, Self.limit(of: meaning) - value.count)
            if wanted > 0 {
                guard let more = stream.take(wanted, &window) else { return }
                value += more
                rest -= wanted
            }
            tags.add(meaning, value[...], to: &file)
            guard stream.skip(rest, &window) else { return }
        }
    }

    private static func limit(of meaning: TagMeaning) -> Int {
        switch meaning {
        case .tag, .substitute: TagCollector.valueLimit + 4
        case .cueSheet: TagCollector.cueSheetLimit
        case .gain, .picture, .chapter, .other: 0
        }
    }
}
