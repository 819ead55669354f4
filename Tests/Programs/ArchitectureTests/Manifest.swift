import Foundation
import Testing

/// The package's folder.
let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// What `Package.swift` declares, as SwiftPM reads it.
struct Manifest: Decodable {
    /// A target, its folder, and what it may import.
    struct Target: Decodable {
        let name: String
        let path: String?
        let type: String
        let dependencies: [Dependency]

        /// The floor on which a target of `Sources` lies; `nil` for tests and their tools.
        var floor: String? {
            let folders = path?.split(separator: "/") ?? []
            return folders.count == 3 && folders[0] == "Sources" ? String(folders[1]) : nil
        }

        /// The modules that it may import, the project's and others'.
        var modules: Set<String> { Set(dependencies.map(\.module)) }
    }

    /// A target or a product of another package, whose name is in either case the module's.
    struct Dependency: Decodable {
        let module: String

        init(from decoder: any Decoder) throws {
            let kinds = try decoder.singleValueContainer().decode([String: [Name]].self)
            module = try #require(kinds.values.first?.first?.text)
        }

        /// Dependencies are lists of names, packages and conditions.
        private struct Name: Decodable {
            let text: String?

            init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
        }
    }

    let targets: [Target]

    /// The floors from the lowest to the highest, as the manifest lists them.
    var floors: [String] {
        targets.compactMap(\.floor).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The targets of `Sources` from the lowest to the highest.
    var sources: [Target] { targets.filter { $0.floor != nil } }

    static let current = Result { try read() }

    /// Asks SwiftPM, which may be running the tests and hold the lock of the build folder.
    private static func read() throws -> Manifest {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["swift", "package", "--ignore-lock", "--package-path", root.path, "dump-package"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "swift package dump-package failed")
        return try JSONDecoder().decode(Manifest.self, from: bytes)
    }
}

/// The Swift files of a target.
func files(of target: Manifest.Target) -> [URL] {
    let folder = root.appending(path: target.path ?? "")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    return (files ?? .init()).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
}
