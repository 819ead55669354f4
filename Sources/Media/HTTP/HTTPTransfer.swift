internal import AudioTypes
internal import CCurl
internal import CivilTime

/// One request's body, as it arrives.
///
/// Unread data is held back by TCP flow control, and costs no more than a small buffer. Releasing the transfer aborts
/// it.
@safe
package final class HTTPTransfer {
    /// The size of the buffer ahead of the reader; libcurl delivers at most 16 KB at once.
    private static let capacity = 128 << 10
    /// Bytes kept of a body that arrives before it is wanted.
    private static let aheadCapacity = 1 << 20
    /// A body with less than this left, all of it received, is read to its end to keep the connection.
    private static let cheapRest = 256 << 10

    package internal(set) var head = HTTPHead()
    /// Seconds of media in the body, if it is a segment, for the report at its end.
    package var mediaDuration: Double?
    let client: HTTPClient
    let easy: UnsafeMutableRawPointer
    private let address: WebAddress
    /// Whether addresses are checked before connecting.
    let trust: HTTPTrust
    /// The last address that was refused for this client.
    private var refusedAddress: IPAddress?
    private let target: BodyTarget
    private var lists: UnsafeMutablePointer<curl_slist>?
    private let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let buffer: UnsafeMutableRawBufferPointer
    private var readEnd = 0
    private var writeEnd = 0
    private var isPaused = false
    /// Bytes that must be available before a wait ends, unless they are the last.
    package var wakesFrom = 1
    private var lowWater = 1
    /// The connection whose low-water mark is set.
    private var waitingSocket: Int32?
    /// Whether the remaining data is dropped.
    private var isSkipping = false
    private var isAttached = false
    /// Bytes of the body received so far.
    package private(set) var received = 0
    /// Whether the body arrives while others are waited for, before anyone wants it.
    private var isAhead: Bool
    /// Bytes received so, which were counted then.
    private var receivedAhead = 0
    /// Whether the reader was once slower than the network.
    private var hasPaused = false
    /// When it ended, if before anyone wanted it.
    private var endedAhead: HostTime?
    private(set) var parser = HeadParser()
    private(set) var headLines = 0
    private var document: [UInt8] = []
    /// Our reason for aborting the transfer in a callback.
    private var ownError: HTTPError.Kind?
    private var outcome: CURLcode?
    private var pace: Pace
    private let began = HostTime.now
    private let date = wallClock()
    private var waited = 0.0
    private var isReported = false

    /// The destination of the body.
    enum BodyTarget {
        /// The reader, at its own pace.
        case reader
        /// A reader who comes later.
        case ahead
        /// A single buffer of at most so many bytes, decoded.
        case document(limit: Int)

        /// Bytes kept for a reader; memory that is not written to takes no room.
        fileprivate var capacity: Int {
            switch self {
            case .reader: HTTPTransfer.capacity
            case .ahead: HTTPTransfer.aheadCapacity
            case .document: 0
            }
        }
    }

    init(client: HTTPClient, address: WebAddress, target: BodyTarget) throws(HTTPError) {
        guard let easy = unsafe curl_easy_init() else { throw HTTPError(.other("out of memory")) }
        self.client = client
        self.address = address
        self.target = target
        trust = HTTPTrust(client.options.access, address)
        unsafe self.easy = easy
        pace = Pace(silenceLimit: client.options.silenceLimit)
        if case .ahead = target { isAhead = true } else { isAhead = false }
        if target.capacity > 0 {
            unsafe buffer = .allocate(byteCount: target.capacity, alignment: 16)
        } else {
            unsafe buffer = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        }
        unsafe message.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        finish()
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(lists)
        unsafe message.deallocate()
        unsafe buffer.deallocate()
    }

    // MARK: Reading

    /// Reads the available bytes; waits when there are none.
    ///
    /// An interrupted wait can be resumed.
    ///
    /// - Returns: The number of bytes; 0 is the regular end.
    package func read(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        let start = HostTime.now
        let waitedBefore = waited
        while true {
            if readEnd < writeEnd {
                let count = unsafe take(into: target)
                let counted = min(count, receivedAhead)
                receivedAhead -= counted
                client.recordRead(bytes: count - counted, waited: waited - waitedBefore, began: start)
                client.report(.progressed(account))
                return count
            }
            if let outcome { return try end(outcome) }
            try advance(since: start)
        }
    }

    private func take(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, writeEnd - readEnd)
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[readEnd..<readEnd + count]))
        readEnd += count
        return count
    }

    private func end(_ code: CURLcode) throws(HTTPError) -> Int {
        finish()
        guard code == CURLE_OK else { throw error(code) }
        return 0
    }

    /// Receives data, and waits if there is none.
    private func advance(since start: HostTime) throws(HTTPError) {
        let before = received
        // This alone may deliver bytes that libcurl has kept.
        resume()
        try client.perform()
        guard received == before, outcome == nil else { return pace.recordBytes(received - before) }
        let now = HostTime.now
        if let problem = pace.check(now: now, waitingSince: start) {
            // Fewer bytes than the low-water mark may be available.
            guard lowWater > 1 else { throw make(problem) }
            return setLowWater(1)
        }
        setLowWater(wantedLowWater)
        try client.wait(until: start + client.options.silenceLimit)
        let later = HostTime.now
        waited += later - now
        pace.recordWait(later - now)
    }

    /// The last bytes of a body are never followed by more.
    private var wantedLowWater: Int {
        guard wakesFrom > 1 else { return 1 }
        guard let length = head.length else { return wakesFrom }
        return length - received > 2 * wakesFrom ? wakesFrom : 1
    }

    private func setLowWater(_ bytes: Int) {
        guard bytes != lowWater else { return }
        if bytes > 1 { waitingSocket = client.waitingSocket }
        guard let waitingSocket else { return }
        lowWater = bytes
        segue_set_low_water(waitingSocket, Int32(min(bytes, 1 << 20)))
    }

    /// Resumes a transfer that paused because the buffer was full.
    private func resume() {
        if readEnd == writeEnd {
            readEnd = 0
            writeEnd = 0
        }
        guard isPaused else { return }
        isPaused = false
        unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    // MARK: Small documents

    func readDocument() throws(HTTPError) -> [UInt8] {
        var start = HostTime.now
        while outcome == nil {
            let before = received
            try advance(since: start)
            if received != before { start = .now }
        }
        if let outcome { _ = try end(outcome) }
        return document
    }

    // MARK: Life cycle

    /// Starts.
    func attach(_ lists: UnsafeMutablePointer<curl_slist>?) throws(HTTPError) {
        unsafe self.lists = lists
        unsafe segue_set_pointer(easy, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
        unsafe segue_set_pointer(easy, CURLOPT_ERRORBUFFER, message)
        unsafe segue_set_callback(easy, CURLOPT_WRITEFUNCTION, bodyArrived)
        unsafe segue_set_pointer(easy, CURLOPT_WRITEDATA, Unmanaged.passUnretained(self).toOpaque())
        unsafe segue_set_callback(easy, CURLOPT_HEADERFUNCTION, headLineArrived)
        unsafe segue_set_pointer(easy, CURLOPT_HEADERDATA, Unmanaged.passUnretained(self).toOpaque())
        try client.attach(self)
        isAttached = true
    }

    /// Waits for the response head.
    func awaitHead(url: String) throws(HTTPError) {
        let asked = isAhead ? HostTime.now : began
        isAhead = false
        let limit = asked + client.options.silenceLimit * 3
        var lines = -1
        var deadline = asked
        while !parser.isComplete {
            try client.perform()
            if let outcome, !parser.isComplete { throw error(outcome == CURLE_OK ? CURLE_GOT_NOTHING : outcome) }
            guard !parser.isComplete else { break }
            if headLines != lines {
                lines = headLines
                deadline = min(limit, HostTime.now + client.options.silenceLimit, client.answerDeadline ?? limit)
            }
            if HostTime.now >= deadline { throw make(deadline < limit ? unansweredStep : .slow) }
            try client.wait(until: deadline)
        }
        waited += (endedAhead ?? .now) - began
        client.recordAnswer(waited: HostTime.now - asked)
        let address = unsafe segue_get_string(easy, CURLINFO_PRIMARY_IP).map { unsafe String(cString: $0) }
        parser.record(url: url, serverAddress: address)
        head = parser.head
    }

    /// Whether a body that was asked for ahead is there, or may still come.
    var isOnItsWay: Bool {
        client.performQuietly()
        if let outcome, outcome != CURLE_OK { return false }
        if parser.isComplete { return (200...399).contains(parser.head.status) }
        return outcome == nil && HostTime.now - began < client.options.silenceLimit
    }

    /// The bytes that have come, and in how many seconds; `nil` once it has ended, or where the reader was slower.
    package var progress: (bytes: Int, seconds: Double)? {
        outcome == nil && !hasPaused ? (received, HostTime.now - began) : nil
    }

    /// The phase that has not been answered yet.
    private var unansweredStep: HTTPError.Kind {
        if unsafe segue_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0 { return .silent }
        if unsafe segue_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T) == 0 { return .resolving }
        return unsafe segue_get_offset(easy, CURLINFO_CONNECT_TIME_T) == 0 ? .unanswered : .tls
    }

    /// Aborts the rest of the body.
    package func cancel() {
        guard outcome == nil, isAttached else { return finish() }
        if parser.isComplete, head.length.map({ $0 - received <= Self.cheapRest }) ?? head.isChunked {
            skipRest()
        }
        finish()
    }

    /// Drops the rest if it was received already: a complete body leaves its connection reusable.
    private func skipRest() {
        isSkipping = true
        setLowWater(1)
        isPaused = false
        unsafe curl_easy_pause(easy, CURLPAUSE_CONT)
        let start = received
        var before = -1
        while outcome == nil, received != before, received - start <= Self.cheapRest {
            before = received
            client.performQuietly()
        }
    }

    private func finish() {
        detach()
        guard !isReported, head.status != 0 else { return }
        isReported = true
        client.report(.transferred(account))
    }

    private var account: StreamTransfer {
        StreamTransfer(
            date: date,
            uri: head.url,
            serverAddress: head.serverAddress,
            bytes: received,
            duration: waited,
            mediaDuration: mediaDuration
        )
    }

    private func detach() {
        guard isAttached else { return }
        isAttached = false
        // The connection may be reused for a response of a few bytes.
        setLowWater(1)
        client.detach(self)
    }

    /// Called by the client when libcurl has finished the transfer.
    func ended(_ code: CURLcode) {
        outcome = code
        if isAhead { endedAhead = .now }
    }

    /// The error of a result code.
    private func error(_ code: CURLcode) -> HTTPError {
        if let ownError { return make(ownError) }
        if code == CURLE_COULDNT_CONNECT, let refusedAddress, !client.port.hasTried {
            return HTTPError(.refused("clients of the network may not fetch from \(refusedAddress)"))
        }
        let words = unsafe String(cString: message)
        var error = unsafe HTTPError(code, easy: easy, message: words)
        error.proxy = proxy(of: error, isCertain: code == CURLE_COULDNT_RESOLVE_PROXY || error.status != nil)
        return error
    }

    /// An error of this transfer, with its context.
    func make(_ kind: HTTPError.Kind) -> HTTPError {
        let address = unsafe segue_get_string(easy, CURLINFO_PRIMARY_IP).map { unsafe String(cString: $0) }
        var error = HTTPError(kind, serverAddress: address.flatMap { $0.isEmpty ? nil : $0 })
        error.proxy = proxy(of: error, isCertain: error.status == 407)
        return error
    }

    /// The proxy that caused an error; `nil` when it was the server.
    private func proxy(of error: HTTPError, isCertain: Bool) -> String? {
        guard trust != .none, let proxy = Proxy(for: address.scheme) else { return nil }
        switch error.kind {
        case _ where isCertain: return proxy.name
        // The port in libcurl's message shows which of them, unless both use the same one.
        case .connecting, .unanswered:
            let isNamed = unsafe String(cString: message).contains(" \(proxy.host) port")
            let isTried = client.port.hasTried(port: proxy.port) && address.port != proxy.port
            return isNamed || isTried ? proxy.name : nil
        default: return nil
        }
    }

    /// Seconds from Retry-After, a day at most; `nil` when absent.
    var retryAfter: Double? {
        let seconds = unsafe segue_get_offset(easy, CURLINFO_RETRY_AFTER)
        return seconds > 0 ? Double(min(seconds, 86_400)) : nil
    }

    // MARK: Called by libcurl

    /// - Returns: The return value for libcurl.
    fileprivate func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if case .document(let limit) = target, !isSkipping {
            guard document.count + bytes.count <= limit else {
                ownError = .tooLarge
                return 0
            }
            unsafe document.append(contentsOf: bytes)
        } else if !isSkipping {
            guard unsafe writeEnd + bytes.count <= buffer.count else {
                isPaused = true
                hasPaused = true
                return Int(CURL_WRITEFUNC_PAUSE)
            }
            unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[writeEnd...]).copyMemory(from: bytes)
            writeEnd += bytes.count
        }
        if isAhead {
            receivedAhead += bytes.count
            client.recordAhead(bytes: bytes.count)
        }
        received += bytes.count
        return bytes.count
    }

    fileprivate func receiveHeadLine(_ bytes: UnsafeRawBufferPointer) -> Int {
        headLines += 1
        guard unsafe parser.parse(bytes) else {
            ownError = .tooLarge
            return 0
        }
        return bytes.count
    }
}

