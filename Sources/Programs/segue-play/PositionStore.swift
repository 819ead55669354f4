import AudioTypes
import Files
import Foreground
import TerminalText

/// The file that stores playback positions: `$XDG_STATE_HOME/segue/positions`.
struct PositionStore: Sendable {
    /// In bytes; this program never writes larger files.
    private static let limit = 4 << 20

    private let folder: String
    private var path: String { folder + "/positions" }

    /// `nil` when the environment does not determine its path.
    init?() {
        if let state = TerminalTraits.variable("XDG_STATE_HOME"), state.hasPrefix("/") {
            folder = state + "/segue"
        } else if let home = TerminalTraits.variable("HOME"), home.hasPrefix("/") {
            folder = home + "/.local/state/segue"
        } else {
            return nil
        }
    }

    static func key(for entry: MediaEntry) -> String? {
        ResumePositions.key(for: entry) { realPath(of: $0) ?? $0 }
    }

    func load() -> ResumePositions {
        let contents = (try? fileContents(path, atMost: Self.limit)) ?? []
        return ResumePositions(parsing: String(decoding: contents, as: UTF8.self))
    }

    /// Changes the stored positions; changes by other processes are kept, and the file is replaced as a whole.
    ///
    /// - Returns: Why it could not be written, or `nil`.
    func update(_ change: (inout ResumePositions) -> Void) -> String? {
        var positions = load()
        let before = positions
        change(&positions)
        guard positions != before else { return nil }
        makeFolders(folder)
        do {
            try AtomicFile.write(Array(positions.text.utf8), to: path, access: .onlyOwner)
            return nil
        } catch {
            return "\(path): \(error)"
        }
    }
}
