import AudioTypes
import Foundation
import HTTP
import TestSupport
import TestThreads
import TestTiming
import Testing

/// A medium with an end, and what may happen to it.
@Suite(.blocking, .enabled(if: WebServer.missing.isEmpty)) struct SourceTests {
    private static let bytes = pattern(2_000_000)

    /// A real server, and a network in between.
    private struct Path: Sendable {
        let server: WebServer
        let relay: Relay
        let url: String

        init(prefix: String = "") async throws {
            server = try await WebServer.start(
                .whole("whole/"),
                .slow("paced/", rate: 4_000_000, after: 100_000),
                WebServer.Place("paced-whole/", ["max_ranges 0;", "limit_rate 4000000;", "limit_rate_after 100000;"]),
                WebServer.Place(
                    "paced-old/",
                    ["absolute_redirect off;", "if ($uri ~ \"^/paced-old/(.*)$\") { return 302 \"/paced/$1\"; }"]
                ),
                .slow("slow/", rate: 200_000, after: 100_000),
                .headers("bare/", ["Accept-Ranges": ""]),
                .redirect("old/", to: "/$1")
            )
            try server.publish(bytes: SourceTests.bytes, as: "a.bin")
            relay = try Relay(to: server.port)
            url = relay.url(server.url("\(prefix)a.bin"))
        }
    }

    @Test(arguments: ["", "whole/", "old/"])
    func allOfItComes(prefix: String) async throws {
        let path = try await Path(prefix: prefix)
        try await onThread {
            let source = source(path.url)
            let head = try source.open()
            #expect(head.size == Self.bytes.count)
            #expect(!source.isLive)
            #expect(source.isSeekable == (prefix != "whole/"))
            #expect(try source.rest() == Self.bytes)
            #expect(try source.next() == [])
            #expect(source.position == Self.bytes.count)
        }
    }

    /// Each byte comes once and in order, however the connection is lost.
    @Test(
        arguments: [
            (Relay.Loss.end, "paced/", 206), (.reset, "paced/", 206), (.end, "paced-whole/", 200),
            (.reset, "paced-old/", 206),
        ] as [(Relay.Loss, String, Int)]
    )
    func aLostConnectionIsTakenUpAgain(loss: Relay.Loss, prefix: String, status: Int) async throws {
        let path = try await Path(prefix: prefix)
        let reports = Reports()
        try await onThread {
            let source = source(path.url, StreamOptions(), reports)
            _ = try source.open()
            var bytes = try source.next(exactly: 300_000)
            for _ in 0..<5 {
                path.relay.cut(loss)
                bytes += try source.next(exactly: 300_000)
            }
            bytes += try source.rest()
            #expect(bytes == Self.bytes)
        }
        #expect(reports.failures.count >= 3)
        for failure in reports.failures {
            #expect(!failure.isFinal)
            #expect(failure.domain == "TCP")
            #expect(failure.uri == path.url)
        }
        #expect(reports.connections.last == .complete)
        let requests = try await path.server.waitForRequests { $0.count > 3 }
        #expect(requests.dropFirst(prefix == "paced-old/" ? 2 : 1).allSatisfy { $0.status == status })
    }

    @Test func itPlaysOnAfterTheServerWasAway() async throws {
        let path = try await Path()
        let reports = Reports()
        let reading = Task {
            try await onThread {
                let source = source(path.server.url("slow/a.bin"), StreamOptions(), reports)
                _ = try source.open()
                return try source.next(exactly: 500_000)
            }
        }
        try await reports.wait("connected") {
            if case .changed(let status) = $0 { status.connection == .connected } else { false }
        }
        path.server.stop()
        // Some attempts are refused.
        try await reports.wait("the fourth attempt") {
            if case .changed(let status) = $0, case .reconnecting(let state) = status.connection {
                state.attempt == 4
            } else {
                false
            }
        }
        try await path.server.start()
        let back = HostTime.now
        let bytes = try await reading.value
        #expect(bytes == Array(Self.bytes[..<500_000]))
        // The first hundred kilobytes come at once.
        #expect(HostTime.now - back < 10)
        let reasons = Set(reports.failures.map(\.comment))
        #expect(reasons.contains("connection refused"))
        #expect(reports.connections.contains(.connected))
    }

    @Test(arguments: [false, true])
    func whatHasChangedIsNotSpliced(isLonger: Bool) async throws {
        let path = try await Path(prefix: "paced/")
        let reports = Reports()
        let found = try await onThread {
            let source = source(path.url, StreamOptions(), reports)
            _ = try source.open()
            _ = try source.next(exactly: 600_000)
            try path.server.publish(bytes: pattern(2_000_000 + (isLonger ? 5 : 0), seed: 9), as: "a.bin")
            // Servers tell versions apart by seconds.
            let attributes: [FileAttributeKey: Any] = [.modificationDate: Date(timeIntervalSinceNow: -60)]
            try FileManager.default.setAttributes(attributes, ofItemAtPath: "\(path.server.root)/a.bin")
            path.relay.cut(.reset)
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == .changed)
        #expect(reports.failures.last?.isFinal == true)
    }

    /// Also when only the length tells.
    @Test(arguments: ["416 Range Not Satisfiable", "206 Partial Content", "200 OK"])
    func whatHasAnotherLengthIsNotSpliced(status: String) async throws {
        let server = try HostileServer { exchange in
            let range = { (part: String) in "Content-Range: bytes \(part)" }
            if exchange.head.contains("bytes=0-") {
                exchange.answer(
                    "206 Some",
                    "audio/mpeg",
                    pattern(5000),
                    length: 10_000,
                    headers: [range("0-9999/10000")]
                )
            } else if status.hasPrefix("416") {
                exchange.answer(status, headers: [range("*/4000")])
            } else if status.hasPrefix("206") {
                exchange.answer(status, "audio/mpeg", pattern(5001), headers: [range("5000-10000/10001")])
            } else {
                exchange.answer(status, "audio/mpeg", pattern(10_001))
            }
        }
        let url = server.url("x")
        let found = try await onThread {
            let source = source(url)
            _ = try source.open()
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == .changed)
    }

    /// A part that is there and is refused is no change, unless the refusal tells of one.
    @Test(
        arguments: [
            ([], false), (["Content-Range: bytes */10000"], false), (["ETag: \"a\""], false), (["ETag: \"b\""], true),
            (["Content-Range: bytes */9999"], true),
        ] as [([String], Bool)]
    )
    func aRefusedPartIsCalledSo(headers: [String], isChange: Bool) async throws {
        let server = try HostileServer { exchange in
            guard exchange.head.contains("bytes=0-") else {
                return exchange.answer("416 Range Not Satisfiable", headers: headers)
            }
            exchange.answer(
                "206 Partial Content",
                "audio/mpeg",
                pattern(5000),
                length: 10_000,
                headers: ["Content-Range: bytes 0-9999/10000", "ETag: \"a\""]
            )
        }
        let url = server.url("x")
        let found = try await onThread {
            let source = source(url)
            _ = try source.open()
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == (isChange ? .changed : .status(416, "Range Not Satisfiable")))
        if let found, !isChange { #expect("\(HTTPError(found))" == "the server refuses the part asked for") }
    }

    /// A server that promises ranges and sends later ones, or does not say which.
    @Test(arguments: [true, false]) func aRangeThatWasNotAskedForIsNotTaken(isNamed: Bool) async throws {
        let server = try HostileServer { exchange in
            let isFirst = exchange.head.contains("bytes=0-")
            exchange.answer(
                "206 Partial Content",
                "audio/mpeg",
                pattern(5000),
                length: 10_000,
                headers: isFirst || isNamed ? ["Content-Range: bytes \(isFirst ? 0 : 6000)-9999/10000"] : []
            )
        }
        let url = server.url("x")
        let found = try await onThread {
            let source = source(url)
            _ = try source.open()
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == .malformed)
    }

    /// Some servers send a piece at a time, whatever was asked for.
    @Test func piecesArePutTogether() async throws {
        let bytes = pattern(10_000)
        let server = try HostileServer { exchange in
            let first = exchange.head.firstRange(of: "bytes=").flatMap { range in
                Int(exchange.head[range.upperBound...].prefix { $0.isNumber })
            }
            let start = first ?? 0
            let end = min(start + 3000, bytes.count)
            let header = "Content-Range: bytes \(start)-\(end - 1)/\(bytes.count)"
            exchange.answer("206 Partial Content", "audio/mpeg", Array(bytes[start..<end]), headers: [header])
        }
        let url = server.url("x")
        let reports = Reports()
        try await onThread {
            let source = source(url, StreamOptions(), reports)
            _ = try source.open()
            let all = try source.rest()
            #expect(all == bytes)
        }
        #expect(reports.failures.isEmpty)
    }

    @Test func itIsGivenUpAtTheLimit() async throws {
        let path = try await Path(prefix: "paced/")
        let reports = Reports()
        let found = try await onThread {
            let source = source(path.url, StreamOptions(http: HTTPOptions(), reconnectLimit: 0.5), reports)
            _ = try source.open()
            path.relay.close()
            path.relay.cut(.end)
            return failure { () throws(HTTPError) in try source.rest() }
        }
        #expect(found == .connecting(code: 111))
        #expect(reports.failures.map(\.isFinal).last == true)
        #expect(reports.failures.dropLast().allSatisfy { !$0.isFinal })
        #expect(reports.failures.count >= 3)
    }

    /// The longer a near server is away, the less often it is asked; that it is back is noticed at once all the same.
    @Test func anOpenPortIsNoticedBeforeTheNextAttempt() async throws {
        let path = try await Path(prefix: "paced/")
        let reports = Reports()
        let reading = Task {
            try await onThread {
                let source = source(path.url, StreamOptions(), reports)
                _ = try source.open()
                path.relay.close()
                path.relay.cut(.end)
                return try source.rest()
            }
        }
        try await reports.wait("an attempt that is followed by none for a while") {
            if case .changed(let status) = $0, case .reconnecting(let wait) = status.connection {
                wait.attempt >= 6 && wait.next - .now > 1
            } else {
                false
            }
        }
        guard case .reconnecting(let wait) = reports.connections.last else {
            Issue.record("\(reports.connections)")
            return
        }
        try path.relay.reopen()
        try await reports.waitForConnections(2)
        #expect(HostTime.now < wait.next)
        #expect(try await reading.value == Self.bytes)
    }

    @Test func aMissingFileIsFinal() async throws {
        let path = try await Path()
        let reports = Reports()
        let url = path.server.url("none.mp3", user: "me:secret")
        let found = try await onThread {
            failure { () throws(HTTPError) in try source(url, StreamOptions(), reports).open() }
        }
        #expect(found == .status(404, "Not Found"))
        #expect(reports.failures.count == 1)
        #expect(reports.failures.first?.isFinal == true)
        #expect(reports.failures.first?.statusCode == 404)
        #expect(reports.failures.first?.uri == path.server.url("none.mp3"))
        // A server logs a request when it is done with it.
        #expect(try await path.server.waitForRequests { !$0.isEmpty }.count == 1)
    }

    @Test func aBusyServerIsAskedWhenItWantsToBe() async throws {
        let path = try await Path()
        try path.server.fail("a.bin", with: .unavailable)
        let reports = Reports()
        let waiting = Task {
            try await onThread {
                let start = HostTime.now
                _ = try source(path.url, StreamOptions(), reports).open()
                return HostTime.now - start
            }
        }
        try await reports.waitForFailure()
        path.server.mend("a.bin")
        let seconds = try await waiting.value
        #expect(seconds >= 1)
        #expect(Set(reports.failures.map(\.statusCode)) == [503])
    }

    // MARK: Places

    @Test(arguments: ["", "whole/"])
    func anyPlaceCanBeReadAt(prefix: String) async throws {
        let path = try await Path(prefix: prefix)
        try await onThread {
            let source = source(path.url)
            _ = try source.open()
            for place in [5, 1_999_990, 1_000_000, 1_000_100, 1_200_000, 0, 700_000, 1_950_000, 600_000, 1_999_999] {
                source.seek(to: place)
                #expect(source.position == place)
                let bytes = try source.next(exactly: 50_000)
                #expect(bytes == Array(Self.bytes[place..<min(place + 50_000, Self.bytes.count)]), "\(place)")
            }
            source.seek(to: Self.bytes.count + 10)
            #expect(try source.next() == [])
            source.seek(to: 100)
            let all = try source.rest()
            #expect(all == Array(Self.bytes[100...]))
        }
    }

    /// What media do when they are opened: the beginning, the end, the beginning again.
    @Test func openingTakesTwoRequests() async throws {
        let path = try await Path()
        try await onThread {
            let source = source(path.url)
            _ = try source.open()
            _ = try source.next(exactly: 100_000)
            source.seek(to: Self.bytes.count - 128)
            #expect(try source.next(exactly: 128) == Array(Self.bytes.suffix(128)))
            source.seek(to: Self.bytes.count - 60_000)
            _ = try source.next(exactly: 1000)
            source.seek(to: 0)
            #expect(try source.rest() == Self.bytes)
            // And none more for what is known.
            #expect(try source.bytes(at: 10, count: 10) == Array(Self.bytes[10..<20]))
            #expect(try source.bytes(at: Self.bytes.count - 10, count: 100) == Array(Self.bytes.suffix(10)))
        }
        let requests = try await path.server.waitForRequests { $0.count >= 2 }
        #expect(requests.count == 2)
    }

    /// Looking for a place in a long file: each step but the first uses the connection of the one before.
    @Test func seekingKeepsItsConnection() async throws {
        let path = try await Path()
        try await onThread {
            let source = source(path.url)
            _ = try source.open()
            for place in [1_000_000, 500_000, 750_000, 625_000, 1_500_000] {
                source.seek(to: place)
                let bytes = try source.next(exactly: 1000)
                #expect(bytes == Array(Self.bytes[place..<place + 1000]))
            }
        }
        let requests = try await path.server.waitForRequests { $0.count >= 5 }
        // A new one each time would make six; what has not come yet when one seeks on costs its connection.
        #expect(path.relay.state.current.accepted <= 4)
        #expect(requests.filter { $0.range == "1000000-1131071" }.count == 1)
    }

    @Test func indexesAreReadBeside() async throws {
        let path = try await Path()
        try await onThread {
            let source = source(path.url)
            _ = try source.open()
            var bytes = try source.next(exactly: 10_000)
            for place in stride(from: 900_000, to: 960_000, by: 1000) {
                #expect(try source.bytes(at: place, count: 16) == Array(Self.bytes[place..<place + 16]))
            }
            path.relay.cut(.reset)
            #expect(try source.bytes(at: 1_500_000, count: 200_000) == Array(Self.bytes[1_500_000..<1_700_000]))
            bytes += try source.rest()
            #expect(bytes == Self.bytes)
        }
        #expect(path.server.requests.count < 8)
    }

    // MARK: Waiting

    /// How often a thread slept, and what it read, while a thousand bytes came every few milliseconds.
    private func trickle(wakesFrom bytes: Int) async throws -> (sleeps: Int, bytes: [UInt8]) {
        let server = try HostileServer { exchange in
            exchange.send("HTTP/1.0 200 OK\r\nicy-br: 64\r\n\r\n")
            for number in 0..<100 {
                exchange.send(pattern(1000, seed: UInt32(number)))
                guard exchange.pause(0.005) else { return }
            }
        }
        let url = server.url("x")
        return try await onThread {
            let source = source(url)
            source.wakesFrom = bytes
            _ = try source.open()
            let before = threadSleeps()
            let all = try source.next(exactly: 100_000)
            return (threadSleeps() - before, all)
        }
    }

    @Test func aTrickleWakesSeldom() async throws {
        let often = try await trickle(wakesFrom: 1)
        let seldom = try await trickle(wakesFrom: 20_000)
        let all = (0..<100).flatMap { pattern(1000, seed: UInt32($0)) }
        #expect(often.bytes == all)
        #expect(seldom.bytes == all)
        #expect(seldom.sleeps < 20)
        // On an idle machine about a hundred; on a busy one pieces come together by themselves.
        #expect(often.sleeps >= seldom.sleeps)
    }

    /// Less than one wants to be woken up for is no silence.
    @Test func aTrickleIsNoSilence() async throws {
        let server = try HostileServer { exchange in
            exchange.send("HTTP/1.0 200 OK\r\nicy-br: 64\r\n\r\n")
            while exchange.pause(0.1), exchange.send(pattern(50)) {}
        }
        let url = server.url("x")
        try await onThread {
            let source = source(url, StreamOptions(http: .impatient()))
            source.wakesFrom = 20_000
            _ = try source.open()
            let some = try source.next(exactly: 1000)
            #expect(some.count == 1000)
        }
    }

    /// A server that is away costs next to nothing.
    @Test func waitingCostsNothing() async throws {
        let port = try steadyPort()
        let (seconds, attempts) = try await onThread {
            let reports = Reports()
            var options = StreamOptions(http: HTTPOptions(), reconnectLimit: 6)
            options.firstContactLimit = .infinity
            let source = source("http://127.0.0.1:\(port)/x", options, reports)
            let start = threadSeconds()
            #expect(failure { () throws(HTTPError) in try source.open() } == .connecting(code: 111))
            return (threadSeconds() - start, reports.failures.count)
        }
        #expect(attempts >= 5 && attempts < 30)
        // A hundredth of the time; what looks again and again takes all of it.
        #expect(seconds < 0.06)
    }
}
