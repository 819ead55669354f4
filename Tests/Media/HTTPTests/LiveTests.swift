import AudioTypes
import Charsets
import HTTP
import Synchronization
import TestSupport
import TestThreads
import Testing

/// A broadcast: no end, titles in between.
@Suite(.blocking) struct LiveTests {
    /// A station that sends `connections` pieces of sound, one with each connection, and then nothing any more.
    private static func station(_ parts: [(title: String, sound: [UInt8])], interval: Int = 100) throws -> HostileServer
    {
        let next = Watched(0)
        return try HostileServer { exchange in
            let number = next.withLock { number in
                defer { number += 1 }
                return number
            }
            guard number < parts.count else { return exchange.answer("404 Not Found") }
            guard exchange.head.contains("Icy-MetaData: 1") else { return exchange.answer("400 Bad Request") }
            exchange.send(
                "ICY 200 OK\r\nicy-name: Test\r\nicy-metaint: \(interval)\r\nContent-Type: audio/mpeg\r\n\r\n"
            )
            var sound = parts[number].sound[...]
            var title: String? = parts[number].title
            while !sound.isEmpty {
                exchange.send(sound.prefix(interval))
                guard sound.count >= interval else { break }
                sound = sound.dropFirst(interval)
                let text = title.map { Array("StreamTitle='\($0)';".utf8) } ?? []
                let units = (text.count + 15) / 16
                exchange.send([UInt8(units)] + text + [UInt8](repeating: 0, count: units * 16 - text.count))
                title = nil
            }
        }
    }

    /// A station that speaks Windows-1251: its name, and titles of which the first alone tells too little.
    @Test(arguments: [false, true]) func titlesInAnotherCharacterSetAreRead(isGiven: Bool) async throws {
        let charset = try #require(Charset(named: "windows-1251"))
        let titles = ["Ода", "Кино - Группа крови", "Дом"]
        let blocks = try titles.map { try #require(charset.bytes(of: "StreamTitle='\($0)';")) }
        let server = try HostileServer { exchange in
            exchange.send("ICY 200 OK\r\nicy-name: A\r\nicy-metaint: 50\r\nContent-Type: audio/mpeg\r\n\r\n")
            for block in blocks {
                let units = (block.count + 15) / 16
                exchange.send(pattern(50, seed: 1) + [UInt8(units)] + block)
                exchange.send([UInt8](repeating: 0, count: units * 16 - block.count))
            }
            // A read ends with sound; with the last block alone it would end with the connection.
            exchange.send(pattern(50, seed: 1))
        }
        let url = server.url("radio") + (isGiven ? "#charset=windows-1251" : "")
        let heard = Mutex<[String?]>([])
        try await onThread {
            let source = source(url, StreamOptions(), Reports())
            source.onMetadata = { metadata, _ in heard.withLock { $0.append(metadata.title) } }
            _ = try source.open()
            var bytes = [UInt8](repeating: 0, count: 150)
            while heard.withLock(\.count) < titles.count {
                _ = try unsafe bytes.withUnsafeMutableBytes { try unsafe source.read(into: $0) }
            }
        }
        #expect(heard.withLock(\.self) == [isGiven ? "Ода" : "Îäà", "Кино - Группа крови", "Дом"])
    }

    @Test func aClosedSocketIsOpenedAnew() async throws {
        let parts = [
            ("One", pattern(20_050, seed: 1)), ("Two", pattern(30_000, seed: 2)), ("Three", pattern(7_000, seed: 3)),
        ]
        let server = try Self.station(parts)
        let url = server.url("radio")
        let reports = Reports()
        let titles = Mutex<[String]>([])
        try await onThread {
            let source = source(url, StreamOptions(), reports)
            source.onMetadata = { metadata, place in titles.withLock { $0.append("\(metadata.title ?? "") \(place)") } }
            #expect(try source.open().icy["icy-name"] == "Test")
            #expect(source.isLive)
            #expect(!source.isSeekable)
            var heard: [UInt8] = []
            for number in 0..<3 {
                let expected = parts[number].1
                let part = try source.next(exactly: expected.count)
                #expect(part == expected)
                heard += part
                #expect(source.position == heard.count)
                guard number < 2 else { break }
                let end = Result { () throws(HTTPError) in try source.next() }
                guard case .failure(let error) = end else {
                    Issue.record("it did not end")
                    return
                }
                #expect(error.kind == .closedEarly)
                #expect(error.isTemporary)
                _ = try source.reopen(after: error)
            }
        }
        #expect(titles.withLock { $0 } == ["One 100", "Two 20150", "Three 50150"])
        #expect(
            reports.failures.map(\.comment) == Array(repeating: "the server closed the connection too early", count: 2)
        )
        #expect(reports.failures.allSatisfy { !$0.isFinal && $0.domain == "TCP" })
    }

