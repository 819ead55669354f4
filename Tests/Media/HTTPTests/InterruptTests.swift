import AudioTypes
import HTTP
import TestSupport
import TestThreads
import Testing
import Threads

@Suite(.blocking) struct InterruptTests {
    @Test func aLaterRequestKeepsTheFlagUp() {
        let interrupt = Interrupt()
        let first = interrupt.raise()
        interrupt.raise()
        interrupt.lower(to: first)
        #expect(interrupt.isRaised)
    }

    /// Where a reader waits that is interrupted.
    @Test(arguments: ["connecting", "securing", "head", "body", "between attempts", "document", "beside"])
    func waitingEndsAtOnce(step: String) async throws {
        let servers = try Servers()
        let interrupt = Interrupt()
        let reports = Reports()
        let entered = Watched<String?>(nil)
        let reading = Task {
            try await onThread {
                let end = Result { () throws(HTTPError) in
                    try servers.wait(step, interrupt, reports) { entered.withLock { $0 = threadFolder() } }
                }
                return (end, HostTime.now)
            }
        }
        #expect(await entered.wait(within: .patience) { $0 != nil })
        switch step {
        case "connecting": break
        case "securing": #expect(await servers.mute.state.wait(within: .patience) { $0.open == 1 })
        case "between attempts": try await reports.waitForFailure()
        default: #expect(await servers.slow.state.wait(within: .patience) { !$0.requests.isEmpty })
        }
        guard try await isAsleep(entered.current) else {
            Issue.record("it ended before it was interrupted: \(try await reading.value.0)")
            return
        }
        let raised = HostTime.now
        interrupt.raise()
        let (result, ended) = try await reading.value
        guard case .failure(let error) = result else {
            Issue.record("it did not end")
            return
        }
        #expect(error.kind == .interrupted)
        // It takes less than a millisecond; a busy machine takes longer to let both threads run.
        #expect(ended - raised < 2)
        #expect(reports.failures.allSatisfy { !$0.isFinal })
    }

    /// Servers that keep one waiting.
    private struct Servers: Sendable {
        let mute: HostileServer
        let slow: HostileServer
        let full: FullServer
        let closed: UInt16

        init() throws {
            mute = try HostileServer.silent()
            full = try FullServer()
            closed = try steadyPort()
            slow = try HostileServer { exchange in
                if exchange.path != "/head" {
                    let first = exchange.head.contains("bytes=100000-") ? 100_000 : 0
                    exchange.send(
                        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes \(first)-199999/200000\r\n\r\nabc"
                    )
                }
                exchange.waitForEnd()
            }
        }

        func wait(
            _ step: String,
            _ interrupt: Interrupt,
            _ reports: Reports,
            entered: () -> Void
        ) throws(HTTPError) {
            // None gives up by itself for as long as the test may take.
            var http = HTTPOptions()
            http.silenceLimit = 600
            var options = StreamOptions(http: http, reconnectLimit: 600)
            options.firstContactLimit = 600
            let client = client(http, interrupt: interrupt)
            switch step {
            case "connecting":
                entered()
                _ = try source("http://127.0.0.1:\(full.port)/", options, interrupt: interrupt).open()
            case "securing":
                entered()
                _ = try client.open("https://127.0.0.1:\(mute.port)/")
            case "head":
                entered()
                _ = try client.open(slow.url("head"))
            case "body":
                let transfer = try client.open(slow.url("body"))
                _ = try transfer.next()
                entered()
                _ = try transfer.next()
            case "document":
                entered()
                _ = try client.fetch(slow.url("body"), atMost: 1 << 20)
            case "between attempts":
                entered()
                _ = try source("http://127.0.0.1:\(closed)/", options, reports, interrupt: interrupt).open()
            default:
                let source = source(slow.url("body"), options, interrupt: interrupt)
                _ = try source.open()
                entered()
                _ = try source.bytes(at: 100_000, count: 100)
            }
        }
    }

    /// A reader seeks while nothing comes: the same transfer goes on afterwards.
    @Test func aTransferGoesOnAfterAnInterruption() async throws {
        let gate = Watched(false)
        let server = try HostileServer { exchange in
            exchange.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc")
            _ = gate.waitBlocking(within: .patience) { $0 }
            exchange.send("def")
        }
        let url = server.url("x")
        let reports = Reports()
        try await onThread {
            let interrupt = Interrupt()
            let source = source(url, StreamOptions(), reports, interrupt: interrupt)
            _ = try source.open()
            #expect(try source.next() == Array("abc".utf8))
            let number = interrupt.raise()
            #expect(failure { () throws(HTTPError) in try source.next() } == .interrupted)
            interrupt.lower(to: number)
            gate.withLock { $0 = true }
            #expect(try source.rest() == Array("def".utf8))
        }
        #expect(server.state.current.requests.count == 1)
        #expect(reports.failures.isEmpty)
    }

    /// A name server that never answers must not keep anybody.
    @Test func nameServersAreNotWaitedFor() async throws {
        let interrupt = Interrupt()
        interrupt.raise()
        let seconds = try await onThread {
            let start = HostTime.now
            let found = failure { () throws(HTTPError) in
                try client(HTTPOptions(), interrupt: interrupt).open("http://slow.invalid/")
            }
            #expect(found == .interrupted)
            return HostTime.now - start
        }
        #expect(seconds < 2)
    }
}
