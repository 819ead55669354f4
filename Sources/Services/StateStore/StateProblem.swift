import Files

/// A problem with the state's files; its description is one line for people.
package enum StateProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The numbers are `errno`s.
    case cannotWrite(path: String, Int32)
    case cannotCompact(path: String, Int32)
    /// The file was deleted or replaced while it was in use.
    case vanished(path: String)
    /// The file could not be read, and is now `asideAs`, unless renaming failed as well.
    case cannotRead(path: String, Int32, asideAs: String?)
    /// The records before this line are used; the whole file is kept as `asideAs`, unless that could not be written.
    case damaged(path: String, line: Int, asideAs: String?)
    /// The last record was being written when the process or the machine stopped.
    case tornTail(path: String)
    /// Neither of the two slots of a position file is whole.
    case noPosition(path: String)
    case cannotLock(path: String, Int32)
    case inUse(folder: String, pid: Int32?)

    /// The `errno` of a failed write; `nil` for other problems.
    package var writingFailure: Int32? {
        switch self {
        case .cannotWrite(_, let code), .cannotCompact(_, let code): code
        default: nil
        }
    }

    package var description: String {
        switch self {
        case .cannotWrite(let path, let code):
            "cannot write \(path): \(reason(code)); it is kept in memory and tried again"
        case .cannotCompact(let path, let code):
            "cannot replace \(path) by a shorter file: \(reason(code)); it keeps growing for now"
        case .vanished(let path):
            "\(path) was removed while it was in use; it is written again"
        case .cannotRead(let path, let code, let aside):
            "cannot read \(path): \(reason(code)); \(Self.begun(aside))"
        case .damaged(let path, let line, let aside):
            "\(path) is damaged from line \(line) on, the lines before are used; "
                + (aside.map { "the damaged file is kept as \($0)" } ?? "the damaged file could not be kept")
        case .tornTail(let path):
            "the last record in \(path) is incomplete and is left out"
        case .noPosition(let path):
            "\(path) is damaged; playback does not resume where it was"
        case .cannotLock(let path, let code):
            "cannot lock \(path): \(reason(code)); make sure that no other program uses the folder"
        case .inUse(let folder, let pid):
            "\(folder) is in use by \(pid.map { "process \($0)" } ?? "another process"); "
                + "end that one, or use another state folder"
        }
    }

    private static func begun(_ aside: String?) -> String {
        aside.map { "a new one is started, and the old one is kept as \($0)" } ?? "a new one is started"
    }
}

private func reason(_ code: Int32) -> String { SystemError(code).description }