    /// While the studio is away its server says 404; at first that means that there is no such station.
    @Test func aStudioThatWasThereIsWaitedFor() async throws {
        let isAway = Watched(false)
        let server = try HostileServer { exchange in
            if isAway.current { return exchange.answer("404 Not Found") }
            exchange.send("HTTP/1.0 200 OK\r\nicy-name: Test\r\n\r\n")
            exchange.send(pattern(10_000))
        }
        let url = server.url("radio")
        let reports = Reports()
        let reading = Task {
            try await onThread {
                let source = source(url, StreamOptions(), reports)
                _ = try source.open()
                _ = try source.next(exactly: 10_000)
                isAway.withLock { $0 = true }
                let error = HTTPError(.closedEarly)
                _ = try source.reopen(after: error)
                return try source.next(exactly: 10_000)
            }
        }
        try await reports.wait("404") { if case .failed(let failure) = $0 { failure.statusCode == 404 } else { false } }
        isAway.withLock { $0 = false }
        #expect(try await reading.value == pattern(10_000))
        #expect(reports.failures.allSatisfy { !$0.isFinal })
    }

    /// A body of chunks says where it ends, unless it is a station's.
    @Test(arguments: [false, true])
    func chunksEnd(isStation: Bool) async throws {
        let server = try HostileServer { exchange in
            let header = isStation ? "icy-br: 64\r\n" : ""
            exchange.send("HTTP/1.1 200 OK\r\n\(header)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")
        }
        let url = server.url("x")
        let end = try await onThread {
            let source = source(url)
            _ = try source.open()
            #expect(try source.next(exactly: 5) == Array("hello".utf8))
            return failure { () throws(HTTPError) in try source.next() }
        }
        #expect(end == (isStation ? .closedEarly : nil))
    }

    /// A podcast's server that puts titles into a file: they would be in the way of every range.
    @Test func filesAreAskedForWithoutTitles() async throws {
        let server = try HostileServer { exchange in
            let hasTitles = exchange.head.contains("Icy-MetaData")
            let body = hasTitles ? "0123\u{0}4567\u{0}89" : "0123456789"
            let headers = ["Content-Range: bytes 0-\(body.utf8.count - 1)/\(body.utf8.count)"]
            exchange.answer(
                "206 Partial Content",
                "audio/mpeg",
                Array(body.utf8),
                headers: headers + (hasTitles ? ["icy-metaint: 4"] : [])
            )
        }
        let url = server.url("x")
        try await onThread {
            let source = source(url)
            _ = try source.open()
            #expect(try source.rest() == Array("0123456789".utf8))
        }
    }

    @Test(.enabled(if: IcecastServer.missing.isEmpty))
    func aRealStationComesBack() async throws {
        let server = try await IcecastServer.start()
        let programme = IcecastSource.Programme(pattern(1_000_000), seconds: 62.5, type: "audio/mpeg")
        let studio = try IcecastSource(programme, to: server)
        try server.setTitle("Größe", of: "radio")
        let url = studio.url
        let reports = Reports()
        let titles = Watched<[String]>([])
        let hasHeard = Watched(false)
        let reading = Task {
            try await onThread {
                let source = source(url, StreamOptions(), reports)
                source.onMetadata = { metadata, _ in titles.withLock { $0.append(metadata.title ?? "") } }
                #expect(try source.open().icy["icy-name"] == "Test Radio")
                #expect(try source.next(exactly: 60_000).count == 60_000)
                hasHeard.withLock { $0 = true }
                var count = 0
                while count < 2 {
                    let result = Result { () throws(HTTPError) in try source.next() }
                    guard case .failure(let error) = result else { continue }
                    #expect(error.isTemporary)
                    _ = try source.reopen(after: error)
                    count += 1
                }
                return try source.next(exactly: 60_000).count
            }
        }
        #expect(await titles.wait(within: .patience) { $0.contains("Größe") })
        #expect(await hasHeard.wait(within: .patience) { $0 })
        studio.drop()
        try await reports.wait("404") { if case .failed(let failure) = $0 { failure.statusCode == 404 } else { false } }
        try studio.connect()
        try await reports.waitForConnections(2)
        server.stop()
        try await reports.wait("refused") {
            if case .failed(let failure) = $0 { failure.comment == "connection refused" } else { false }
        }
        try await server.start()
        try studio.connect()
        #expect(try await reading.value == 60_000)
    }
}
