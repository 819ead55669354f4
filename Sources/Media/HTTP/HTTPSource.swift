package import AudioTypes
internal import Charsets

/// A resource with random access, which recovers from errors.
///
/// Confined to one thread. After an outage, a medium with an end continues at the same byte, transparently; a live one
/// throws, and its caller reopens it at the current position with `reopen`.
package final class HTTPSource {
    /// A jump ahead by less than this reads and drops bytes instead of sending a request.
    static let nearAhead = 256 << 10
    /// The length of the first request after a seek, so that the next seek finds its connection free.
    static let firstReach = 128 << 10
    /// The length of the end that is fetched at once and cached, for tags and indexes there.
    static let tail = 64 << 10

    package let url: String
    package let client: HTTPClient
    private let report: @Sendable (StreamEvent) -> Void
    /// The first response head, or the one after the last `reopen`.
    package private(set) var head = HTTPHead()
    private var hasOpened = false
    /// Whether it has turned out to be a broadcast, although its server does not declare so.
    private var isBroadcast = false
    /// The position of the next `read`.
    package private(set) var position = 0
    /// Called by `read` before it returns the bytes to which the metadata applies, with their offset.
    package var onMetadata: ((ICYMetadata, _ offset: Int) -> Void)?

    /// Bytes that must be available before `read` wakes up, while more are to come: a trickle is not worth waking up
    /// for while enough is buffered.
    package var wakesFrom = 1 { didSet { transfer?.wakesFrom = wakesFrom } }

    /// Seconds of media received beyond the time since the start; supplied by the reader.
    package var lead: () -> Double = { .infinity }
    /// The longest burst that a broadcast's server sends at once, in seconds.
    private static let burst = 20.0
    /// How many bytes are compared to distinguish two bodies.
    private static let compared = 16_384

    private var transfer: HTTPTransfer?
    /// The offset of the transfer's next byte.
    private var transferPosition = 0
    /// The offset from which on the transfer's bytes were wanted.
    private var transferStart = 0
    /// Whether the transfer ends before the resource, by request or by the server's choice.
    private var isBounded = false
    private var isAfterSeek = false
    /// Whether its server compresses it.
    private var unpacks = false
    /// The target of redirections, tried first.
    private var finalURL: String?
    private var cache = ByteCache()
    /// All of it, once ``gather(_:atMost:)`` has read it through.
    private var whole: [UInt8]?
    private var icy: ICYStream?
    /// Reads the station's name and titles.
    private var texts: UndeclaredText
    private var reconnection: Reconnection
    /// The earliest time of the next attempt.
    private var nextAttempt: HostTime?
    /// New bytes since the last failure.
    private var fresh = 0
    private var connection: StreamStatus.Connection?

    /// - Parameter report: Receives failures, and changes of the connection; on the calling thread.
    package init(
        _ url: String,
        client: HTTPClient,
        options: StreamOptions,
        report: @escaping @Sendable (StreamEvent) -> Void
    ) {
        self.url = url
        self.client = client
        self.report = report
        texts = UndeclaredText(in: options.charsets[url])
        reconnection = Reconnection(
            limit: options.reconnectLimit,
            firstContact: .awaited(within: options.firstContactLimit)
        )
    }

    /// Bytes of the whole; `nil` when there is no end or it is unknown.
    package var size: Int? { whole?.count ?? head.size }
    /// Whether `read` can continue anywhere without reading all bytes before.
    package var isSeekable: Bool { whole != nil || head.size != nil && head.acceptsRanges == true }
    /// Whether it has no end, and each listener gets the current part.
    package var isLive: Bool { hasOpened && whole == nil && (head.isLive || isBroadcast && head.size == nil) }

    /// - Parameter limit: Seconds of an outage before it fails; `nil`: no limit.
    package func limitReconnection(to limit: Double?) { reconnection = Reconnection(limit: limit) }

    // MARK: Opening

    /// Requests the resource, with retries by the policy.
    package func open() throws(HTTPError) -> HTTPHead {
        if reconnection.attempt == 0 { reconnection.began(now: .now) }
        defer { client.answerDeadline = nil }
        try retrying { () throws(HTTPError) in try begin() }
        return head
    }

    /// Reopens a live medium after a temporary error.
    ///
    /// Waits as the policy requires, and continues at the live position. `position` runs on, unless the new resource
    /// has an end: then it is 0.
    ///
    /// - Parameter error: The error that `read` threw, or that was found in its data.
    package func reopen(after error: HTTPError) throws(HTTPError) -> HTTPHead {
        if nextAttempt == nil {
            leave()
            try schedule(after: error)
        }
        return try open()
    }

    /// Requests the resource from the start.
    private func begin() throws(HTTPError) {
        leave()
        finalURL = nil
        unpacks = false
        var transfer = try first(isICY: true)
        if transfer.head.isPacked {
            // It was sent compressed although not requested so; a request for it gets it decoded.
            transfer.cancel()
            unpacks = true
            transfer = try first(isICY: true)
        }
        if transfer.head.size != nil, transfer.head.icy["icy-metaint"] != nil {
            // Titles inside a resource with an end would shift every range.
            transfer.cancel()
            transfer = try first(isICY: false)
        }
        head = transfer.head
        head.readUndeclared(&texts)
        hasOpened = true
        if !isLive { position = 0 }
        finalURL = head.url
        cache.removeAll()
        icy = head.icy["icy-metaint"].flatMap { Int($0) }.flatMap { $0 > 0 ? ICYStream(interval: $0) : nil }
        adopt(transfer, at: 0)
    }

    /// The first request is for a range that covers everything: the response shows whether ranges are supported.
    private func first(isICY: Bool) throws(HTTPError) -> HTTPTransfer {
        let answer = Result { () throws(HTTPError) in
            try client.open(url, range: HTTPRange(first: 0), isICY: isICY, unpacks: unpacks)
        }
        // An empty resource has no such range.
        if case .failure(let error) = answer, error.status == 416 {
            return try client.open(url, isICY: isICY, unpacks: unpacks)
        }
        return try answer.get()
    }

    private func adopt(_ transfer: HTTPTransfer, at place: Int) {
        self.transfer = transfer
        transferPosition = place
        transferStart = position
        isBounded = transfer.head.status == 206 && transfer.head.length.map { place + $0 < size ?? .max } ?? false
        transfer.wakesFrom = wakesFrom
        // A lost source is restored once bytes arrive.
        if reconnection.attempt == 0 { tell(.connected) }
    }

    /// Aborts the transfer.
    private func leave() {
        transfer?.cancel()
        transfer = nil
    }

    /// Ends a transfer that lacks at most `rest` bytes of the resource: it counts as complete, and its connection is
    /// free.
    private func leave(within rest: Int) {
        if let size, transferPosition + rest >= size { leave() }
    }

    // MARK: Recovery

    /// Repeats an action until it succeeds, or the policy gives up.
    private func retrying<Value>(_ body: () throws(HTTPError) -> Value) throws(HTTPError) -> Value {
        while true {
            let result = Result { () throws(HTTPError) in
                try awaitAttempt()
                client.answerDeadline = reconnection.contactDeadline
                return try body()
            }
            switch result {
            case .success(let value): return value
            case .failure(let error):
                if error.kind == .interrupted { throw error }
                leave()
                try schedule(after: error)
            }
        }
    }

    private func awaitAttempt() throws(HTTPError) {
        guard let time = nextAttempt else { return }
        try client.sleep(until: time)
        nextAttempt = nil
        reconnection.began(now: .now)
    }

    /// Reports an error, and schedules the retry.
    private func schedule(after failure: HTTPError) throws(HTTPError) {
        let error = reconnection.hasSucceeded ? failure : explained(failure)
        let now = HostTime.now
        fresh = 0
        let decision = reconnection.failed(error, isLive: isLive, now: now, random: .random(in: 0...1))
        report(.failed(StreamFailure(error, url: url, isFinal: decision == .giveUp)))
        guard case .retry(let time) = decision else { throw error }
        nextAttempt = time
        tell(
            .reconnecting(
                .init(
                    reason: error.comment,
                    attempt: reconnection.attempt,
                    next: time,
                    since: reconnection.since ?? now
                )
            )
        )
    }

    /// An error with what this machine knows of its reason.
    private func explained(_ error: HTTPError) -> HTTPError {
        var error = error
        error.isOffline = error.isOfUnreachableHost && !hasDefaultRoute()
        // One that took long to fail was not answered, and would take long again.
        let isQuick = reconnection.elapsed(now: .now) < Self.quickAnswer
        if error.kind == .resolving, !error.isOffline, isQuick, error.proxy == nil,
            let host = try? WebAddress(url).host
        {
            error.isUnknownHost = isUnknown(host: host)
        }
        return error
    }

    /// Seconds in which a name server answers that can be reached.
    private static let quickAnswer = 2.0

    private func tell(_ connection: StreamStatus.Connection) {
        guard self.connection != connection else { return }
        self.connection = connection
        var status = StreamStatus()
        status.connection = connection
        status.isLive = isLive
        status.throughput = client.throughput
        report(.changed(status))
    }

    /// Counts new bytes.
    private func record(_ count: Int) {
        guard count > 0 else { return }
        fresh += count
        if case .reconnecting = connection { tell(.connected) }
        if fresh > 4096, reconnection.attempt > 0 || !reconnection.hasSucceeded { reconnection.succeeded() }
    }

    // MARK: Reading

    /// Reads the next bytes.
    ///
    /// Throws a temporary error only when it is live; after `.interrupted`, `read` may be called again.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    ///
    /// - Returns: How many bytes; 0 at the end.
    package func read(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        guard unsafe !target.isEmpty else { return 0 }
        while true {
            if isLive { return try unsafe readLive(into: target) }
            if let whole, position < whole.count {
                let count = min(target.count, whole.count - position)
                unsafe target.copyBytes(from: whole[position..<position + count])
                position += count
                return count
            }
            if let size, position >= size {
                leave(within: Self.tail)
                tell(.complete)
                return 0
            }
            let kept = unsafe cache.copy(at: position, into: target)
            if kept > 0 {
                position += kept
                return kept
            }
            if let start = tailStart {
                cache.keep(try fetch(from: start, to: size ?? start), at: start)
                continue
            }
            let count = try retrying { () throws(HTTPError) in try unsafe readOn(into: target) }
            if let count { return count }
        }
    }

    private func readLive(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        while true {
            guard let transfer else { throw HTTPError(.closedEarly) }
            var count = try unsafe transfer.read(into: target)
            guard count > 0 else { throw HTTPError(.closedEarly, serverAddress: head.serverAddress) }
            record(count)
            if icy != nil {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: target[..<count])
                count =
                    unsafe icy?.strip(part) { block, place in
                        guard let metadata = ICYMetadata(block: block, &texts) else { return }
                        onMetadata?(metadata, position + place)
                    } ?? count
            }
            position += count
            if count > 0 { return count }
        }
    }

    /// Reads once.
    ///
    /// - Returns: `nil` when there were no new bytes, but there are more.
    private func readOn(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int? {
        guard let transfer = try transferBeforePosition() else { return nil }
        let missing = position - transferPosition
        let part = unsafe UnsafeMutableRawBufferPointer(
            rebasing: missing > 0 ? target[..<min(target.count, missing)] : target[...]
        )
        let count = try unsafe transfer.read(into: part)
        guard count > 0 else {
            try endBody()
            return nil
        }
        unsafe cache.store(UnsafeRawBufferPointer(rebasing: part[..<count]), at: transferPosition)
        transferPosition += count
        leave(within: 0)
        // Bytes read again and dropped are no progress.
        guard missing <= 0 else { return nil }
        record(count)
        position += count
        return count
    }

    /// Handles a body that has ended as announced.
    private func endBody() throws(HTTPError) {
        leave()
        if isBounded {
            guard transferPosition > transferStart else {
                throw HTTPError(.closedEarly, serverAddress: head.serverAddress)
            }
            return
        }
        guard let size else {
            // Now the size is known.
            head.size = transferPosition
            return
        }
        if transferPosition < size { throw HTTPError(.closedEarly, serverAddress: head.serverAddress) }
    }

    // MARK: Positions

    /// Sets the position of the next `read`, without a request until then.
    package func seek(to position: Int) {
        guard position != self.position else { return }
        self.position = max(0, position)
        isAfterSeek = true
        if connection == .complete { connection = .connected }
    }

    /// Whether reading on to `position` is cheaper than a request.
    private var isNear: Bool {
        guard transfer != nil, transferPosition <= position else { return false }
        return position - transferPosition <= Self.nearAhead || head.acceptsRanges != true
    }

    /// The start of a part to fetch out of order, such as the end, after which reading usually continues elsewhere.
    private var tailStart: Int? {
        guard let size, isSeekable, transfer != nil, !isNear, position >= size - Self.tail else { return nil }
        // On a slow network, only the requested part.
        return (client.throughput ?? .infinity) < 2_000_000 ? position : max(0, size - Self.tail)
    }

    /// A transfer whose next byte is at `position` or before; `nil` when the resource has turned out to end here, or to
    /// be a broadcast.
    private func transferBeforePosition() throws(HTTPError) -> HTTPTransfer? {
        if isNear { return transfer }
        leave()
        let place = head.acceptsRanges == false ? 0 : position
        let last = isAfterSeek && isSeekable ? size.map { min($0, place + Self.firstReach) - 1 } : nil
        guard let transfer = try request(place == 0 && last == nil ? nil : range(place, last)) else { return nil }
        isAfterSeek = false
        if transfer.head.status == 206 || position == 0 {
            adopt(transfer, at: transfer.head.start)
            return transfer
        }
        // Ranges are not supported: the bytes before are read again, and dropped.
        head.acceptsRanges = false
        guard let same = try sameBytes(transfer) else {
            transfer.cancel()
            isBroadcast = true
            return nil
        }
        adopt(transfer, at: same)
        return transfer
    }

    /// Reads the start of a body again, if it may be a broadcast's.
    ///
    /// - Returns: The number of bytes read; `nil` when they differ from before.
    private func sameBytes(_ transfer: HTTPTransfer) throws(HTTPError) -> Int? {
        guard size == nil, lead() < Self.burst else { return 0 }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        var count = 0
        while let known = cache.bytes(at: count, count: min(buffer.count, Self.compared - count, position - count)),
            !known.isEmpty
        {
            let answer = unsafe buffer.withUnsafeMutableBytes { buffer in
                Result { () throws(HTTPError) in
                    try unsafe transfer.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<known.count]))
                }
            }
            let got = try answer.get()
            guard got > 0, known.starts(with: buffer[..<got]) else { return nil }
            count += got
        }
        return count
    }

    private func range(_ first: Int, _ last: Int?) -> HTTPRange {
        let tag = head.entityTag.flatMap { $0.hasPrefix("W/") ? nil : $0 }
        return HTTPRange(first: first, last: last, validator: tag ?? head.lastModified)
    }

    /// Requests a part, and checks that it belongs to the same resource.
    ///
    /// - Returns: `nil` when the resource ends at the start of the part.
    private func request(_ range: HTTPRange?) throws(HTTPError) -> HTTPTransfer? {
        let result = Result { () throws(HTTPError) in
            try client.open(finalURL ?? url, range: range, unpacks: unpacks)
        }
        switch result {
        case .success(let transfer):
            try check(transfer, range)
            if finalURL == nil { finalURL = transfer.head.url }
            return transfer
        case .failure(let error):
            let wasFinal = finalURL != nil && finalURL != url
            if error.kind != .interrupted { finalURL = nil }
            // The target of a redirection may be temporary; the original URL stays valid.
            if let status = error.status, (400..<500).contains(status), status != 416, wasFinal {
                return try request(range)
            }
            guard error.status == 416 else { throw error }
            let end = error.size ?? (isBounded ? range?.first : nil)
            if let range, size == nil, end == range.first {
                // Now the size is known.
                head.size = range.first
                return nil
            }
            throw hasChanged(error, range) ? HTTPError(.changed, serverAddress: error.serverAddress) : error
        }
    }

    /// Whether a part was refused because there is another resource now.
    private func hasChanged(_ refusal: HTTPError, _ range: HTTPRange?) -> Bool {
        var other = HTTPHead()
        (other.size, other.entityTag) = (refusal.size, refusal.entityTag)
        if !head.isSame(as: other) { return true }
        // All before the part was there.
        return size == nil && refusal.size.map { $0 < range?.first ?? 0 } ?? false
    }

    private func check(_ transfer: HTTPTransfer, _ range: HTTPRange?) throws(HTTPError) {
        let new = transfer.head
        if !head.isSame(as: new) { throw HTTPError(.changed, serverAddress: new.serverAddress) }
        // Caches may start earlier, at a block boundary.
        let isFitting = { (first: Int) in new.start == first || transfer.parser.namesPart && new.start < first }
        if let range, new.status == 206, !isFitting(range.first) {
            throw HTTPError(.malformed, serverAddress: new.serverAddress)
        }
        if head.size == nil { head.size = new.size }
        if new.acceptsRanges == true { head.acceptsRanges = true }
    }

    // MARK: Random access

    /// Bytes at any offset, without changing the read position; fewer only at the end, or without range support.
    package func bytes(at offset: Int, count: Int) throws(HTTPError) -> [UInt8] {
        let count = max(0, min(count, (size ?? .max) - offset))
        guard count > 0 else { return [] }
        if let whole { return Array(whole[offset..<offset + count]) }
        if let bytes = cache.bytes(at: offset, count: count) { return bytes }
        guard isSeekable, let size else { return [] }
        // Reads near an offset usually continue with the following bytes.
        let reach = min(max(count, Self.tail), size - offset)
        let start = reach < Self.tail ? max(0, size - Self.tail) : offset
        let bytes = try fetch(from: start, to: offset + reach)
        cache.keep(bytes, at: start)
        let skipped = min(offset - start, bytes.count)
        return Array(bytes[skipped..<min(bytes.count, skipped + count)])
    }

    /// Reads a resource through that cannot be sought in, so that it can from then on; the next `read` starts at 0.
    ///
    /// One that was taken for a broadcast, because its server tells no length, is none from then on.
    ///
    /// - Parameters:
    ///   - beginning: Its first bytes, which were read already.
    ///   - limit: Bytes to which memory is given.
    /// - Returns: Whether it is no longer than that.
    package func gather(_ beginning: [UInt8], atMost limit: Int) throws(HTTPError) -> Bool {
        guard icy == nil, size ?? 0 <= limit else { return false }
        var bytes = beginning
        if let size { bytes.reserveCapacity(size) }
        // Without a length it ends with its connection.
        let endsWithConnection = isLive
        if !endsWithConnection { seek(to: beginning.count) }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let answer = unsafe buffer.withUnsafeMutableBytes { buffer in
                Result { () throws(HTTPError) in
                    try unsafe endsWithConnection ? transfer?.read(into: buffer) ?? 0 : read(into: buffer)
                }
            }
            let count = try answer.get()
            if count == 0 { break }
            if endsWithConnection { record(count) }
            guard bytes.count + count <= limit else { return false }
            bytes += buffer[..<count]
        }
        leave()
        whole = bytes
        cache.removeAll()
        seek(to: 0)
        return true
    }

    /// A complete part, over a separate connection while the other one is in use; less without range support.
    private func fetch(from start: Int, to end: Int) throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        while start + bytes.count < end, isSeekable {
            try retrying { () throws(HTTPError) in try fetchOn(&bytes, from: start, to: end) }
        }
        return bytes
    }

    /// Appends the bytes of one request, also if it breaks off.
    private func fetchOn(_ bytes: inout [UInt8], from start: Int, to end: Int) throws(HTTPError) {
        let first = start + bytes.count
        guard let transfer = try request(range(first, end - 1)), transfer.head.status == 206 else {
            head.acceptsRanges = false
            return
        }
        var place = transfer.head.start
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while place < end {
            let result = unsafe buffer.withUnsafeMutableBytes { buffer in
                Result { () throws(HTTPError) in try unsafe transfer.read(into: buffer) }
            }
            let got = try result.get()
            if got == 0 { break }
            let skipped = min(got, max(0, first - place))
            let wanted = buffer[skipped..<max(skipped, min(got, end - place))]
            bytes += wanted
            record(wanted.count)
            place += got
        }
        transfer.cancel()
        if start + bytes.count == first { throw HTTPError(.closedEarly, serverAddress: head.serverAddress) }
    }
}
