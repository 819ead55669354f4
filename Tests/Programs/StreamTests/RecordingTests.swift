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
                ("none/a.mp3", "No such file or directory"), ("a.xyz", "no container has this extension"),
                ("a.ogg", "the container cannot hold the stream"),
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
        }
    }
}
