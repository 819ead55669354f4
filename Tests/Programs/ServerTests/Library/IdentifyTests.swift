import Foundation
import TestSupport
import TestThreads
import Testing

/// Songs have an identifier that tells where they are.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct IdentifyTests {
    private let own: OwnMusic

    init() async throws { own = try await OwnMusic() }

    @Test func identifiersHaveAResultEach() async throws {
        try own.files.copyItem(atPath: own.path + "/two.flac", toPath: own.path + "/copy.flac")
        let server = try await Segued.start(in: own.folder, music: own.path)
        let client = try server.connect()
        let one = try #require(try client.values("identify one.flac")["id"])
        let two = try #require(try client.values("identify two.flac")["id"])
        #expect(one.count == 32 && one != two)
        #expect(
            client.ask("identify \(two) nothing.flac \(one.uppercased()) Blue/cover.jpg") == [
                "identifier: \(two)", "error: multipleIdentifiersFound", "id: \(two)", "candidate: copy.flac",
                "candidate: two.flac", "identifier: nothing.flac", "error: identifierNotFound",
                "identifier: \(one.uppercased())", "file: one.flac", "id: \(one)", "identifier: Blue/cover.jpg",
                "file: Blue/cover.jpg", "OK",
            ]
        )
        try own.move("one.flac", to: "Blue/eins.flac")
        try ChildProcess.run("metaflac", ["--set-tag=title=Eins", own.path + "/Blue/eins.flac"])
        try own.update(client)
        #expect(client.ask("identify \(one)") == ["identifier: \(one)", "file: Blue/eins.flac", "id: \(one)", "OK"])
        try own.files.removeItem(atPath: own.path + "/Blue/eins.flac")
        try own.update(client)
        let gone = ["error: identifierNotFound", "id: \(one)", "was: Blue/eins.flac"]
        #expect(
            client.ask("identify \(one) Blue/eins.flac")
                == ["identifier: \(one)"] + gone + ["identifier: Blue/eins.flac"] + gone + ["OK"]
        )
        #expect(client.ask("identify").last?.hasPrefix("ACK [2@0] {identify}") == true)

        let program = URL(filePath: try Segued.path()).deletingLastPathComponent().appending(path: "segue").path
        let words = ["library", "identify", "--json", two, "two.flac", one]
        let result = try await ChildProcess(
            program,
            words,
            environment: ["LANG": "C.UTF-8", "MPD_HOST": server.socket]
        ).wait()
        #expect(
            result.outputText == """
                {"identifier":"\(two)","error":"multipleIdentifiersFound","id":"\(two)",\
                "candidates":["copy.flac","two.flac"]}
                {"identifier":"two.flac","file":"two.flac","id":"\(two)"}
                {"identifier":"\(one)","error":"identifierNotFound","id":"\(one)","was":["Blue/eins.flac"]}

                """
        )
        #expect(result.status == .code(1), "\(result.errorText)")
    }
}
