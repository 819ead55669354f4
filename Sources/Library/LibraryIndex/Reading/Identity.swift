internal import GRDB

/// The result of resolving an identifier: a portable id, or the URI of a file.
package enum Identification: Sendable, Hashable {
    /// No existing file; `was` lists its former URIs as far as they are known, the most recent first.
    case none(portableID: String?, was: [String])
    /// The portable id is `nil` for files that have none, such as pictures.
    case one(uri: String, portableID: String?)
    /// Files with the same sound, in listing order.
    case several(portableID: String, uris: [String])
}

extension Identification {
    /// The result for a client that sees some songs; what it does not see is not known, nor where it was.
    fileprivate func limited(to visible: VisibleSongs) -> Identification {
        switch self {
        case .one(let uri, portableID: _) where visible.contains(uri): self
        case .several(let portableID, let uris):
            switch uris.filter(visible.contains) {
            case let some where some.count > 1: .several(portableID: portableID, uris: some)
            case let some: some.first.map { .one(uri: $0, portableID: portableID) } ?? .none(portableID: nil, was: [])
            }
        case .one, .none: .none(portableID: nil, was: [])
        }
    }
}

extension LibraryReader {
    /// Resolves identifiers, with one result for each.
    ///
    /// A URI stands for the file there; if that file is gone, for the files with its sound.
    package func identify(_ identifiers: [String]) throws(LibraryError) -> [Identification] {
        try library.read { db in
            let identities = try Identities(db)
            return try identifiers.map { identifier in
                let found = try identities.identify(identifier)
                return visible.map(found.limited) ?? found
            }
        }
    }
}

/// Looks up identities.
private struct Identities {
    private let files: Query
    private let gone: Query
    private let file: Query
    private let formerFile: Query

    /// The largest number of former places in a result.
    private static let mostPlaces = 10

    init(_ db: Database) throws {
        files = try Query(
            db,
            "SELECT path, name \(SongSearch.fromFile) WHERE portable = ? AND gone IS NULL ORDER BY \(SongSearch.sortedOrder)"
        )
        gone = try Query(
            db,
            """
            SELECT was FROM file WHERE portable = ? AND gone IS NOT NULL ORDER BY gone DESC, id DESC
            LIMIT \(Self.mostPlaces)
            """
        )
        file = try Query(
            db,
            "SELECT portable FROM directory CROSS JOIN file ON file.directory = directory.id WHERE path = ? AND name = ?"
        )
        formerFile = try Query(
            db,
            """
            SELECT portable FROM file WHERE was = ? AND was IS NOT NULL ORDER BY gone IS NOT NULL, gone DESC, id DESC
            LIMIT 1
            """
        )
    }

    func identify(_ identifier: String) throws -> Identification {
        if isPortableID(identifier) {
            let found = try files(of: identifier.lowercased())
            if found != .none(portableID: nil, was: []) { return found }
        }
        let (folder, name) = parts(ofURI: identifier)
        file.bind(1, folder)
        file.bind(2, name)
        if let portable = try file.first({ $0.optionalText(0) }) { return .one(uri: identifier, portableID: portable) }
        formerFile.bind(1, identifier)
        guard let portable = try formerFile.first({ $0.optionalText(0) }) else {
            return .none(portableID: nil, was: [])
        }
        return try portable.map(files) ?? .none(portableID: nil, was: [identifier])
    }

    private func files(of portable: String) throws -> Identification {
        files.bind(1, portable)
        var uris: [String] = []
        try files.each { uris.append(uri($0.text(1), in: $0.text(0))) }
        if uris.count > 1 { return .several(portableID: portable, uris: uris) }
        if let uri = uris.first { return .one(uri: uri, portableID: portable) }
        gone.bind(1, portable)
        var was: [String] = []
        try gone.each { was.append($0.text(0)) }
        return .none(portableID: was.isEmpty ? nil : portable, was: was)
    }
}

/// Whether a text has the form of `ScannedFile.portableID`.
private func isPortableID(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
}
