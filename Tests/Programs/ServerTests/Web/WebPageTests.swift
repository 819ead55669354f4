import Foundation
import TestSupport
import TestThreads
import Testing

/// The files of the page, as browsers get them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct WebPageTests {
    /// The addresses that a text of the page names.
    private func addresses(in text: String) -> [String] {
        text.matches(of: /(?:href|src)="(page\/[^"]+)"/).map { String($0.1) }
    }

    /// The modules that a module imports, at once or later.
    private func imports(in text: String) -> [String] {
        text.matches(of: /(?:from|import\()\s*"\.\/([^"]+)"/).map { String($0.1) }
    }

    @Test("the first file is asked for again each time, and the others are kept")
    func files() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        let page = client.ask("GET", "/")
        #expect(page.status == 200 && page.fields["content-type"] == "text/html; charset=utf-8")
        #expect(page.fields["cache-control"] == "no-cache")
        let tag = try #require(page.fields["etag"])
        let same = client.ask("GET", "/", ["If-None-Match": tag])
        #expect(same.status == 304 && same.bytes.isEmpty && same.fields["etag"] == tag)
        #expect(same.fields["content-length"] == nil)
        let head = client.ask("HEAD", "/")
        #expect(head.status == 200 && head.fields["content-length"] == page.fields["content-length"])
        var names = addresses(in: page.body)
        #expect(names.count >= 6)
        let folder = try #require(names.first.map { $0[..<$0.lastIndex(of: "/")!] })
        var seen: Set<String> = []
        while let name = names.popLast() {
            guard seen.insert(name).inserted else { continue }
            let file = client.ask("GET", "/\(name)")
            #expect(file.status == 200, "\(name)")
            #expect(file.fields["cache-control"] == "public, max-age=31536000, immutable")
            #expect(file.fields["x-content-type-options"] == "nosniff")
            let types = ["js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"]
            let type = try #require(name.split(separator: ".").last.flatMap { types[String($0)] })
            #expect(file.fields["content-type"]?.hasPrefix(type) == true, "\(name)")
            names += imports(in: file.body).map { "\(folder)/\($0)" }
        }
        // Modules that are loaded later are found as well.
        #expect(seen.contains("\(folder)/library.js") && seen.contains("\(folder)/de.js"))
    }

    @Test("files are compressed for those who take that, and the same for others")
    func compression() async throws {
        let stage = try await WebStage()
        let client = try stage.connect()
        let plain = client.ask("GET", "/")
        #expect(plain.fields["content-encoding"] == nil && plain.fields["vary"] == "Accept-Encoding")
        for name in addresses(in: plain.body) + [""] {
            let whole = client.ask("GET", "/\(name)")
            let short = client.ask("GET", "/\(name)", ["Accept-Encoding": "br, gzip"])
            #expect(short.fields["content-encoding"] == "gzip" && short.bytes.count < whole.bytes.count, "\(name)")
            #expect(short.fields["etag"] != whole.fields["etag"])
            let folder = try TemporaryFolder()
            try FileBytes.write(short.bytes, to: folder.file("file.gz"))
            let unpacked = try await ChildProcess("gzip", ["-dc", folder.file("file.gz")]).wait().output
            #expect(Array(unpacked) == whole.bytes, "\(name)")
        }
    }

    @Test("there is nothing else, and no other version")
    func others() async throws {
        let client = try await WebStage().connect()
        let name = try #require(addresses(in: client.ask("GET", "/").body).first)
        for path in [
            "/page/", "/page/0/app.js", "/page/../\(name)", "/\(name)/", "/\(name)x", "/page/%2e%2e/app.js",
            "/index.html",
            "/\(name.dropLast(3))", "/\(name.replacing("/style.css", with: "/index.html"))",
        ] {
            #expect(client.ask("GET", path).status == 404, "\(path)")
        }
        #expect(client.ask("POST", "/", body: "{}").status == 405)
    }

    /// A browser runs nothing but the page's files, whatever a tag has in it.
    @Test func policy() async throws {
        let client = try await WebStage().connect()
        let page = client.ask("GET", "/")
        let policy = try #require(page.fields["content-security-policy"])
        for rule in [
            "default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'",
            "trusted-types segue-worker",
            "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'",
        ] {
            #expect(policy.contains(rule))
        }
        #expect(!policy.contains("unsafe") && !policy.contains("*"))
        #expect(page.fields["referrer-policy"] == "no-referrer" && page.fields["x-content-type-options"] == "nosniff")
        // Without scripts and styles in the text itself, the policy costs nothing.
        #expect(page.body.matches(of: /<script(?![^>]*src=)|<style|\son\w+=|\sstyle=/).isEmpty)
        #expect(client.ask("GET", "/", ["Host": "evil.test"]).status == 421)
    }

    @Test("no module makes markup of a text")
    func modules() throws {
        let sinks =
            /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|\beval\b|new Function/
        let folder = PageFiles.folder
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".js") }
        #expect(names.count >= 9)
        for name in names {
            let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
            #expect(text.matches(of: sinks).isEmpty, "\(name)")
        }
    }

    @Test("the page's modules", .enabled("node is missing") { ChildProcess.missing("node").isEmpty })
    func units() async throws {
        // Older releases of Node take a file for a module only where its folder says so.
        let folder = try TemporaryFolder()
        let page = folder.file("page")
        try FileManager.default.copyItem(atPath: PageFiles.folder, toPath: page)
        try folder.write("page/package.json", #"{"type":"module"}"#)
        let process = try ChildProcess(
            "env",
            ["PAGE_FOLDER=\(page)", "node", "--test", PageFiles.script("modules.mjs")]
        )
        let result = try await process.wait()
        #expect(result.status == .code(0), "\(result.outputText.suffix(3_000))")
        #expect(result.outputText.contains("pass 1"))
    }
}

/// Where the page's sources, and the scripts that test it, are.
enum PageFiles {
    private static let root = {
        var url = URL(filePath: #filePath)
        for _ in 0..<5 { url.deleteLastPathComponent() }
        return url.path
    }()

    static let folder = root + "/Sources/Server/WebPage/Page"

    static func script(_ name: String) -> String { root + "/Tests/Tools/PageScripts/" + name }
}
