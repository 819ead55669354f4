import Foundation
import Testing

/// Each target of `Sources`, and the project's own modules it may import.
///
/// SwiftPM reports a missing dependency, but not an import of something that a dependency brings along.
private let layers: [String: Set<String>] = [
    "AudioTypes": [],
    "Songs": [],
    "TextPatterns": ["CPCRE"],
    "SongFilters": ["Songs", "TextPatterns"],
    "Stickers": ["Songs"],
    "AudioSessions": [],
    "Announcements": [],
    "Speech": [],
    "LineProtocol": [],
    "Playlists": ["AudioTypes", "Songs"],
    "Mixing": ["AudioTypes"],
    "Scheduling": ["Mixing"],
    "StateStore": ["AudioTypes", "Mixing"],
    "MediaFiles": ["AudioTypes", "Songs", "Playlists", "HTTP"],
    "HTTP": ["AudioTypes", "CCurl"],
    "Segments": ["AudioTypes", "Playlists", "HTTP"],
    "HLS": ["AudioTypes", "HTTP", "Segments"],
    "DASH": ["AudioTypes", "Playlists", "HTTP", "Segments"],
    "FFmpeg": ["AudioTypes", "Playlists", "Mixing", "HTTP", "Segments", "HLS", "DASH", "CFFmpeg", "CSonic"],
    "MediaScan": ["AudioTypes", "Songs", "Mixing", "Playlists", "MediaFiles", "CLinux"],
    "MediaLibrary": ["AudioTypes", "Songs", "SongFilters", "TextPatterns", "Playlists", "MediaScan"],
    "Outputs": ["AudioTypes", "Mixing", "CPulse"],
    "Encoding": ["AudioTypes", "Mixing", "FFmpeg", "Outputs"],
    "OutputGroups": ["AudioTypes", "Mixing", "FFmpeg", "Outputs"],
    "MusicFiles": ["AudioTypes", "Songs", "Playlists", "MediaFiles", "MediaScan", "Mixing", "HTTP", "FFmpeg"],
    "MusicLibrary": ["AudioTypes", "Mixing", "Songs", "MediaScan", "MediaLibrary", "MusicFiles"],
    "Mixers": ["AudioTypes", "Mixing", "Outputs"],
    "Playback": ["AudioTypes", "Playlists", "Mixing", "HTTP", "FFmpeg", "Outputs", "Mixers"],
    "Zones": ["AudioTypes", "Songs", "Playlists", "Playback"],
    "CommandServer": [
        "AudioTypes", "Songs", "SongFilters", "TextPatterns", "Stickers", "Playlists", "LineProtocol",
        "Configuration", "HTTP",
        "MediaFiles", "FFmpeg", "MusicFiles", "MediaLibrary", "MediaScan", "MusicLibrary",
        "OutputGroups", "Playback", "StateStore", "Zones", "AudioSessions", "Announcements", "Mixers",
        "Mixing", "Speech",
    ],
    "Verbs": ["AudioTypes"],
    "Configuration": ["Announcements", "AudioTypes", "Songs", "LineProtocol", "Verbs"],
    "TerminalText": ["AudioTypes"],
    "RemoteControl": ["LineProtocol"],
    "RemoteVerbs": ["AudioTypes", "LineProtocol", "RemoteControl", "Scheduling", "TerminalText", "Verbs"],
    "Foreground": ["AudioTypes", "Playback", "TerminalText", "Verbs"],
    "segue": ["Verbs", "RemoteVerbs"],
    "Systemd": ["Configuration"],
    "MPDImport": ["LineProtocol", "Configuration", "RemoteControl", "Songs", "CSQLite"],
    "segued": [
        "AudioTypes", "Verbs", "TerminalText", "RemoteControl", "RemoteVerbs", "Scheduling", "Configuration", "Systemd",
        "StateStore", "MPDImport", "MusicFiles",
        "Outputs", "OutputGroups", "Encoding", "Speech", "CommandServer",
    ],
    "segue-play": [
        "AudioTypes", "Verbs", "TerminalText", "Foreground", "LineProtocol", "RemoteControl", "Scheduling", "Mixing",
        "Mixers",
        "Playlists", "HTTP", "MediaFiles", "FFmpeg", "Outputs", "Encoding", "Playback",
    ],
    "CFFmpeg": [], "CLinux": [], "CCurl": [], "CPCRE": [], "CPulse": [], "CSonic": [], "CSQLite": [],
]

/// What else a target may import; every target may use the standard library's modules and Glibc.
private let outside: [String: Set<String>] = [
    "Verbs": ["ArgumentParser"], "RemoteVerbs": ["ArgumentParser"], "segue": ["ArgumentParser"],
    "segue-play": ["ArgumentParser"], "segued": ["ArgumentParser", "Logging", "NIOCore", "NIOPosix"],
    "Configuration": ["ArgumentParser"], "CommandServer": ["NIOCore", "NIOPosix"],
    "MediaLibrary": ["GRDB", "GRDBSQLite"],
    "FFmpeg": ["DequeModule"],
]

private let standard: Set<String> = ["Swift", "Glibc", "Synchronization", "_Concurrency"]

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The modules that a target's files import, each with a file that does.
private func imports(of target: String) throws -> [String: String] {
    var found: [String: String] = [:]
    let folder = root.appending(path: "Sources/\(target)")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
                words[..<place].allSatisfy({ $0.hasPrefix("@") || ["package", "internal", "private"].contains($0) })
            else { continue }
            found[String(words[place + 1])] = file.lastPathComponent
        }
    }
    return found
}

@Suite struct LayerTests {
    @Test func everyTargetIsListed() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
        #expect(Set(folders) == Set(layers.keys))
    }

    @Test(arguments: layers.keys.sorted())
    func importsPointDown(target: String) throws {
        let allowed = layers[target, default: []].union(outside[target, default: []]).union(standard)
        for (module, file) in try imports(of: target) {
            #expect(allowed.contains(module), "\(target)/\(file) imports \(module)")
        }
    }

    @Test func layersHaveNoCycle() {
        var remaining = layers
        while !remaining.isEmpty {
            let lowest = remaining.filter { $0.value.isDisjoint(with: remaining.keys) }
            guard !lowest.isEmpty else {
                Issue.record("\(remaining.keys.sorted()) import each other")
                return
            }
            for target in lowest.keys { remaining[target] = nil }
        }
    }

    /// Only the edges to C and the code between threads may need `unsafe`.
    @Test(arguments: [
        "AudioTypes", "Songs", "SongFilters", "Stickers", "AudioSessions", "LineProtocol", "MusicFiles", "Playlists",
        "StateStore",
        "AudioTypes", "Songs", "SongFilters", "Stickers", "Announcements", "LineProtocol", "MusicFiles", "Playlists",
        "AudioTypes", "Songs", "SongFilters", "Stickers", "AudioSessions", "LineProtocol", "MusicFiles", "Playlists",
        "StateStore",
        "Playback", "Zones", "Verbs", "Configuration", "TerminalText", "RemoteControl", "Foreground",
    ])
    func uncheckedSendableStaysAtTheEdges(target: String) throws {
        let folder = root.appending(path: "Sources/\(target)")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        for case let file as URL in files ?? .init()
        where file.pathExtension == "swift" && !Self.owners.contains(file.lastPathComponent) {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(!text.contains("@unchecked Sendable"), "\(file.lastPathComponent)")
            #expect(!text.contains("nonisolated(unsafe)"), "\(file.lastPathComponent)")
        }
    }

    /// Each owns a piece of memory, and nothing else.
    private static let owners: Set = ["PackedBytes.swift"]

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
