import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// What `--record` writes, and what it says when it cannot.
    @Suite(.blocking) struct RecordingTests {
        private static let seconds = 9

        /// Segments of AAC with a head for each frame, in containers that want none.
        @Test(arguments: ["m4a", "mov", "mka", "aac"]) func segments(_ name: String) async throws {
            let web = try await WebServer.start()
            let source = try await NetworkMaterial.segments(.ts, seconds: Self.seconds)
            let url = try web.publish(folder: source, as: "a") + "/\(NetworkMaterial.Segments.ts.index)"
            let folder = try TemporaryFolder()
            let heard = try await Programs.samples(["--record", folder.file("a.\(name)"), url])
            #expect(heard.errors.isEmpty)
            #expect(heard.result.status == .code(0))
            let recorded = try await Programs.samples([folder.file("a.\(name)")])
            #expect(recorded.seconds.order == Array(0..<Self.seconds), "\(recorded.errors)")
        }

        /// It is heard all the same.
        @Test(
            arguments: [
                ("none/a.mp3", "No such file or directory"), ("a.ogg", "the container cannot hold the stream"),
                ("a.flac", "the container cannot hold the stream"),
            ]
        )
        func failures(_ name: String, _ reason: String) async throws {
            let web = try await WebServer.start()
            let url = try web.publish(await MediaFixtures.position(.mp3, seconds: 3), as: "a.mp3")
            let folder = try TemporaryFolder()
            let heard = try await Programs.samples(["--record", folder.file(name), url])
            #expect(heard.seconds.order == Array(0..<3))
            #expect(heard.errors.contains("\(folder.file(name)): "))
            #expect(heard.errors.contains(reason), "\(heard.errors)")
            #expect(heard.errors.split(separator: "\n").count == 1, "\(heard.errors)")
            #expect(heard.result.status == .code(1))
            #expect(!FileManager.default.fileExists(atPath: folder.file(name)))
        }

        /// What cannot be recorded at all is said before anything is played.
        @Test func unknownExtension() async throws {
            let web = try await WebServer.start()
            let url = try web.publish(await MediaFixtures.position(.mp3, seconds: 3), as: "a.mp3")
            let folder = try TemporaryFolder()
            let heard = try await Programs.samples(["--record", folder.file("a.xyz"), url])
            #expect(heard.errors == "segue: \(folder.file("a.xyz")): no container has this extension\n")
            #expect(heard.bytes.isEmpty)
            #expect(heard.result.status == .code(1))
            #expect(web.requests.isEmpty)
        }

        /// Neither the file that was named, nor one whose number follows.
        @Test func nothingIsOverwrittenUnasked() async throws {
            let web = try await WebServer.start()
            let url = try web.publish(await MediaFixtures.position(.mp3, seconds: 3), as: "a.mp3")
            let folder = try TemporaryFolder()
            let path = try folder.write("a.mp3", "something of value")
            let next = try folder.write("a-2.mp3", "something else")
            let refused = try await Programs.samples(["--record", path, url])
            #expect(refused.errors == "segue: \(path): exists; --force overwrites it\n")
            #expect(refused.result.status == .code(1))
            #expect(web.requests.isEmpty)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "something of value")
            let heard = try await Programs.samples(["--record", path, "--force", url, url])
            #expect(heard.result.status == .code(0), "\(heard.errors)")
            #expect(try String(contentsOfFile: next, encoding: .utf8) == "something else")
            for name in ["a.mp3", "a-3.mp3"] {
                let recorded = try await Programs.samples([folder.file(name)])
                #expect(recorded.seconds.order == Array(0..<3), "\(name): \(recorded.errors)")
            }
        }

        @Test func localFile() async throws {
            let file = try await MediaFixtures.position(.mp3, seconds: 3)
            let folder = try TemporaryFolder()
            let heard = try await Programs.samples(["--record", folder.file("a.mp3"), file])
            #expect(heard.errors == "segue: \(file): not recorded: it is a local file\n")
            #expect(heard.seconds.order == Array(0..<3))
            #expect(heard.result.status == .code(1))
            #expect(!FileManager.default.fileExists(atPath: folder.file("a.mp3")))
        }
    }
}
