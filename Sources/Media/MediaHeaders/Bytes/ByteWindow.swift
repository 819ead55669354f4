internal import Charsets
private import Glibc

/// A file's bytes, read in pieces on demand.
///
/// Offsets are the file's. The amount read of one file is limited, so that nothing in a file can make the reader read,
/// or store, more than that.
struct ByteWindow: ~Copyable {
    /// In bytes.
    private(set) var size = 0
    /// Whether the limit was reached; all requests since were refused.
    private(set) var isExhausted = false
    /// Reads the texts in it whose encoding nothing declares.
    var text = UndeclaredText()
    /// The system's error number of a failed read; else 0.
    private(set) var failure: Int32 = 0
    private var source = Source.none
    private var buffer: [UInt8]
    /// The part of the file in the buffer.
    private var held = 0..<0
    /// The limit in bytes on what is read of the file; a piece read twice counts twice.
    private(set) var limit = usualLimit
    private var budget = 0

    private enum Source {
        case none
        case file(Int32)
        case access(any ByteAccess)
        case memory([UInt8])
    }

    /// More bytes than a valid file ever needs, without its pictures.
    static let usualLimit = 16 * 1_048_576
    /// How many bytes of a file's start are read at once.
    static let usualHead = 16_384
    /// The smallest read in bytes, which also counts against the limit.
    private static let piece = 4096

    init() { buffer = [UInt8](repeating: 0, count: 65_536) }

    /// Starts with another file, which the caller closes.
    ///
    /// - Parameters:
    ///   - head: How many bytes of its start are read at once.
    ///   - limit: In bytes, on what is read of it.
    mutating func begin(_ descriptor: Int32, size: Int, head: Int = usualHead, limit: Int = usualLimit) {
        begin(.file(descriptor), size, limit)
        _ = load(0, min(head, size))
    }

    /// Starts with another medium.
    mutating func begin(_ access: any ByteAccess, limit: Int = usualLimit) {
        begin(.access(access), access.size, limit)
    }

    mutating func begin(_ bytes: [UInt8], limit: Int = usualLimit) { begin(.memory(bytes), bytes.count, limit) }

    private mutating func begin(_ source: Source, _ size: Int, _ limit: Int) {
        self.source = source
        self.size = size
        self.limit = limit
        held = 0..<0
        budget = limit
        isExhausted = false
        failure = 0
        if buffer.count > 1_048_576 { buffer = [UInt8](repeating: 0, count: 65_536) }
    }

    /// Allows as much to be read again as from the start.
    mutating func rewind() {
        budget = limit
        isExhausted = false
    }

    /// Makes bytes available; false if the file ends before.
    mutating func load(_ offset: Int, _ count: Int) -> Bool {
        if offset >= held.lowerBound, count >= 0, offset <= held.upperBound, count <= held.upperBound - offset {
            return true
        }
        return fill(offset, count)
    }

    private mutating func fill(_ offset: Int, _ count: Int) -> Bool {
        guard offset >= 0, count >= 0, offset <= size, count <= size - offset else { return false }
        let wanted = min(max(count, Self.piece), size - offset)
        budget -= max(wanted, Self.piece)
        guard budget >= 0 else {
            isExhausted = true
            return false
        }
        held = 0..<0
        if buffer.count < wanted { buffer = [UInt8](repeating: 0, count: wanted) }
        let got = read(offset, wanted)
        held = offset..<offset + got
        return got >= count
    }

    private mutating func read(_ offset: Int, _ count: Int) -> Int {
        switch source {
        case .none: return 0
        case .access(let access): return access.read(into: &buffer, count: count, at: offset)
        case .memory(let bytes):
            buffer.replaceSubrange(0..<count, with: bytes[offset..<offset + count])
            return count
        case .file(let descriptor):
            var failure: Int32 = 0
            defer { if failure != 0 { self.failure = failure } }
            return unsafe buffer.withUnsafeMutableBytes { bytes in
                var done = 0
                while done < count, let base = bytes.baseAddress {
                    let got = unsafe pread(descriptor, base + done, count - done, off_t(offset + done))
                    if got < 0, errno == EINTR { continue }
                    if got < 0 { failure = errno }
                    if got <= 0 { break }
                    done += got
                }
                return done
            }
        }
    }

