/// A Vorbis comment header (Vorbis I, section 5), read comment by comment: unwanted ones are skipped.
enum VorbisCommentReader {
    /// More comments than a valid file has.
    private static let limit = 65_536
    /// Bytes of a comment that are read to detect its kind.
    private static let head = 1024

    /// Calls `show` for each comment in order.
    ///
    /// - Parameters:
    ///   - stream: Positioned at the vendor's length.
    ///   - identify: Turns a name into a key, and limits how many bytes of a long value are read; short values are always
    ///     read whole.
    ///   - show: Gets the key and the value.
    static func read<Name>(
        _ stream: inout CommentStream,
        _ window: inout ByteWindow,
        identify: (ArraySlice<UInt8>) -> (name: Name, limit: Int),
        show: (Name, ArraySlice<UInt8>) -> Void
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
            let (name, limit) = identify(start[..<equals])
            var rest = length - start.count
            if rest == 0 {
                show(name, start[(equals + 1)...])
                continue
            }
            // Reading further may move the buffer.
            var value = Array(start[(equals + 1)...])
            let wanted = min(rest, limit - value.count)
            if wanted > 0 {
                guard let more = stream.take(wanted, &window) else { return }
                value += more
                rest -= wanted
            }
            show(name, value[...])
            guard stream.skip(rest, &window) else { return }
        }
    }
}

extension HeaderReader {
    /// Reads the comments that the library keeps.
    mutating func readVorbisComments(_ stream: inout CommentStream, into file: inout ScannedFile) {
        VorbisCommentReader.read(&stream, &window) { name in
            let meaning = tags.meaning(of: name)
            return (meaning, Self.limit(of: meaning))
        } show: { meaning, value in
            tags.add(meaning, value, to: &file)
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
