internal import GRDB
package import TextPatterns

/// Why the library could not do what was asked.
package enum LibraryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database was damaged; it lies under the other path now, and an empty one was begun: scan again.
    case damaged(path: String, setAside: String)
    /// No room on the disk; nothing was changed.
    case diskFull(path: String)
    /// SQLite's words; nothing was changed.
    case failed(path: String, reason: String)
    /// What was asked for takes too long to find.
    case refused(PatternError)
    /// Neither a directory nor a song has that URI.
    case nothingThere(String)

    package var description: String {
        switch self {
        case .damaged(let path, let aside):
            "The library '\(path)' was damaged. It is kept as '\(aside)'; a new one is filled by 'segue update'."
        case .diskFull(let path): "The library '\(path)' has no room: make space on its disk, then run 'segue update'."
        case .failed(let path, let reason): "The library '\(path)' cannot be used: \(reason)."
        case .refused(let error): error.description
        case .nothingThere(let uri): "Nothing in the library has the URI '\(uri)'."
        }
    }

    /// Whether it is the question's fault, and not the library's.
    package var isOfQuestion: Bool {
        switch self {
        case .refused, .nothingThere: true
        case .damaged, .diskFull, .failed: false
        }
    }

    init(_ error: any Error, path: String) {
        if let error = error as? PatternError {
            self = .refused(error)
            return
        }
        guard let error = error as? DatabaseError else {
            self = (error as? LibraryError) ?? .failed(path: path, reason: String(describing: error))
            return
        }
        switch error.resultCode {
        case .SQLITE_FULL: self = .diskFull(path: path)
        default: self = .failed(path: path, reason: error.message ?? String(describing: error.resultCode))
        }
    }
}

extension DatabaseError {
    /// Whether what is in the file makes no sense.
    var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}
