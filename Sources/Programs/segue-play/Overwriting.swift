import AudioTypes
import CommandOptions
import Files
import Glibc
import TerminalText
import Threads

/// Keeps files from being overwritten: one that is to be played always, and any other unless that is wanted.
struct Overwriting: Sendable {
    private let played: Set<FileIdentity>
    private let isForced: Bool
    /// Whether there is a person to be asked.
    private let canAsk: Bool

    init(_ options: PlayOptions, _ entries: [MediaEntry]) {
        played = Set(entries.compactMap { $0.filePath.flatMap(FileIdentity.init) })
        isForced = options.output.force
        canAsk =
            !options.display.json && !options.readsStandardInput && TerminalTraits.isTerminal(STDIN_FILENO)
            && TerminalTraits.isTerminal(STDERR_FILENO) && Terminal.isForeground(STDIN_FILENO)
    }

    /// Checks the files that are to be made; asks on a terminal whether those that exist may be overwritten.
    ///
    /// - Parameter leaving: Ends the question.
    /// - Throws: `OutputRefusal`.
    func check(_ paths: [String], leaving: Interrupt) async throws {
        try await WorkThread.run(named: "segue-ask") { try look(at: paths, leaving) }
    }

    private func look(at paths: [String], _ leaving: Interrupt) throws {
        var existing: [String] = []
        for path in paths {
            guard let file = FilePath(bytes: path.utf8).flatMap(FileIdentity.init) else { continue }
            if played.contains(file) {
                throw OutputRefusal(description: "\(path): is one of the files to play; choose another output")
            }
            if file.isFile { existing.append(path) }
        }
        guard let first = existing.first, !isForced else { return }
        let (text, them) =
            existing.count == 1
            ? ("\(first): exists", "it")
            : ("\(first) and \(existing.count - 1) other\(existing.count == 2 ? "" : "s"): exist", "them")
        guard canAsk else { throw OutputRefusal(description: "\(text); --force overwrites \(them)") }
        guard ask("segue: \(DisplayText.harmless(text)). Overwrite \(them)? [y/N] ", leaving) else {
            throw OutputRefusal(description: "nothing was overwritten")
        }
    }

    private func ask(_ question: String, _ leaving: Interrupt) -> Bool {
        let screen = TextOutput.standardError
        screen.write(question)
        let ready = Readiness.wait(for: [.readable(STDIN_FILENO), .readable(leaving.descriptor)])
        guard !ready[1] else {
            screen.write("\n")
            return false
        }
        // The terminal hands over whole lines.
        var answer = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(STDIN_FILENO, &answer, answer.count)
        return count > 0 && [UInt8(ascii: "y"), UInt8(ascii: "Y")].contains(answer[0])
    }
}

/// Identifies the file of a path, however it is written.
private struct FileIdentity: Hashable, Sendable {
    let device: UInt
    let number: UInt
    /// Whether it is a file that has something to lose, rather than a device or an empty file.
    let isFile: Bool

    init?(_ path: FilePath) {
        var status = stat()
        guard unsafe stat(path.cString, &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        number = UInt(status.st_ino)
        isFile = status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }
}
