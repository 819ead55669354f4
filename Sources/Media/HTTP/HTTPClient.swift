package import AudioTypes
internal import CCurl
internal import Files
private import Glibc
package import Threads

/// A request that was sent, whose answer is awaited later.
package struct HTTPQuestion {
    let request: HTTPRequest
    let transfer: HTTPTransfer
    let home: WebAddress

    /// Whether the answer is there, or may still come.
    package var isOnItsWay: Bool { transfer.isOnItsWay }

    package func cancel() { transfer.cancel() }
}

/// One thread's HTTP connections, kept open and reused: a libcurl multi handle.
///
/// Every call blocks, wakes only for data, and ends with `.interrupted` as soon as the interrupt is raised.
///
/// It uses HTTP/1.1: a body read as slowly as it is played is then throttled by its own connection, without windows of
/// megabytes in between, and a connection never carries one body that waits for another.
@safe
package final class HTTPClient {
    package let options: HTTPOptions
    package let interrupt: Interrupt
    let report: @Sendable (StreamEvent) -> Void
    /// Watches ports that refused a connection.
    let port = PortWatch()
    private let multi: UnsafeMutableRawPointer?
    /// The cookie store, which lasts as long as the client; libcurl sends each server only its own.
    let cookies: UnsafeMutableRawPointer?
    /// The requested URL: its host gets the headers and the credentials that were set for it.
    ///
    /// `nil` until the first request, if that is the one.
    private var home: String?
    /// When the wait for an answer's head ends, if not earlier.
    var answerDeadline: HostTime?
    private var speed = Throughput()
    private var lastRead: HostTime?
    /// Bytes for later since the last read.
    private var ahead = 0

    /// A UTF-8 locale for libcurl's libidn2, which takes host names for text of the thread's locale; null changes
    /// nothing.
    ///
    /// Sound as `nonisolated(unsafe)`: it is created once, and never changed or freed.
    private nonisolated(unsafe) static let unicode = unsafe segue_unicode_locale()
    private static let isInitialized: Bool = segue_global_init() == CURLE_OK

    /// - Parameters:
    ///   - home: The requested URL; `nil`: that of the first request.
    ///   - report: Called for every finished request, on the client's thread.
    package init(
        _ options: HTTPOptions,
        home: String? = nil,
        interrupt: Interrupt,
        report: @escaping @Sendable (StreamEvent) -> Void
    ) {
        self.options = options
        self.home = home
        self.interrupt = interrupt
        self.report = report
        unsafe multi = Self.isInitialized ? curl_multi_init() : nil
        unsafe cookies = Self.isInitialized ? segue_make_cookies() : nil
        if let multi = unsafe multi {
            unsafe segue_multi_set_long(multi, CURLMOPT_PIPELINING, Int(CURLPIPE_NOTHING))
            unsafe segue_multi_set_long(multi, CURLMOPT_MAXCONNECTS, 4)
        }
    }

    deinit {
        if let multi = unsafe multi { unsafe curl_multi_cleanup(multi) }
        unsafe curl_share_cleanup(cookies)
    }

    /// Bits per second received lately while waiting for data; `nil` until known.
    package var throughput: Double? { speed.bitsPerSecond }

    // MARK: Requests

    /// Requests a resource, follows redirections, and returns when the body starts.
    ///
    /// An unsuccessful status is an error.
    ///
    /// - Parameters:
    ///   - isICY: Whether the server may insert titles into the body.
    ///   - unpacks: Whether to decode a content encoding.
    package func open(
        _ url: String,
        range: HTTPRange? = nil,
        isICY: Bool = false,
        unpacks: Bool = false
    ) throws(HTTPError) -> HTTPTransfer {
        let request = HTTPRequest(address: try WebAddress(url), range: range, isICY: isICY, isPacked: unpacks)
        return try answer(to: send(request, .reader, home: homeAddress(or: url)), .reader)
    }

    /// Requests a resource that is wanted later: its body arrives, up to a limit, while others are waited for.
    package func ask(_ url: String, range: HTTPRange? = nil) throws(HTTPError) -> HTTPQuestion {
        let request = HTTPRequest(address: try WebAddress(url), range: range)
        return try send(request, .ahead, home: homeAddress(or: url))
    }

    /// The body that was asked for, as `open` returns it.
    package func open(_ question: HTTPQuestion) throws(HTTPError) -> HTTPTransfer { try answer(to: question, .reader) }

    private func homeAddress(or url: String) throws(HTTPError) -> WebAddress {
        let home = home ?? url
        self.home = home
        return try WebAddress(home)
    }

    /// Fetches a small document, with its content encoding decoded.
    ///
    /// - Parameters:
    ///   - atMost: Limit in bytes, also after decoding; more is an error.
    ///   - origin: The requested URL, if not the client's.
    package func fetch(_ url: String, atMost: Int, origin: String? = nil) throws(HTTPError) -> HTTPDocument {
        let home = origin ?? home ?? url
        if origin == nil { self.home = home }
        let request = HTTPRequest(address: try WebAddress(url), isPacked: true)
        let target = HTTPTransfer.BodyTarget.document(limit: atMost)
        let transfer = try answer(to: send(request, target, home: WebAddress(home)), target)
        let bytes = try transfer.readDocument()
        return HTTPDocument(head: transfer.head, bytes: bytes)
    }

    private func send(
        _ request: HTTPRequest,
        _ target: HTTPTransfer.BodyTarget,
        home: WebAddress
    ) throws(HTTPError) -> HTTPQuestion {
        let transfer = try HTTPTransfer(client: self, address: request.address, target: target)
        try request.start(transfer, home: home)
        return HTTPQuestion(request: request, transfer: transfer, home: home)
    }

    /// Waits for the answer, and asks elsewhere where it says so.
    private func answer(
        to question: HTTPQuestion,
        _ target: HTTPTransfer.BodyTarget
    ) throws(HTTPError) -> HTTPTransfer {
        var question = question
        for _ in 0...HTTPRequest.mostRedirections {
            let transfer = question.transfer
            do {
                try transfer.awaitHead(url: question.request.address.text)
            } catch {
                var error = error
                port.annotate(&error)
                throw error
            }
            switch transfer.head.status {
            case 200...299: return transfer
            case 301, 302, 303, 307, 308:
                guard let location = transfer.parser.location else { throw refusal(transfer) }
                transfer.cancel()
                var request = question.request
                let next = try request.address.resolving(location)
                guard Origin.allows(next.scheme, from: request.address.scheme) else {
                    throw HTTPError(.refused("'\(next.scheme):' may not be named by a server"))
                }
                request.address = next
                question = try send(request, target, home: question.home)
            default: throw refusal(transfer)
            }
        }
        throw HTTPError(.redirects)
    }

    private func refusal(_ transfer: HTTPTransfer) -> HTTPError {
        var error = transfer.make(.status(transfer.head.status, transfer.parser.phrase))
        error.retryAfter = transfer.retryAfter
        error.size = transfer.head.size
        error.entityTag = transfer.head.entityTag
        transfer.cancel()
        return error
    }

    // MARK: Waiting

    /// Whether a wait ends as soon as the host of the last request accepts connections again.
    package var isWatching: Bool { port.isRefused }

    /// Sleeps; ends with `.interrupted` when the interrupt is raised.
    ///
    /// Ends sooner when a local host that refused the last request's connection accepts one.
    package func sleep(until time: HostTime) throws(HTTPError) {
        while true {
            let knock = port.nextKnock
            try sleepUndisturbed(until: min(time, knock ?? time))
            if HostTime.now >= time || knock != nil && port.knock(interrupt) { return }
        }
    }

    private func sleepUndisturbed(until time: HostTime) throws(HTTPError) {
        while true {
            if interrupt.isRaised { throw HTTPError(.interrupted) }
            guard Readiness.readable(interrupt.descriptor).wait(until: time) else { return }
        }
    }

    /// Waits for activity, or until `deadline`.
    func wait(until deadline: HostTime) throws(HTTPError) {
        if interrupt.isRaised { throw HTTPError(.interrupted) }
        var extra = curl_waitfd(fd: interrupt.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
        unsafe curl_multi_poll(multi, &extra, 1, milliseconds(deadline - HostTime.now), nil)
        if interrupt.isRaised { throw HTTPError(.interrupted) }
    }

    /// Rounded up, so that a time-out is never early.
    private func milliseconds(_ seconds: Double) -> Int32 {
        Int32(saturating: min(max(seconds, 0) * 1000, 86_400_000).rounded(.up))
    }

    /// Performs the pending work without waiting.
    func perform() throws(HTTPError) {
        if interrupt.isRaised { throw HTTPError(.interrupted) }
        performQuietly()
    }

    func performQuietly() {
        // Host names are UTF-8, whatever encoding the environment has.
        let locale = unsafe uselocale(Self.unicode)
        defer { unsafe _ = uselocale(locale) }
        var running: Int32 = 0
        unsafe curl_multi_perform(multi, &running)
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            let code = unsafe segue_result(message)
            guard let transfer = unsafe segue_get_pointer(easy, CURLINFO_PRIVATE) else { continue }
            unsafe Unmanaged<HTTPTransfer>.fromOpaque(transfer).takeUnretainedValue().ended(code)
        }
    }

    // MARK: Called by transfers

    func attach(_ transfer: HTTPTransfer) throws(HTTPError) {
        guard let multi = unsafe multi, unsafe curl_multi_add_handle(multi, transfer.easy) == CURLM_OK else {
            throw HTTPError(.other("out of memory"))
        }
    }

    func detach(_ transfer: HTTPTransfer) { unsafe curl_multi_remove_handle(multi, transfer.easy) }

    /// The single connection to wait for; `nil` when there are none or several.
    var waitingSocket: Int32? {
        let socket = unsafe segue_waiting_socket(multi)
        return socket >= 0 ? socket : nil
    }

    func recordAnswer(waited: Double) {
        speed.addAnswer(waited: waited)
        lastRead = .now
    }

    func recordRead(bytes: Int, waited: Double, began: HostTime) {
        speed.add(bytes: bytes + ahead, waited: waited, gap: lastRead.map { began - $0 } ?? .infinity)
        ahead = 0
        lastRead = .now
    }

    /// Counts bytes that came while another transfer was waited for.
    func recordAhead(bytes: Int) { ahead += bytes }
}
