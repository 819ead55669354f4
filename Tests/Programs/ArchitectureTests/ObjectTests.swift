import Foundation
import Testing

/// Handlers of commands get what they act on from the access check, which has asked for permissions.
struct ObjectTests {
    /// None looks an object up by a number or name of a request.
    @Test func handlersFindNoObjectsThemselves() throws {
        let ways = [
            "SessionID(", "AccessProof", "store.alarms[", "store.schedules[", "announcer.report(", ".members[",
            "owner(ofOutput", "nowPlaying.session(of:",
        ]
        let folder = root.appending(path: "Sources/Server/ServerCommands")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count > 40)
        for file in files {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            for way in ways { #expect(!text.contains(way), "\(file): \(way)") }
        }
    }
}
