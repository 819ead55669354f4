import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// A real browser, with pages of other sites that try to use the server.
@Suite(
    .blocking,
    .enabled("only 'make soak' starts a browser") { ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil },
    .enabled("chromium or python3 is missing") { ChildProcess.missing("chromium", "python3").isEmpty }
)
struct BrowserTests {
    /// A page of `evil.test`, which tries all doors of a server, and the attempts' results.
    private struct Site {
        let folder: TemporaryFolder
        let port: UInt16
        private let process: ChildProcess

        /// - Parameter server: The origin that the page attacks; its own, without it.
        init(attacking server: String = "") throws {
            folder = try TemporaryFolder()
            (port, collector) = (try steadyPort(), try steadyPort())
            let page = BrowserTests.page.replacing("SERVER", with: server)
                .replacing("COLLECTOR", with: "http://127.0.0.1:\(collector)/")
            process = try ChildProcess("python3", ["-uc", BrowserTests.script, "\(port)", "\(collector)", page])
        }

        private let collector: UInt16

        func waitUntilReady() async throws { try await process.waitForOutput("ready") }

        /// Opens the page in a browser for which `evil.test` is this machine.
        func open() throws -> ChildProcess {
            try ChildProcess(
                "chromium",
                [
                    "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=\(folder.file("profile"))",
                    "--host-resolver-rules=MAP evil.test 127.0.0.1", "http://evil.test:\(port)/",
                ]
            )
        }

        /// Waits until the page has been sent, and its port is free again.
        func waitUntilServed() async throws { try await process.waitForOutput("served") }

        /// The attempts' results, once the page has sent them.
        func results() async throws -> JSON {
            try await process.waitForOutput("results ")
            process.end()
            let output = try await process.wait().outputText
            let line = output.split(separator: "\n").first { $0.hasPrefix("results ") } ?? ""
            return try JSON(parsing: Array(line.dropFirst(8).utf8))
        }
    }

    /// Serves a page once, frees the port, and prints the results that the page sends to another port.
    private static let script = """
        import http.server, sys
        port, collector, page = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3].encode()
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(page)))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(page)
            def log_message(self, *_): pass
        class Results(Page):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(204)
                self.end_headers()
                print("results", body.decode())
        results = http.server.HTTPServer(("127.0.0.1", collector), Results)
        with http.server.HTTPServer(("127.0.0.1", port), Page) as site:
            print("ready")
            site.handle_request()
        print("served")
        while True: results.handle_request()
        """

    private static let page = #"""
        <script>
        const server = "SERVER";
        const call = (type) => fetch(server + "/api", { method: "POST", headers: { "Content-Type": type },
          body: '{"jsonrpc":"2.0","id":1,"method":"repeat","params":{"state":true}}' });
        const pause = () => new Promise((done) => setTimeout(done, 100));
        const first = (begin) => new Promise((done) => begin(() => done("heard"), () => done("refused")));
        async function attack() {
          const results = {};
          // The server may not be there yet.
          while (true) try { results.json = (await call("application/json")).status; break; } catch {
            if (server) { results.json = "refused"; break; }
            await pause();
          }
          results.text = await call("text/plain").then((response) => response.status, () => "refused");
          results.events = await first((heard, refused) => {
            const events = new EventSource(server + "/api/events");
            events.addEventListener("snapshot", heard);
            events.onerror = refused;
          });
          results.socket = await first((heard, refused) => {
            const socket = new WebSocket((server || location.origin).replace("http", "ws") + "/api/ws");
            socket.onopen = heard;
            socket.onerror = refused;
          });
          await fetch("COLLECTOR", { method: "POST", mode: "no-cors", body: JSON.stringify(results) });
        }
        attack();
        </script>
        """#

    private func start(at port: UInt16, _ web: String) async throws -> Segued {
        let folder = try TemporaryFolder()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            [web]
            listen = ["tcp:127.0.0.1:\(port)"]
            \(web)
            [[output]]
            type = "null"
            name = "null"
            """
        return try await Segued.start(.toml(text), in: folder)
    }

    /// The name of a page's site becomes this machine's while the page is open.
    ///
    /// - Returns: The results of its attempts, and whether one has changed anything.
    private func rebind(_ web: String) async throws -> (results: JSON, hasChanged: Bool) {
        let site = try Site()
        try await site.waitUntilReady()
        let browser = try site.open()
        try await site.waitUntilServed()
        let server = try await start(at: site.port, web)
        let results = try await site.results()
        browser.end()
        return (results, try server.connect().values("status")["repeat"] == "1")
    }

    @Test func aNameThatIsRebound() async throws {
        let (results, hasChanged) = try await rebind("")
        #expect(results.text == #"{"json":421,"text":421,"events":"refused","socket":"refused"}"#)
        #expect(!hasChanged)
    }

    /// With a name that the server's owner gives it, all of that works, so it is the name that decides.
    @Test func aNameThatTheServerHas() async throws {
        let (results, hasChanged) = try await rebind("names = [\"evil.test\"]")
        #expect(results.text == #"{"json":200,"text":415,"events":"heard","socket":"heard"}"#)
        #expect(hasChanged)
    }

    private func attack(_ web: (_ origin: String) -> String) async throws -> (results: JSON, hasChanged: Bool) {
        let port = try steadyPort()
        let site = try Site(attacking: "http://localhost:\(port)")
        try await site.waitUntilReady()
        let server = try await start(at: port, web("http://evil.test:\(site.port)"))
        let browser = try site.open()
        let results = try await site.results()
        browser.end()
        return (results, try server.connect().values("status")["repeat"] == "1")
    }

    @Test func aPageOfAnotherOrigin() async throws {
        let (results, hasChanged) = try await attack { _ in "" }
        #expect(results.text == #"{"json":"refused","text":"refused","events":"refused","socket":"refused"}"#)
        #expect(!hasChanged)
    }

    @Test func aPageOfAnOriginThatIsPermitted() async throws {
        let (results, hasChanged) = try await attack { "origins = [\"\($0)\"]" }
        #expect(results.text == #"{"json":200,"text":"refused","events":"heard","socket":"heard"}"#)
        #expect(hasChanged)
    }
}
