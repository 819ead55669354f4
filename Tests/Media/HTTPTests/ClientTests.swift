import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import Testing

@Suite(.blocking) struct ClientTests {
    /// What a server is told to say, and the head that comes of it.
    @Test(
        arguments: [
            (
                "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: 3\r\nAccept-Ranges: bytes\r\nETag: \"x\"",
                "audio/mpeg", 3, true, false, [:]
            ),
            ("HTTP/1.0 200 OK\r\nContent-Type:audio/ogg", "audio/ogg", nil, nil, true, [:]),
            (
                "ICY 200 OK\r\nicy-name: Radio  \r\nicy-metaint:8192\r\nContent-Type: audio/mpeg", "audio/mpeg", nil,
                nil,
                true, ["icy-name": "Radio", "icy-metaint": "8192"]
            ),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", nil, nil, nil, false, [:]),
            ("HTTP/1.1 200 OK\r\nIcy-Br: 128\r\nTransfer-Encoding: chunked", nil, nil, nil, true, ["icy-br": "128"]),
            // What has no end and says it has one.
            ("HTTP/1.1 200 OK\r\nicy-name: R\r\nContent-Length: 54000000", nil, nil, nil, true, ["icy-name": "R"]),
            ("HTTP/1.1 200 OK\r\nAccept-Ranges: none\r\nContent-Length: 9", nil, 9, false, false, [:]),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9", nil, 9, nil, false, [:]),
            ("HTTP/1.1 200 OK\nContent-Length: 9", nil, 9, nil, false, [:]),
            (
                "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-8/9\r\nContent-Length: 9", nil, 9, true, false,
                [:]
            ),
            ("HTTP/1.1 200 OK\r\nicy-name: M\u{fc}ll\r\nContent-Length: 9", nil, nil, nil, true, ["icy-name": "Müll"]),
        ] as [(String, String?, Int?, Bool?, Bool, [String: String])]
    )
    func headsAreRead(
        head: String,
        type: String?,
        size: Int?,
        acceptsRanges: Bool?,
        isLive: Bool,
        icy: [String: String]
    ) async throws {
        let server = try HostileServer { exchange in
            exchange.send(head + "\r\n\r\nabc")
            exchange.waitForEnd()
        }
        let url = server.url("x")
        let read = try await onThread { try client().open(url).head }
        #expect(read.contentType == type)
        #expect(read.size == size)
        #expect(read.acceptsRanges == acceptsRanges)
        #expect(read.isLive == isLive)
        #expect(read.icy == icy)
        #expect(read.serverAddress == "127.0.0.1")
        #expect(read.url == url)
    }

    /// What goes wrong before a body, each with a server that does it.
    @Test(
        arguments: [
            ("says nothing", .silent), ("closes at once", .closedEarly), ("resets", .reset(code: 104)),
            ("speaks something else", .malformed), ("redirects in a circle", .redirects),
            ("endless headers", .tooLarge),
            ("an endless header", .tooLarge), ("interim answers without end", .tooLarge),
            ("headers drop by drop", .slow),
            ("half a head", .silent), ("redirects to a file", .refused("'file:' is not fetched over HTTP")),
            ("redirects nowhere", .status(302, "Found")), ("HTTP/0.9", .malformed),
        ] as [(String, HTTPError.Kind)]
    )
    func faultsAreToldApart(what: String, expected: HTTPError.Kind) async throws {
        let server = try HostileServer { Self.misbehave(what, $0) }
        let url = server.url("x")
        // Only those that are slow are waited for in vain.
        let options = [.silent, .slow].contains(expected) ? HTTPOptions.impatient() : HTTPOptions()
        let found = try await onThread { failure { () throws(HTTPError) in try client(options).open(url) } }
        #expect(found == expected)
        // The endless response is not read any more.
        #expect(server.state.current.bytes < 16 << 20)
    }

    private static func misbehave(_ what: String, _ exchange: HostileServer.Exchange) {
        switch what {
        case "says nothing": exchange.waitForEnd()
        case "closes at once": break
        case "resets": exchange.reset()
        case "speaks something else":
            exchange.send("SSH-2.0-OpenSSH_9.2\r\n")
            exchange.waitForEnd()
        case "HTTP/0.9": exchange.send("ID3 this is music")
        case "redirects in a circle":
            let next = exchange.path == "/x" ? "y" : "x"
            exchange.answer("302 Found", headers: ["Location: \(next)"])
        case "endless headers":
            exchange.send("HTTP/1.1 200 OK\r\n")
            while exchange.send("X-Header: \(String(repeating: "x", count: 400))\r\n") {}
        case "an endless header":
            exchange.send("HTTP/1.1 200 OK\r\nX-Header: ")
            while exchange.send(String(repeating: "x", count: 4096)) {}
        case "interim answers without end": while exchange.send("HTTP/1.1 100 Continue\r\nX: y\r\n\r\n") {}
        case "headers drop by drop":
            exchange.send("HTTP/1.1 200 OK\r\n")
            while exchange.pause(0.1), exchange.send("X: y\r\n") {}
        case "half a head":
            exchange.send("HTTP/1.1 200 OK\r\nContent-Le")
            exchange.waitForEnd()
        case "redirects to a file": exchange.answer("302 Found", headers: ["Location: file:///etc/passwd"])
        case "redirects nowhere": exchange.answer("302 Found")
        default: break
        }
    }