extension HTTPTransfer {
    /// Opens a socket for an address, unless that is refused for this client.
    fileprivate func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = unsafe segue_address_bytes(address, &bytes)
        if trust == .none {
            guard let ip = IPAddress(bytes: Array(bytes.prefix(Int(count)))) else { return -1 }
            guard client.options.access.allows(ip, own: ownAddresses()) else {
                refusedAddress = ip
                return -1
            }
        }
        return unsafe segue_open_socket(client.port.addresses, address)
    }
}

// libcurl calls these on the client's own thread, while it performs.

private func bodyArrived(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ transfer: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = unsafe transfer else { return 0 }
    return unsafe Unmanaged<HTTPTransfer>.fromOpaque(transfer).takeUnretainedValue()
        .receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func headLineArrived(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ transfer: UnsafeMutableRawPointer?
) -> Int {
    guard let transfer = unsafe transfer else { return 0 }
    return unsafe Unmanaged<HTTPTransfer>.fromOpaque(transfer).takeUnretainedValue()
        .receiveHeadLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

/// `CURLOPT_OPENSOCKETFUNCTION`.
func openSocket(
    _ transfer: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = unsafe transfer, let address = unsafe address else { return -1 }
    return unsafe Unmanaged<HTTPTransfer>.fromOpaque(transfer).takeUnretainedValue().open(address)
}
