internal import Cryptography
internal import GRDB
internal import TextEncodings

/// A client's name for a picture, video or song of a library, as PhotoKit's local identifiers are.
///
/// It gives no access, and tells nothing of the item; another client has another one for it.
package struct AssetIdentifier: Sendable, Hashable {
    /// 32 hexadecimal digits, in lower case.
    package let text: String

    private static let length = 32

    /// - Returns: `nil` for a text that is none.
    package init?(_ text: String) {
        guard text.utf8.count == Self.length,
            text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        self.text = text
    }

    fileprivate init(of uri: String, for client: String, _ key: [UInt8]) {
        text = String(Digest(of: Array("\(client)\0\(uri)".utf8), secret: key).description.prefix(Self.length))
    }
}

extension LibraryReader {
    /// The identifiers of items for a client, in the order of their URIs.
    package func assetIdentifiers(of uris: [String], for client: String) throws(LibraryError) -> [AssetIdentifier] {
        try library.read { db in
            let key = try assetKey(db)
            return uris.map { AssetIdentifier(of: $0, for: client, key) }
        }
    }

    /// The URIs of the songs, pictures and videos that a client has such identifiers of.
    ///
    /// Looks through all of them.
    package func uris(
        of identifiers: Set<AssetIdentifier>,
        for client: String
    ) throws(LibraryError) -> [AssetIdentifier: String] {
        try library.read { db in
            let key = try assetKey(db)
            var found: [AssetIdentifier: String] = [:]
            try Query(
                db,
                """
                SELECT path, name FROM directory CROSS JOIN file ON file.directory = directory.id
                WHERE file.tagset IS NOT NULL OR \(Self.isMedia)
                """
            ).each { row in
                let uri = uri(row.text(1), in: row.text(0))
                let identifier = AssetIdentifier(of: uri, for: client, key)
                if identifiers.contains(identifier) { found[identifier] = uri }
            }
            return found
        }
    }

    /// The library's secret, of which identifiers are made.
    private func assetKey(_ db: Database) throws -> [UInt8] {
        let text = try Query(db, "SELECT value FROM property WHERE name = 'asset-key'").first { $0.text(0) }
        return text.flatMap { [UInt8](hexadecimal: $0) } ?? []
    }
}
