package import AudioTypes

/// The picture that a session tells of, and with whose rights it is read.
package struct ToldArtwork: Sendable, Hashable {
    /// An address, or a file's path.
    package let location: String
    package let reader: ArtworkReader
    /// Changes with what the session plays, since programs write one picture after another to the same file.
    package let contentNumber: Int

    /// The local file that it is; `nil` for an address.
    package var file: FilePath? {
        location.hasPrefix("/") ? FilePath(bytes: location.utf8) : FilePath(fileURL: location)
    }

    /// Whether it is at an address that pictures are fetched from.
    package var isAddress: Bool { ["http://", "https://"].contains { location.lowercased().hasPrefix($0) } }
}

/// The rights of a client that tells of artwork: no more is read for it than it could have read itself.
package struct ArtworkReader: Sendable, Hashable {
    package enum Files: Sendable, Hashable {
        case none
        /// Those that this user may read.
        case ofUser(UInt32)
        /// Those that the server may read.
        case all
    }

    package var files = Files.none
    /// The addresses; `nil` for a client that may not use any.
    package var reach: NetworkReach?

    package init(files: Files = .none, reach: NetworkReach? = nil) {
        self.files = files
        self.reach = reach
    }
}