    /// Where a redirection from `/dir/x?q` leads.
    @Test(arguments: [
        ("y", "/dir/y"), ("../y", "/y"), ("a/../y?z", "/dir/y?z"), ("?z", "/dir/x?z"), ("/a/./y#z", "/a/y"),
        ("ä b", "/dir/%c3%a4%20b"), ("//127.0.0.1:PORT/y", "/y"), ("HTTP://127.0.0.1:PORT/a/../y", "/y"),
    ])
    func redirectionsAreResolved(location: String, expected: String) async throws {
        let server = try HostileServer { exchange in
            guard exchange.path == "/dir/x?q" else { return exchange.answer("200 OK", "text/plain", [], length: 0) }
            let port = exchange.head.firstRange(of: "127.0.0.1:").map { range in
                exchange.head[range.upperBound...].prefix(while: \.isNumber)
            }
            let target = location.replacing("PORT", with: port ?? "")
            exchange.answer("302 Found", headers: ["Location: \(target)"])
        }
        let url = server.url("dir/x?q")
        _ = try await onThread { try client().fetch(url, atMost: 100) }
        let words = server.state.current.requests.last?.split(separator: " ") ?? []
        // Versions of libcurl differ in the case of hexadecimal digits.
        #expect(words.dropFirst().first?.lowercased() == expected)
    }

    /// What goes wrong inside of a body of 100 bytes.
    @Test(
        arguments: [
            ("closes early", .closedEarly), ("resets", .reset(code: 104)), ("says no more", .silent),
            ("next to nothing", .slow), ("breaks off between chunks", .closedEarly),
            ("lies about chunks", .reset(code: 0)),
        ] as [(String, HTTPError.Kind)]
    )
    func faultsInsideABodyAreToldApart(what: String, expected: HTTPError.Kind) async throws {
        let server = try HostileServer { exchange in
            if what.contains("chunks") {
                exchange.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
                if what == "lies about chunks" { exchange.send("zzz\r\n") }
                return
            }
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhello")
            switch what {
            case "resets":
                _ = exchange.pause(0.05)
                exchange.reset()
            case "says no more": exchange.waitForEnd()
            case "next to nothing": while exchange.pause(0.1), exchange.send("x") {}
            default: break
            }
        }
        let url = server.url("x")
        let options = [.silent, .slow].contains(expected) ? HTTPOptions.impatient() : HTTPOptions()
        let found = try await onThread {
            let transfer = try client(options).open(url)
            return failure { () throws(HTTPError) in try transfer.rest() }
        }
        #expect(found == expected)
    }

