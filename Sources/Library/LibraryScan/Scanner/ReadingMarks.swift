internal import Files
private import Synchronization
internal import TextEncodings

/// Records on disk which files are being read, so that a file that crashes the process can be identified afterwards.
///
/// Each reader has a slot in one file, and writes there the name of the file it reads: one write to the page cache,
/// without a sync, which survives the process but not the machine. Marks that are found when the file is opened again
/// name the files that were being read when the process died. Such a file is a *suspect*: the scanner reads it alone,
/// after all others. A file that was being read at two deaths is *barred* from every reader until it changes.
package final class ReadingMarks: Sendable {
    /// A file's state when it was read.
    package struct Mark: Sendable, Hashable {
        package var uri: String
        /// In bytes.
        package var size: Int
        /// Nanoseconds since 1970.
        package var modified: Int64
        package var inode: UInt64

        package init(uri: String, size: Int, modified: Int64, inode: UInt64) {
            (self.uri, self.size, self.modified, self.inode) = (uri, size, modified, inode)
        }
    }

    /// The kinds of readers.
    ///
    /// A file that crashes one reader may be harmless to another, so only the same kind of reader clears a suspect.
    package enum Reader: Character, Sendable, CaseIterable {
        case scanner = "s"
        case measurer = "m"
        /// Requests of clients, and songs in queues.
        case client = "c"

        fileprivate var slots: Range<Int> {
            switch self {
            case .scanner: 0..<31
            case .measurer: 31..<32
            case .client: 32..<64
            }
        }
    }

    /// The deaths of the process while a file was being read.
    private struct Deaths {
        var mark: Mark
        /// Counts at most to `deathsToBar`.
        var count: Int
        var readers: Set<Reader>
    }

    /// The verdict on a file, from the deaths of earlier processes.
    enum Verdict { case harmless, suspect, barred }

    package static let reason = "ended the server twice while it was read; it is left out until it changes"
    private static let deathsToBar = 2
    /// More suspects than readers and deaths could cause: the file is not ours.
    private static let mostSuspects = 1_000

    /// The size limit of either file, in bytes.
    private static let limit = 4 << 20

    private let path: String
    /// The slots; the descriptor is negative when nothing can be written.
    fileprivate let file: Descriptor
    /// Suspects and barred files, by URI.
    private let deaths: Mutex<[String: Deaths]>
    /// Slots in use by readers without permanent slots.
    private let used = Mutex<Set<Int>>([])

    /// Opens the marks, and counts the deaths that they record.
    ///
    /// If nothing can be written, nothing is detected.
    ///
    /// - Parameter path: The file of the slots; the file of the suspects is beside it.
    package init(path: String) {
        self.path = path
        var deaths = Self.load(path + ".suspects")
        let marks = Self.slots(in: Self.contents(path))
        // One death counts once for each file, even if several readers were reading it.
        for (mark, reader) in Dictionary(grouping: marks, by: \.mark).mapValues({ $0.map(\.reader) }) {
            var known = Deaths(mark: mark, count: 0, readers: [])
            if let earlier = deaths[mark.uri], earlier.mark == mark { known = earlier }
            known.count += 1
            known.readers.formUnion(reader)
            deaths[mark.uri] = known
        }
        self.deaths = Mutex(deaths)
        // Store the deaths on disk before deleting the marks that recorded them.
        if marks.isEmpty || Self.store(deaths, path + ".suspects") {
            do { file = try Descriptor(path, .rewriting(permissions: 0o600)) } catch {
                file = Descriptor(borrowing: -1)
            }
        } else {
            file = Descriptor(borrowing: -1)
        }
    }

    func verdict(on mark: Mark) -> Verdict {
        deaths.withLock { deaths in
            guard let known = deaths[mark.uri], known.mark == mark else { return .harmless }
            return known.count >= Self.deathsToBar ? .barred : .suspect
        }
    }

    /// Clears a suspect that a reader has read completely, unless another kind of reader died of it.
    func clear(_ mark: Mark, by reader: Reader) {
        deaths.withLock { deaths in
            guard deaths[mark.uri]?.readers.remove(reader) != nil else { return }
            if deaths[mark.uri]?.readers.isEmpty == true { deaths[mark.uri] = nil }
            _ = Self.store(deaths, path + ".suspects")
        }
    }

    /// Reads a file outside of a scan, with a mark.
    ///
    /// - Returns: `nil` when the file is barred.
    package func read<Value>(_ mark: Mark, as reader: Reader, _ body: () throws -> Value) rethrows -> Value? {
        let verdict = verdict(on: mark)
        if verdict == .barred { return nil }
        let number = used.withLock { used in
            reader.slots.first { used.insert($0).inserted }
        }
        // Readers beyond the number of slots are not marked.
        var slot = ReadingSlot(number == nil ? nil : self, number: number ?? 0)
        slot.mark(mark)
        defer {
            slot.clear()
            if let number { used.withLock { _ = $0.remove(number) } }
            if verdict == .suspect { clear(mark, by: reader) }
        }
        return try body()
    }

    /// The URIs of the barred files.
    package var barred: [String] {
        deaths.withLock { $0.values.filter { $0.count >= Self.deathsToBar }.map(\.mark.uri) }.sorted()
    }

    fileprivate var isWritable: Bool { file.number >= 0 }

    /// Whether no file is suspected or barred; cheap.
    var isEmpty: Bool { deaths.withLock { $0.isEmpty } }

    // MARK: The file formats

    /// Empty when the file cannot be read.
    private static func contents(_ path: String) -> [UInt8] { (try? fileContents(path, atMost: limit)) ?? [] }

    /// `COUNT READERS SIZE MODIFIED INODE URI`, one file per line; no URI contains a line feed.
    private static func load(_ path: String) -> [String: Deaths] {
        var deaths: [String: Deaths] = [:]
        for line in contents(path).split(separator: UInt8(ascii: "\n")).prefix(mostSuspects) {
            let words = String(decoding: line, as: UTF8.self).split(separator: " ", maxSplits: 5)
            guard words.count == 6, let count = Int(words[0]), let size = Int(words[2]), let modified = Int64(words[3]),
                let inode = UInt64(words[4]), (1...deathsToBar).contains(count)
            else { continue }
            let uri = String(words[5])
            let mark = Mark(uri: uri, size: size, modified: modified, inode: inode)
            deaths[uri] = Deaths(mark: mark, count: count, readers: Set(words[1].compactMap { Reader(rawValue: $0) }))
        }
        return deaths
    }

    private static func store(_ deaths: [String: Deaths], _ path: String) -> Bool {
        guard !deaths.isEmpty else {
            do { try AtomicFile.remove(path) } catch { return error == .noSuchFile }
            return true
        }
        let lines = deaths.values.prefix(mostSuspects).map { known in
            let (mark, readers) = (known.mark, String(known.readers.map(\.rawValue).sorted()))
            let state = "\(mark.size) \(mark.modified) \(mark.inode)"
            return "\(min(known.count, deathsToBar)) \(readers) \(state) \(mark.uri)\n"
        }
        let bytes = Array(lines.joined().utf8)
        return (try? AtomicFile.write(bytes, to: path, access: .onlyOwner, temporarySuffix: ".new")) != nil
    }

    private static func slots(in bytes: [UInt8]) -> [(mark: Mark, reader: Reader)] {
        Reader.allCases.flatMap { reader in
            reader.slots.compactMap { number in
                Slot.mark(in: bytes.dropFirst(number * Slot.size).prefix(Slot.size)).map { (mark: $0, reader: reader) }
            }
        }
    }
}

