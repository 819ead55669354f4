package import AudioTypes

/// A resource as bytes at any place, that heals itself.
///
/// One thread's. A medium with an end is read on at the same byte after an outage, as if nothing had happened; one
/// without throws, and its caller opens it anew, at what is on now, by `reopen`.
package final class HTTPSource {
    /// Without a request: what lies ahead by less is read and dropped.
    static let nearAhead = 256 << 10
    /// The first request after a seek asks for so much only, so that the next seek finds its connection free.
    static let firstReach = 128 << 10
    /// The end that is fetched at once and kept, for tags and indexes that stand there.
    static let tail = 64 << 10

    package let url: String
    package let client: HTTPClient
    private let report: @Sendable (StreamEvent) -> Void
    /// What the server said first, or after the last `reopen`.
    package private(set) var head = HTTPHead()
    private var hasOpened = false
    /// Whether it has turned out to be a broadcast, though its server does not say so.
    private var isBroadcast = false
    /// Where `read` goes on.
    package private(set) var position = 0
    /// Called by `read` before it returns the bytes for which it holds: what is on now, and the place from which on.
    package var onMetadata: ((ICYMetadata, _ offset: Int) -> Void)?

    /// Bytes that have to be there before `read` wakes up for them, while more are to come: a trickle is not worth
    /// waking up for as long as there is enough to play.
    package var wakesFrom = 1 { didSet { transfer?.wakesFrom = wakesFrom } }

    /// Seconds of media that have come beyond the seconds that have passed since it was begun; told by who reads it.
    package var lead: () -> Double = { .infinity }
    /// A broadcast's server sends so many seconds at once at most.
    private static let burst = 20.0
    /// Bytes by which two bodies are told apart.
    private static let compared = 16_384

    private var transfer: HTTPTransfer?
    /// The place of the transfer's next byte.
    private var transferPosition = 0
    /// The place from which on the transfer's bytes were wanted.
    private var transferStart = 0
    /// Whether the transfer ends before the resource, as asked or as the server likes it.
    private var isBounded = false
    private var isAfterSeek = false
    /// Whether its server packs it.
    private var unpacks = false
    /// Where redirections led; asked first.
    private var finalURL: String?
    private var cache = ByteCache()
    private var icy: ICYStream?
    private var reconnection: Reconnection
    /// Not before then may a server be asked again.
    private var nextAttempt: HostTime?
    /// Bytes since the last failure that were not there before.
    private var fresh = 0
    private var connection: StreamStatus.Connection?

    /// - Parameter report: Gets what goes wrong, and when it is lost, back, and complete; on the calling thread.
    package init(
        _ url: String,
        client: HTTPClient,
        options: StreamOptions,
        report: @escaping @Sendable (StreamEvent) -> Void
    ) {
        self.url = url
        self.client = client
        self.report = report
        reconnection = Reconnection(limit: options.reconnectLimit)
    }

    /// Bytes of the whole; `nil` when there is no end or it is not known.
    package var size: Int? { head.size }
    /// Whether `read` can go on anywhere without taking in all that lies before.
    package var isSeekable: Bool { head.size != nil && head.acceptsRanges == true }
    /// Whether it has no end, and each listener gets what is on now.
    package var isLive: Bool { hasOpened && (head.isLive || isBroadcast && head.size == nil) }

    /// - Parameter limit: Seconds of an outage after which it is given up; `nil`: none.
    package func limitReconnection(to limit: Double?) { reconnection = Reconnection(limit: limit) }

    // MARK: Opening

    /// Asks for it, again and again as the policy says.
    package func open() throws(HTTPError) -> HTTPHead {
        try retrying { () throws(HTTPError) in try begin() }
        return head
    }

    /// Asks for it anew after a temporary error of a live medium.
    ///
    /// Waits as the policy says, and reads on at what is on now. `position` goes on, except where what is there now has an
    /// end: then it is 0.
    ///
    /// - Parameter error: What `read` threw, or what was found wrong with what it gave.
    package func reopen(after error: HTTPError) throws(HTTPError) -> HTTPHead {
        if nextAttempt == nil {
            leave()
            try schedule(after: error)
        }
        return try open()
    }

    /// Asks for it from the beginning.
    private func begin() throws(HTTPError) {
        leave()
        finalURL = nil
        unpacks = false
        var transfer = try first(isICY: true)
        if transfer.head.isPacked {
            // Nobody has asked for that, but who asks gets it unpacked.
            transfer.cancel()
            unpacks = true
            transfer = try first(isICY: true)
        }
        if transfer.head.size != nil, transfer.head.icy["icy-metaint"] != nil {
            // Titles inside of what has an end would stand in the way of every range.
            transfer.cancel()
            transfer = try first(isICY: false)
        }
        head = transfer.head
        hasOpened = true
        if !isLive { position = 0 }
        finalURL = head.url
        cache.removeAll()
        icy = head.icy["icy-metaint"].flatMap { Int($0) }.flatMap { $0 > 0 ? ICYStream(interval: $0) : nil }
        take(transfer, at: 0)
    }

    /// The first request asks for a range that is all of it: the answer tells whether ranges are to be had.
    private func first(isICY: Bool) throws(HTTPError) -> HTTPTransfer {
        let answer = Result { () throws(HTTPError) in
            try client.open(url, range: HTTPRange(first: 0), isICY: isICY, unpacks: unpacks)
        }
        // What is empty has no such range.
        if case .failure(let error) = answer, error.status == 416 {
            return try client.open(url, isICY: isICY, unpacks: unpacks)
        }
        return try answer.get()
    }

    private func take(_ transfer: HTTPTransfer, at place: Int) {
        self.transfer = transfer
        transferPosition = place
        transferStart = position
        isBounded = transfer.head.status == 206 && transfer.head.length.map { place + $0 < size ?? .max } ?? false
        transfer.wakesFrom = wakesFrom
        // One that was lost is back when bytes come.
        if reconnection.attempt == 0 { tell(.connected) }
    }

    /// Gives the transfer up.
    private func leave() {
        transfer?.cancel()
        transfer = nil
    }

    /// Ends a transfer of which no more than `rest` bytes of the resource are missing: it counts as done, and its
    /// connection is free.
    private func leave(within rest: Int) {
        if let size, transferPosition + rest >= size { leave() }
    }

    // MARK: Healing

    /// Does something until it is done, or the policy says that it will not be.
    private func retrying<Value>(_ body: () throws(HTTPError) -> Value) throws(HTTPError) -> Value {
        while true {
            let result = Result { () throws(HTTPError) in
                try awaitAttempt()
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

    /// Tells what happened, and says when it is tried again.
    private func schedule(after error: HTTPError) throws(HTTPError) {
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

    private func tell(_ connection: StreamStatus.Connection) {
        guard self.connection != connection else { return }
        self.connection = connection
        var status = StreamStatus()
        status.connection = connection
        status.isLive = isLive
        status.throughput = client.throughput
        report(.changed(status))
    }

    /// Bytes have come that were not there before.
    private func note(_ count: Int) {
        guard count > 0 else { return }
        fresh += count
        if case .reconnecting = connection { tell(.connected) }
        if fresh > 4096, reconnection.attempt > 0 || !reconnection.hasSucceeded { reconnection.succeeded() }
    }

    // MARK: Reading

    /// Reads on.
    ///
    /// Throws a temporary error only when it is live; `.interrupted` can be followed by another `read`.
    ///
    /// - Returns: How many bytes; 0 at the end.
    package func read(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int {
        guard unsafe !target.isEmpty else { return 0 }
        while true {
            if isLive { return try unsafe readLive(into: target) }
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
            note(count)
            if icy != nil {
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: target[..<count])
                count = unsafe icy?.strip(part) { onMetadata?($0, position + $1) } ?? count
            }
            position += count
            if count > 0 { return count }
        }
    }

    /// Reads once.
    ///
    /// - Returns: `nil` when that brought nothing, but there is more.
    private func readOn(into target: UnsafeMutableRawBufferPointer) throws(HTTPError) -> Int? {
        guard let transfer = try transferBeforePosition() else { return nil }
        let missing = position - transferPosition
        let part = unsafe UnsafeMutableRawBufferPointer(
            rebasing: missing > 0 ? target[..<min(target.count, missing)] : target[...]
        )
        let count = try unsafe transfer.read(into: part)
        guard count > 0 else {
            try noteEnd()
            return nil
        }
        unsafe cache.note(UnsafeRawBufferPointer(rebasing: part[..<count]), at: transferPosition)
        transferPosition += count
        leave(within: 0)
        // What is read once more and dropped is no progress.
        guard missing <= 0 else { return nil }
        note(count)
        position += count
        return count
    }

    /// A body has ended as its server had promised.
    private func noteEnd() throws(HTTPError) {
        leave()
        if isBounded {
            guard transferPosition > transferStart else {
                throw HTTPError(.closedEarly, serverAddress: head.serverAddress)
            }
            return
        }
        guard let size else {
            // Now it is known.
            head.size = transferPosition
            return
        }
        if transferPosition < size { throw HTTPError(.closedEarly, serverAddress: head.serverAddress) }
    }

    // MARK: Places

    /// Sets where `read` goes on; costs nothing until then.
    package func seek(to position: Int) {
        guard position != self.position else { return }
        self.position = max(0, position)
        isAfterSeek = true
        if connection == .complete { connection = .connected }
    }

    /// Whether what is at `position` is read on to.
    private var isNear: Bool {
        guard transfer != nil, transferPosition <= position else { return false }
        return position - transferPosition <= Self.nearAhead || head.acceptsRanges != true
    }

    /// Where a part begins that is fetched beside the reading: for a look at the end, from which one mostly comes back.
    private var tailStart: Int? {
        guard let size, isSeekable, transfer != nil, !isNear, position >= size - Self.tail else { return nil }
        // Of a slow network no more than is wanted.
        return (client.throughput ?? .infinity) < 2_000_000 ? position : max(0, size - Self.tail)
    }

    /// A transfer whose next byte is the one at `position`, or stands before it; `nil` when it has turned out to end here,
    /// or to be a broadcast.
    private func transferBeforePosition() throws(HTTPError) -> HTTPTransfer? {
        if isNear { return transfer }
        leave()
        let place = head.acceptsRanges == false ? 0 : position
        let last = isAfterSeek && isSeekable ? size.map { min($0, place + Self.firstReach) - 1 } : nil
        guard let transfer = try request(place == 0 && last == nil ? nil : range(place, last)) else { return nil }
        isAfterSeek = false
        if transfer.head.status == 206 || position == 0 {
            take(transfer, at: transfer.head.start)
            return transfer
        }
        // Ranges are refused: what was heard is read once more, and dropped.
        head.acceptsRanges = false
        guard let same = try sameBytes(transfer) else {
            transfer.cancel()
            isBroadcast = true
            return nil
        }
        take(transfer, at: same)
        return transfer
    }

    /// Reads the beginning of a body once more, where it may be a broadcast's.
    ///
    /// - Returns: How many bytes were read; `nil` when they are others than before.
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

    /// Asks for a part; checks that it is one of what was begun.
    ///
    /// - Returns: `nil` when there is none, because the resource ends where the part would begin.
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
            // Where a redirection led may not be meant for later; the beginning of the way is.
            if let status = error.status, (400..<500).contains(status), status != 416, wasFinal {
                return try request(range)
            }
            guard error.status == 416 else { throw error }
            let end = error.size ?? (isBounded ? range?.first : nil)
            guard let range, size == nil, end == range.first else {
                throw HTTPError(.changed, serverAddress: error.serverAddress)
            }
            // Now it is known.
            head.size = range.first
            return nil
        }
    }

    private func check(_ transfer: HTTPTransfer, _ range: HTTPRange?) throws(HTTPError) {
        let new = transfer.head
        if !head.isSame(as: new) { throw HTTPError(.changed, serverAddress: new.serverAddress) }
        // Caches may begin earlier, at a block's bound.
        let isFitting = { (first: Int) in new.start == first || transfer.parser.namesPart && new.start < first }
        if let range, new.status == 206, !isFitting(range.first) {
            throw HTTPError(.malformed, serverAddress: new.serverAddress)
        }
        if head.size == nil { head.size = new.size }
        if new.acceptsRanges == true { head.acceptsRanges = true }
    }

    // MARK: Beside the reading

    /// Bytes at any place, beside the reading; fewer than asked for only at the end, and where ranges are refused.
    package func bytes(at offset: Int, count: Int) throws(HTTPError) -> [UInt8] {
        let count = max(0, min(count, (size ?? .max) - offset))
        guard count > 0 else { return [] }
        if let bytes = cache.bytes(at: offset, count: count) { return bytes }
        guard isSeekable, let size else { return [] }
        // Whoever looks at a place mostly looks at the next ones too.
        let reach = min(max(count, Self.tail), size - offset)
        let start = reach < Self.tail ? max(0, size - Self.tail) : offset
        let bytes = try fetch(from: start, to: offset + reach)
        cache.keep(bytes, at: start)
        let skipped = min(offset - start, bytes.count)
        return Array(bytes[skipped..<min(bytes.count, skipped + count)])
    }

    /// A part in full, over a connection of its own while the other one is in use; less where ranges are refused.
    private func fetch(from start: Int, to end: Int) throws(HTTPError) -> [UInt8] {
        var bytes: [UInt8] = []
        while start + bytes.count < end, isSeekable {
            try retrying { () throws(HTTPError) in try fetchOn(&bytes, from: start, to: end) }
        }
        return bytes
    }

    /// Appends what one request brings, and keeps it if that breaks off.
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
            note(wanted.count)
            place += got
        }
        transfer.cancel()
        if start + bytes.count == first { throw HTTPError(.closedEarly, serverAddress: head.serverAddress) }
    }
}