    @Test func itIsKnownWhereNobodyIs() async throws {
        let port = try steadyPort()
        let errors = try await onThread {
            let urls = ["http://127.0.0.1:\(port)/", "http://nobody.invalid/", "ftp://127.0.0.1/", "no url", "http://"]
            return urls.map { url in failure { () throws(HTTPError) in try client().open(url) } }
        }
        #expect(errors[0] == .connecting(code: 111))
        #expect(errors[1] == .resolving)
        #expect(errors[2] == .refused("'ftp:' is not fetched over HTTP"))
        for error in errors[3...] { #expect(error == .refused("not a URL that can be fetched")) }
    }

    @Test(
        arguments: [
            ("503 Service Unavailable", "Retry-After: 7", .status(503, "Service Unavailable"), 7.0...7.0),
            ("503 Busy", "Retry-After: 99999999999999", .status(503, "Busy"), 86_400...86_400),
            ("429 Too Many Requests", "Retry-After: 1", .status(429, "Too Many Requests"), 1...1),
            ("503 Busy", "Retry-After: soon", .status(503, "Busy"), nil), ("404", "X: y", .status(404, ""), nil),
            ("503 Busy", "DATE", .status(503, "Busy"), 85...90),
            ("503 Busy", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT", .status(503, "Busy"), nil),
        ] as [(String, String, HTTPError.Kind, ClosedRange<Double>?)]
    )
    func aServerSaysWhenToComeBack(
        status: String,
        header: String,
        kind: HTTPError.Kind,
        seconds: ClosedRange<Double>?
    ) async throws {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(identifier: "GMT")
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let date = format.string(from: Date(timeIntervalSinceNow: 90))
        let line = header == "DATE" ? "Retry-After: \(date)" : header
        let server = try HostileServer { $0.answer(status, headers: [line]) }
        let url = server.url("x")
        let result = await Result.of { try await onThread { try client().open(url).head.status } }
        let error = try #require(result.error as? HTTPError)
        #expect(error.kind == kind)
        if let seconds {
            #expect(error.retryAfter.map { seconds.contains($0) } == true, "\(error)")
        } else {
            #expect(error.retryAfter == nil)
        }
    }

    @Test(.enabled(if: WebServer.missing.isEmpty))
    func aConnectionServesOneRequestAfterTheOther() async throws {
        let server = try await WebServer.start(.redirect("old/", to: "/$1"))
        let bytes = pattern(300_000)
        try server.publish(bytes: bytes, as: "a.bin")
        let (whole, gone) = (server.url("old/a.bin"), server.url("gone.bin"))
        let reports = Reports()
        try await onThread {
            let client = client(HTTPOptions(), reports)
            #expect(try client.open(whole).rest() == bytes)
            #expect(throws: HTTPError.self) { try client.open(gone) }
            #expect(try client.open(whole, range: HTTPRange(first: 100, last: 199)).rest() == Array(bytes[100..<200]))
            // What is there already is taken in, to keep the connection.
            let part = try client.open(whole, range: HTTPRange(first: 0, last: 149_999))
            _ = try part.next(1000)
            try wait(for: "the whole answer") { server.requests.count == 7 }
            part.cancel()
            #expect(try client.fetch(whole, atMost: 300_000).bytes == bytes)
        }
        let requests = try await server.waitForRequests { $0.count == 9 }
        #expect(Set(requests.map(\.connection)).count == 1)
        #expect(requests.allSatisfy { $0.userAgent == "Segue/\(Product.version)" })
        #expect(reports.transfers.map(\.bytes).filter { $0 == 300_000 }.count == 2)
    }

    @Test(.enabled(if: WebServer.missing.isEmpty))
    func transfersRunSideBySide() async throws {
        let server = try await WebServer.start()
        let bytes = pattern(3_000_000)
        try server.publish(bytes: bytes, as: "a.bin")
        let url = server.url("a.bin")
        try await onThread {
            let client = client()
            let one = try client.open(url)
            let other = try client.open(url, range: HTTPRange(first: 1_000_000))
            var heads: [[UInt8]] = [[], []]
            for _ in 0..<20 {
                heads[0] += try one.next(10_000)
                heads[1] += try other.next(10_000)
            }
            heads[0] += try one.rest()
            heads[1] += try other.rest()
            #expect(heads[0] == bytes)
            #expect(heads[1] == Array(bytes[1_000_000...]))
        }
    }

    /// A server sends as fast as it can, and its client does not read.
    @Test func whatIsNotReadIsHeldBack() async throws {
        let server = try HostileServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\n\r\n")
            let piece = [UInt8](repeating: 1, count: 65_536)
            for _ in 0..<1600 { guard exchange.send(piece) else { return } }
        }
        let url = server.url("x")
        let sent = try await onThread {
            let client = client()
            let transfer = try client.open(url)
            let first = try (0..<50).reduce(0) { count, _ in count + (try transfer.next(1000).count) }
            let sent = server.state.current.bytes
            #expect(try first + transfer.rest().count == 1600 * 65_536)
            return sent
        }
        // The system's own buffers on loopback hold a few megabytes.
        #expect(sent < 16 << 20)
    }

    @Test(.enabled(if: WebServer.missing.isEmpty))
    func reportsSayWhatCameAndHowLongItTook() async throws {
        let server = try await WebServer.start(.slow("slow/", rate: 100_000))
        try server.publish(bytes: pattern(40_000), as: "a.bin")
        let url = server.url("slow/a.bin", user: "me:secret")
        let reports = Reports()
        let throughput = try await onThread {
            let client = client(HTTPOptions(), reports)
            _ = try client.open(url).rest()
            return client.throughput
        }
        let transfer = try #require(reports.transfers.first)
        #expect(transfer.bytes == 40_000)
        #expect(transfer.uri == server.url("slow/a.bin"))
        #expect(transfer.serverAddress == "127.0.0.1")
        #expect(abs(transfer.date - Date().timeIntervalSince1970) < 60)
        #expect(transfer.duration > 0.2)
        let expected = 40_000 * 8 / transfer.duration
        #expect(try abs(#require(throughput) - expected) < expected / 2)
    }
}

extension Result where Failure == any Error {
    static func of(_ body: () async throws -> Success) async -> Self {
        do { return .success(try await body()) } catch { return .failure(error) }
    }

    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}
