internal import HTTP
internal import MediaHeaders

/// An HTTP resource for libavformat; bytes examined for detection are returned again first.
final class HTTPBytes: ByteInput, ByteAccess {
    let source: HTTPSource
    /// The resource's first bytes, from a source that returns each byte once.
    private(set) var beginning: [UInt8] = []
    /// The first bytes read after opening a broadcast.
    private(set) var opening: [UInt8] = []
    private var position = 0
    /// How many of the resource's first bytes are skipped.
    private(set) var skipped = 0
    /// For an Ogg broadcast, whose chained streams are separate media.
    private var chain: OggChain?
    /// Bytes read beyond the end of those returned.
    private var carried: [UInt8] = []
    /// Whether one chained stream has ended and the next one begins.
    private(set) var isAtLink = false

    init(_ source: HTTPSource) { self.source = source }

    /// The resource's first bytes: at least so many, and 1 KiB if it may be text, as far as available.
    func look(atLeast least: Int = 1) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while beginning.count < max(least, 1_024) {
            let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try source.read(into: $0) }
            beginning += buffer[..<count]
            // Waiting for more of a slow audio stream would only delay it.
            let isText = beginning.allSatisfy { $0 >= 0x20 && $0 < 0x80 || (0x09...0x0d).contains($0) || $0 >= 0xc0 }
            if count == 0 || !isText && beginning.count >= least { break }
        }
        return beginning
    }

    /// Starts later, within the bytes examined.
    func skip(to offset: Int) {
        skipped = offset
        position = offset
    }

    /// Whether a body starts like another one, which had these first bytes.
    func begins(with opening: [UInt8]) -> Bool {
        guard !opening.isEmpty, let beginning = try? look(atLeast: opening.count) else { return false }
        return beginning.starts(with: opening)
    }

    /// Reads all of a document.
    func document(atMost limit: Int) throws -> [UInt8] {
        var bytes = beginning
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= limit {
            let count = try unsafe buffer.withUnsafeMutableBytes { unsafe try source.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
        throw HTTPError(.tooLarge)
    }

    // MARK: In order

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        if chain == nil { return unsafe try readOn(into: buffer) }
        while !isAtLink {
            var count = min(carried.count, buffer.count)
            unsafe buffer.copyBytes(from: carried[..<count])
            carried.removeFirst(count)
            let more = unsafe try readOn(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
            count += more
            let given = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            let taken = unsafe chain?.consume(given) ?? (count: count, isLink: false)
            unsafe carried.insert(contentsOf: buffer[taken.count..<count], at: 0)
            isAtLink = taken.isLink
            if taken.count > 0 || more == 0 { return taken.count }
        }
        return 0
    }

    /// Makes `read` end where one Ogg stream ends and another one begins.
    func endAtLinks() { chain = chain ?? OggChain() }

    /// Continues with the next chained stream.
    func beginLink() { isAtLink = false }

    private func readOn(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard unsafe !buffer.isEmpty else { return 0 }
        let count = unsafe try readNext(into: buffer)
        if source.isLive, opening.count < Self.openingBytes {
            unsafe opening.append(contentsOf: buffer[..<min(count, Self.openingBytes - opening.count)])
        }
        return count
    }

    /// How many bytes are compared to distinguish bodies.
    private static let openingBytes = 16_384

    private func readNext(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        guard position < beginning.count else { return unsafe try source.read(into: buffer) }
        let count = min(buffer.count, beginning.count - position)
        unsafe buffer.copyBytes(from: beginning[position..<position + count])
        position += count
        if position == beginning.count, !source.isLive { source.seek(to: position) }
        return count
    }

    var seekableSize: Int? { source.isSeekable ? source.size : nil }

    func seek(to offset: Int) {
        position = offset
        if offset >= beginning.count {
            // From here on the source's own position counts.
            position = .max
            source.seek(to: offset)
        }
    }

    // MARK: Random access

    var size: Int { source.size ?? 0 }

    let isLocal = false

    func read(into bytes: inout [UInt8], count: Int, at offset: Int) -> Int {
        // Failure to read is no error here: an index is optional.
        guard let found = try? source.bytes(at: offset, count: count) else { return 0 }
        bytes.replaceSubrange(..<found.count, with: found)
        return found.count
    }

    func seconds(toRead count: Int) -> Double {
        // Until the speed is known, that of a medium line is assumed.
        Double(count) * 8 / (source.client.throughput ?? 10_000_000)
    }
}
