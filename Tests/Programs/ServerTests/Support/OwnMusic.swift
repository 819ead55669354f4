import Foundation
import TestSupport

/// The music, for a test that changes it.
struct OwnMusic {
    let folder: TemporaryFolder
    /// Of the music directory.
    let path: String
    let files = FileManager.default

    init() async throws {
        folder = try TemporaryFolder()
        path = folder.file("mine")
        try files.copyItem(atPath: await Music.folder(), toPath: path)
    }

    func move(_ uri: String, to other: String) throws {
        try files.moveItem(atPath: "\(path)/\(uri)", toPath: "\(path)/\(other)")
    }

    func update(_ client: LineClient) throws {
        try client.order("update")
        while try client.values("status")["updating_db"] != nil { try client.order("idle update") }
    }

    func uris(_ client: LineClient, _ command: String) -> [String] {
        client.ask(command).filter { $0.hasPrefix("file: ") }.map { String($0.dropFirst(6)) }
    }
}
