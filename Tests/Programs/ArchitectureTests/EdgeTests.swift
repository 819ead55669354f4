import Foundation
import Testing

/// What is unsafe stays with the owners of C's and the kernel's resources.
struct EdgeTests {
    /// Targets that own resources of C libraries, memory shared between threads, or threads.
    private static let edges: Set = [
        "Mixing", "Threads", "HTTP", "FFmpegValues", "MediaCoding", "Outputs", "TextPatterns", "LibraryScan",
        "LibraryIndex",
        "Speech",
    ]

    /// Each owns a piece of memory or the terminal's settings, and nothing else.
    private static let owners: Set = ["PackedBytes.swift", "Mix+Reading.swift", "Terminal.swift"]

    @Test func uncheckedSendableStaysAtTheEdges() throws {
        for target in try Manifest.current.get().sources where !Self.edges.contains(target.name) {
            for file in files(of: target) where !Self.owners.contains(file.lastPathComponent) {
                let text = try String(contentsOf: file, encoding: .utf8)
                #expect(!text.contains("@unchecked Sendable"), "\(target.name)/\(file.lastPathComponent)")
                #expect(!text.contains("nonisolated(unsafe)"), "\(target.name)/\(file.lastPathComponent)")
            }
        }
    }

    /// `segue` starts at once because it links neither FFmpeg nor libpulse.
    @Test func theCommandLinksNoMediaLibrary() throws {
        let program = root.appending(path: ".build/debug/segue")
        try #require(FileManager.default.fileExists(atPath: program.path), "build the product 'segue' first")
        let bytes = try Data(contentsOf: program)
        for library in ["libavformat.so", "libavcodec.so", "libpulse.so"] {
            #expect(bytes.range(of: Data(library.utf8)) == nil, "\(library)")
        }
    }
}
