import TestSupport
import TestThreads
import Testing

/// The log that tests read what was asked of a web server from.
@Suite(.blocking, .enabled("nginx is not installed") { WebServer.missing.isEmpty })
struct RequestLogTests {
    /// Whatever a client has been answered is in the log, though nginx writes it after the answer.
    @Test func holdsEveryRequestThatWasAnswered() async throws {
        let web = try await WebServer.start()
        try web.publish(text: "x", as: "a")
        let client = LineClient(descriptor: try SocketAddress.ipv4(web.port).connect())
        for count in 1...200 {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
            var line = client.line()
            while !["\r", "<closed>", "<silence>"].contains(line) { line = client.line() }
            try #require(line == "\r" && client.bytes(1) == Array("x".utf8))
            #expect(web.requests(of: "a").count == count)
        }
    }

    /// A server that stands still, is gone or has come back is asked for no more than what it wrote.
    @Test func isReadOfAServerThatDoesNotAnswer() async throws {
        let web = try await WebServer.start()
        web.freeze()
        #expect(web.requests.isEmpty)
        web.stop()
        #expect(web.requests.isEmpty)
        try await web.start()
        #expect(web.requests.isEmpty)
    }
}
