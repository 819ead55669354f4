internal import AudioTypes
package import HTTP

extension HTTPClient {
    /// Fetches bytes of a resource, unchanged.
    ///
    /// - Parameter range: `nil` is all of it.
    package func fetch(_ url: String, _ range: ByteRange?, atMost limit: Int) throws(HTTPError) -> [UInt8] {
        try SegmentStream(url, range: range, client: self).readAll(atMost: limit)
    }
}

/// A segment's bytes, or another resource's, as they arrive.
///
/// After a failed attempt, the next read continues after the last byte returned.
final class SegmentStream {
    let url: String
    private let client: HTTPClient
    private let range: ByteRange?
    /// Seconds of media in it, for the access log.
    private let mediaDuration: Double?
    private var decryption: BlockDecryption?
    private var transfer: HTTPTransfer?
    /// The request sent before the stream is wanted.
    private var question: HTTPQuestion?
    /// Bytes that this transfer sends before the wanted position.
    private var surplus = 0
    /// The bytes of the resource, or of its range, read so far.
    private var position = 0
    /// The head of the first response.
    private var firstHead: HTTPHead?
    private(set) var hasEnded = false
    /// Seconds spent waiting for data, including failed attempts.
    private(set) var waited: Double = 0
    /// Whether the first attempt succeeded.
    private(set) var isSmooth = true

    init(
        _ url: String,
        range: ByteRange? = nil,
        client: HTTPClient,
        decryptor: (any SegmentDecryptor)? = nil,
        mediaDuration: Double? = nil
    ) {
        self.url = url
        self.range = range
        self.client = client
        self.mediaDuration = mediaDuration
        decrypt(with: decryptor)
    }

    /// Decrypts it; before the first read.
    func decrypt(with decryptor: (any SegmentDecryptor)?) { decryption = decryptor.map(BlockDecryption.init) }

    /// Requests it, to be read later.
    func requestAhead() throws(HTTPError) {
        question = try client.ask(url, range: wantedRange(from: range?.offset ?? 0))
    }

    /// Whether it is these bytes of a resource.
    func isSame(as url: String, _ range: ByteRange?) -> Bool { self.url == url && self.range == range }

    /// The bytes that its connection has carried, in how many seconds; `nil` when that says nothing about it.
    var progress: (bytes: Int, seconds: Double)? { transfer?.progress }

    /// Its bytes in all, if known.
    var size: Int? { range?.length ?? firstHead?.length }

    /// The bytes read so far.
    var count: Int { position }

    /// Reads the next bytes, sending a request if necessary.
    ///
    /// - Returns: The number of bytes; 0 is the end.
    func read(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        guard decryption != nil else { return try unsafe readRaw(into: target) }
        while true {
            let count = unsafe decryption?.take(into: target) ?? 0
            if count > 0 || decryption?.hasEnded != false { return count }
            // Moved out temporarily, since the closure uses `self`.
            var filling = decryption
            decryption = nil
            defer { decryption = filling }
            try unsafe filling?.fill { bytes throws(HTTPError) in try unsafe readRaw(into: bytes) }
        }
    }

    /// Reads all of it.
    func readAll(atMost limit: Int) throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let outcome = unsafe chunk.withUnsafeMutableBytes { buffer in
                Result { () throws(HTTPError) -> Int in try unsafe read(into: buffer) }
            }
            let count = try outcome.get()
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
            guard bytes.count <= limit else { throw HTTPError(.tooLarge) }
        }
    }

    /// Aborts the rest.
    func cancel() {
        transfer?.cancel()
        transfer = nil
        question?.cancel()
        question = nil
    }

    // MARK: The body

    private func readRaw(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        let left = range.map { $0.length - position } ?? .max
        guard !hasEnded, left > 0 else {
            finish()
            return 0
        }
        let began = HostTime.now
        let outcome = Result { () throws(HTTPError) -> Int in
            let transfer = try current()
            try skipSurplus(of: transfer)
            return try unsafe transfer.read(into: UnsafeMutableRawBufferPointer(rebasing: target.prefix(left)))
        }
        waited += HostTime.now - began
        switch outcome {
        case .success(let count):
            position += count
            if count == 0 { try checkEnd() }
            return count
        case .failure(let error):
            if error.kind != .interrupted { fail() }
            throw error
        }
    }

    /// Checks that the range has arrived in full, like a body with a declared length.
    private func checkEnd() throws(HTTPError) {
        if let range, position < range.length {
            fail()
            throw HTTPError(.closedEarly, serverAddress: firstHead?.serverAddress)
        }
        finish()
    }

    private func finish() {
        hasEnded = true
        cancel()
    }

    private func fail() {
        isSmooth = false
        transfer = nil
    }

    /// The current transfer, or a new one that starts at the next byte.
    private func current() throws(HTTPError) -> HTTPTransfer {
        if let transfer { return transfer }
        let first = (range?.offset ?? 0) + position
        let opened = try open(from: first)
        guard opened.head.start <= first, isSame(opened.head) else {
            opened.cancel()
            throw HTTPError(.changed, serverAddress: opened.head.serverAddress)
        }
        surplus = first - opened.head.start
        // A segment fetched in several requests is counted once.
        if firstHead == nil { opened.mediaDuration = mediaDuration }
        firstHead = firstHead ?? opened.head
        transfer = opened
        return opened
    }

    private func open(from first: Int) throws(HTTPError) -> HTTPTransfer {
        if let question = question.take() {
            if question.isOnItsWay { return try client.open(question) }
            // A segment that failed before it was wanted is no failure yet.
            question.cancel()
        }
        return try client.open(url, range: wantedRange(from: first))
    }

    private func wantedRange(from first: Int) -> HTTPRange? {
        guard range != nil || position > 0 else { return nil }
        let validator = position > 0 ? firstHead.flatMap { $0.entityTag ?? $0.lastModified } : nil
        return HTTPRange(first: first, last: range.map { $0.end - 1 }, validator: validator)
    }

    /// Whether a response is for the same resource.
    private func isSame(_ head: HTTPHead) -> Bool {
        guard position > 0, let firstHead else { return true }
        if let old = firstHead.entityTag, let new = head.entityTag, old != new { return false }
        if let old = firstHead.size, let new = head.size, old != new { return false }
        return true
    }

    /// Drops the leading bytes from a server without range support.
    private func skipSurplus(of transfer: HTTPTransfer) throws(HTTPError) {
        guard surplus > 0 else { return }
        var waste = [UInt8](repeating: 0, count: 16 << 10)
        while surplus > 0 {
            let size = min(surplus, waste.count)
            let outcome = unsafe waste.withUnsafeMutableBytes { buffer in
                Result { () throws(HTTPError) -> Int in
                    try unsafe transfer.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<size]))
                }
            }
            let count = try outcome.get()
            guard count > 0 else { throw HTTPError(.closedEarly, serverAddress: transfer.head.serverAddress) }
            surplus -= count
        }
    }
}
