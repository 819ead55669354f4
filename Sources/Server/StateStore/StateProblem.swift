private import Glibc

/// What went wrong with the files in which state is kept; its description is one line for people.
package enum StateProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The numbers are `errno`s.
    case cannotWrite(path: String, Int32)
    case cannotCompact(path: String, Int32)
    /// The file was deleted or replaced while it was in use.
    case vanished(path: String)
    /// It could not be read; what it was is `asideAs` now, unless even that failed.
    case cannotRead(path: String, Int32, asideAs: String?)
    /// What was read up to this line counts; all of it is kept in the other file, unless that could not be written.
    case damaged(path: String, line: Int, asideAs: String?)
    /// The last record was being written when the process or the machine stopped.
    case tornTail(path: String)
    /// Neither of the two slots of a position file is whole.
    case noPosition(path: String)
    case cannotLock(path: String, Int32)
    case inUse(folder: String, pid: Int32?)

    package var description: String {
        switch self {
        case .cannotWrite(let path, let code):
            "cannot write \(path): \(reason(code)); it is kept in memory and tried again"
        case .cannotCompact(let path, let code):
            "cannot replace \(path) by a shorter file: \(reason(code)); it goes on growing for now"
        case .vanished(let path):
            "\(path) was removed while it was in use; it is written anew"
        case .cannotRead(let path, let code, let aside):
            "cannot read \(path): \(reason(code)); \(Self.begun(aside))"
        case .damaged(let path, let line, let aside):
            "\(path) is damaged from line \(line) on, what comes before is used; "
                + (aside.map { "the damaged file is kept as \($0)" } ?? "there is no room to keep the damaged file")
        case .tornTail(let path):
            "the last record in \(path) was not written to its end and is left out"
        case .noPosition(let path):
            "\(path) is damaged; playing does not go on where it was"
        case .cannotLock(let path, let code):
            "cannot lock \(path): \(reason(code)); see that nobody else uses the folder"
        case .inUse(let folder, let pid):
            "\(folder) is in use by \(pid.map { "process \($0)" } ?? "another process"); "
                + "end that one, or use another state folder"
        }
    }

    private static func begun(_ aside: String?) -> String {
        aside.map { "a new one is begun, and the old one kept as \($0)" } ?? "a new one is begun"
    }
}

private func reason(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
