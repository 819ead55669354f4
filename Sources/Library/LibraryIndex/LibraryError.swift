internal import GRDB
package import TextPatterns

/// Why an operation of the library failed.
package enum LibraryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The database was damaged and is now at `setAside`; an empty one took its place, so a scan is needed.
    case damaged(path: String, setAside: String)
    /// The disk is full; nothing was changed.
    case diskFull(path: String)
    /// The reason is SQLite's message; nothing was changed.
    case failed(path: String, reason: String)
    /// A regular expression takes too long.
    case refused(PatternError)
    /// The library has no directory and no song with that URI.
    case nothingThere(String)

    package var description: String {
        switch self {
        case .damaged(let path, let aside):
            "The library '\(path)' was damaged, and is kept as '\(aside)'; 'segue update' fills a new one."
        case .diskFull(let path): "The library '\(path)' has no room: make space on its disk, then run 'segue update'."
        case .failed(let path, let reason): "The library '\(path)' cannot be used: \(reason)."
        case .refused(let error): error.description
        case .nothingThere(let uri): "Nothing in the library has the URI '\(uri)'."
        }
    }

    /// Whether the query is at fault, rather than the library.
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
    /// Whether the file's contents are invalid.
    var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}