extension ReadingMarks: Hashable {
    package static func == (first: ReadingMarks, second: ReadingMarks) -> Bool { first === second }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A reader's slot: length, size, time and inode of a file, and its URI; length 0 means no mark.
struct ReadingSlot: ~Copyable {
    private let marks: ReadingMarks?
    private let offset: Int
    private var bytes: [UInt8] = []
    private var isMarked = false

    /// - Parameter number: From 0; slots beyond the last are not written.
    init(_ marks: ReadingMarks?, number: Int) {
        let isUsed = marks?.isWritable == true && number < ReadingMarks.Reader.client.slots.upperBound
        self.marks = isUsed ? marks : nil
        offset = number * Slot.size
        bytes.reserveCapacity(Slot.size)
    }

    /// Marks a file as being read.
    mutating func mark(_ mark: ReadingMarks.Mark) {
        guard let marks, Slot.write(mark, to: &bytes) else { return }
        try? marks.file.write(bytes, at: offset)
        isMarked = true
    }

    /// The permanent slot of a scanner's reader.
    static func ofScanner(_ marks: ReadingMarks?, number: Int) -> ReadingSlot {
        ReadingSlot(ReadingMarks.Reader.scanner.slots.contains(number) ? marks : nil, number: number)
    }

    /// Clears the mark.
    mutating func clear() {
        guard let marks, isMarked else { return }
        try? marks.file.write([0, 0], at: offset)
        isMarked = false
    }
}

/// The binary form of a slot; numbers are little-endian.
private enum Slot {
    static let size = 8_192
    private static let head = 2 + 3 * 8

    /// - Returns: `false` when the URI does not fit.
    static func write(_ mark: ReadingMarks.Mark, to bytes: inout [UInt8]) -> Bool {
        let length = mark.uri.utf8.count
        guard (1...size - head).contains(length) else { return false }
        bytes.removeAll(keepingCapacity: true)
        append(UInt16(truncatingIfNeeded: length), to: &bytes)
        append(UInt64(bitPattern: Int64(mark.size)), to: &bytes)
        append(UInt64(bitPattern: mark.modified), to: &bytes)
        append(mark.inode, to: &bytes)
        bytes += mark.uri.utf8
        return true
    }

    static func mark(in slot: ArraySlice<UInt8>) -> ReadingMarks.Mark? {
        func number(at place: Int, _ width: Int) -> UInt64 {
            UInt64(littleEndian: slot.dropFirst(place).prefix(width))
        }
        guard slot.count > head else { return nil }
        let length = Int(number(at: 0, 2))
        guard length > 0, slot.count >= head + length,
            let uri = String(validating: slot.dropFirst(head).prefix(length), as: UTF8.self)
        else { return nil }
        return ReadingMarks.Mark(
            uri: uri,
            size: Int(Int64(bitPattern: number(at: 2, 8))),
            modified: Int64(bitPattern: number(at: 10, 8)),
            inode: number(at: 18, 8)
        )
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        var rest = number
        for _ in 0..<number.bitWidth / 8 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }
}