    /// A loaded byte.
    subscript(offset: Int) -> UInt8 {
        precondition(held.contains(offset), "a byte that was not loaded")
        return buffer[offset - held.lowerBound]
    }

    /// Loaded bytes; valid until the next ones are loaded.
    subscript(range: Range<Int>) -> ArraySlice<UInt8> {
        precondition(
            range.lowerBound >= held.lowerBound && range.upperBound <= held.upperBound,
            "bytes that were not loaded"
        )
        return buffer[range.lowerBound - held.lowerBound..<range.upperBound - held.lowerBound]
    }

    /// A big-endian number of `count` bytes; `nil` when the file ends before.
    mutating func bigEndian(_ offset: Int, _ count: Int) -> Int? {
        guard load(offset, count) else { return nil }
        var value: UInt64 = 0
        for place in offset..<offset + count { value = value << 8 | UInt64(self[place]) }
        return Int(exactly: value)
    }

    /// A little-endian number of `count` bytes; `nil` when the file ends before.
    mutating func littleEndian(_ offset: Int, _ count: Int) -> Int? {
        guard load(offset, count) else { return nil }
        var value: UInt64 = 0
        for place in (offset..<offset + count).reversed() { value = value << 8 | UInt64(self[place]) }
        return Int(exactly: value)
    }

    /// Whether the file has exactly these bytes at an offset.
    mutating func has(_ text: StaticString, at offset: Int) -> Bool {
        guard load(offset, text.utf8CodeUnitCount) else { return false }
        let found = self[offset..<offset + text.utf8CodeUnitCount]
        return text.withUTF8Buffer { bytes in unsafe found.elementsEqual(bytes) }
    }

    /// The first position of a byte in a loaded range.
    func firstPlace(of byte: UInt8, in range: Range<Int>) -> Int? {
        let start = range.lowerBound - held.lowerBound
        precondition(start >= 0 && range.upperBound <= held.upperBound, "bytes that were not loaded")
        return unsafe buffer.withUnsafeBytes { bytes in
            guard !range.isEmpty, let base = bytes.baseAddress,
                let found = unsafe memchr(base + start, Int32(byte), range.count)
            else { return nil }
            return unsafe UnsafeRawPointer(found) - base + held.lowerBound
        }
    }

    /// The first position of a four-letter text in a loaded range.
    func firstPlace(of text: StaticString, in range: Range<Int>) -> Int? {
        let letters = text.withUTF8Buffer { unsafe Array($0) }
        var start = range.lowerBound
        while start + letters.count <= range.upperBound,
            let place = firstPlace(of: letters[0], in: start..<range.upperBound - letters.count + 1)
        {
            if self[place..<place + letters.count].elementsEqual(letters) { return place }
            start = place + 1
        }
        return nil
    }

    /// The last position of a four-letter text in a loaded range.
    func lastPlace(of text: StaticString, in range: Range<Int>) -> Int? {
        let (low, high) = (range.lowerBound - held.lowerBound, range.upperBound - held.lowerBound)
        precondition(low >= 0 && range.upperBound <= held.upperBound, "bytes that were not loaded")
        var last: Int?
        unsafe buffer.withUnsafeBytes { bytes in
            text.withUTF8Buffer { letters in
                guard let base = bytes.baseAddress, let wanted = letters.baseAddress, letters.count == 4 else { return }
                var place = low
                while place <= high - 4 {
                    guard let found = unsafe memchr(base + place, Int32(letters[0]), high - 3 - place) else { return }
                    place = unsafe UnsafeRawPointer(found) - base
                    if unsafe memcmp(found, wanted, 4) == 0 { last = place }
                    place += 1
                }
            }
        }
        return last.map { $0 + held.lowerBound }
    }
}
