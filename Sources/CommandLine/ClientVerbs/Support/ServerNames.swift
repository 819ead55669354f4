import ArgumentParser
import Files
import ProtocolClient
import TerminalText

/// Completions with names that a server knows.
///
/// The shell runs `segue` with the words so far; a server that does not answer at once has no names.
enum ServerNames {
    static let zones = kind { connection, _ in try connection.run("listpartitions").values("partition") }
    static let outputs = kind { connection, _ in try connection.run("outputs").values("outputname") }
    static let playlists = kind { connection, _ in try connection.run("listplaylists").values("playlist") }
    /// Songs and folders of the library.
    static let songs = kind { try library($0, $1) }
    /// These, and files of this machine.
    static let media = kind { (try library($0, $1)) + files($1) }

    private static func library(_ connection: RemoteConnection, _ prefix: String) throws -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[..<$0]) } ?? ""
        let entries = try connection.run(folder.isEmpty ? Request("lsinfo") : Request("lsinfo", folder))
        return entries.pairs.compactMap { pair in
            switch pair.key {
            case "directory": pair.value + "/"
            case "file": pair.value
            default: nil
            }
        }
    }

    /// As many as a shell shows.
    private static let most = 5_000
    /// In seconds.
    private static let patience = PatienceLimits(connecting: 1, answering: 2)

    private static func kind(
        _ names: @escaping @Sendable (RemoteConnection, String) throws -> [String]
    ) -> CompletionKind {
        .custom { words, _, prefix in
            if prefix.hasPrefix("/") || prefix.hasPrefix("./") || prefix.hasPrefix("../") { return files(prefix) }
            guard let connection = try? connect(as: words) else { return [] }
            let found = (try? names(connection, prefix)) ?? []
            return found.lazy.filter { $0.hasPrefix(prefix) }.prefix(most).map { DisplayText.harmless($0) }
        }
    }

    /// Connects to the server that the words, or the environment, name.
    private static func connect(as words: [String]) throws -> RemoteConnection {
        func value(_ names: String...) -> String? {
            for (name, value) in zip(words, words.dropFirst()) where names.contains(name) { return value }
            return words.firstNonNil { word in
                names.firstNonNil { word.hasPrefix($0 + "=") ? String(word.dropFirst($0.count + 1)) : nil }
            }
        }
        let choice = try ServerChoice(
            host: value("--host"),
            port: value("--port", "-p").flatMap { Int($0) },
            password: value("--password", "-P"),
            variable: TerminalTraits.variable
        )
        // Some of the names differ by zone.
        let zone = value("--zone", "--partition")
        return try (try? .open(choice, zone: zone, limits: patience)) ?? .open(choice, zone: nil, limits: patience)
    }

    private static func files(_ prefix: String) -> [String] {
        let place = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let names = (try? fileNames(in: place.isEmpty ? "." : place)) ?? []
        return names.lazy.filter { !$0.hasPrefix(".") }.map { place + $0 }.filter { $0.hasPrefix(prefix) }
            .prefix(most)
            .map { (try? FileStatus(of: $0))?.kind == .folder ? $0 + "/" : $0 }
    }
}
