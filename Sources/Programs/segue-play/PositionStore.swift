import AudioTypes
import Foreground
import Glibc
import TerminalText

/// The file in which positions are remembered: `$XDG_STATE_HOME/segue/positions`.
struct PositionStore: Sendable {
    /// Larger files were not written by this program.
    private static let limit = 4 << 20

    private let folder: String
    private var path: String { folder + "/positions" }

    /// `nil` when the environment names no place for it.
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
        ResumePositions.key(for: entry) { path in
            guard let resolved = unsafe realpath(path, nil) else { return path }
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
    }

    func load() -> ResumePositions {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return ResumePositions() }
        defer { close(file) }
        var contents: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while contents.count < Self.limit {
            let count = unsafe read(file, &chunk, chunk.count)
            guard count > 0 else { break }
            contents += chunk[..<count]
        }
        return ResumePositions(parsing: String(decoding: contents, as: UTF8.self))
    }

    /// Changes what is remembered; what other processes wrote meanwhile is kept, and the file is always whole.
    ///
    /// - Returns: Why it could not be written, or `nil`.
    func update(_ change: (inout ResumePositions) -> Void) -> String? {
        var positions = load()
        let before = positions
        change(&positions)
        guard positions != before else { return nil }
        makeFolder()
        let temporary = path + ".\(getpid())"
        let file = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return reason() }
        var isWritten = Descriptor(number: file).write(positions.text) && fdatasync(file) == 0
        isWritten = close(file) == 0 && isWritten
        if isWritten, unsafe rename(temporary, path) == 0 { return nil }
        let reason = reason()
        unsafe unlink(temporary)
        return reason
    }

    private func reason() -> String { "\(path): \(unsafe String(cString: strerror(errno)))" }

    private func makeFolder() {
        var end = folder.startIndex
        while end < folder.endIndex {
            end = folder[folder.index(after: end)...].firstIndex(of: "/") ?? folder.endIndex
            _ = unsafe mkdir(String(folder[..<end]), 0o700)
        }
    }
}
