internal import AudioTypes
internal import LineProtocol
internal import ServerRights
internal import Settings

/// The picture that a session tells of, and with whose rights it is read.
struct ToldArtwork: Sendable, Hashable {
    /// An address, or a file's path.
    let location: String
    let reader: ArtworkReader
    /// Changes with what the session plays, since programs write one picture after another to the same file.
    let contentNumber: Int

    /// The local file that it is; `nil` for an address.
    var file: FilePath? {
        location.hasPrefix("/") ? FilePath(bytes: location.utf8) : FilePath(fileURL: location)
    }

    /// Whether it is at an address that pictures are fetched from.
    var isAddress: Bool { ["http://", "https://"].contains { location.lowercased().hasPrefix($0) } }
}

/// The rights of a client that tells of artwork: no more is read for it than it could have read itself.
struct ArtworkReader: Sendable, Hashable {
    enum Files: Sendable, Hashable {
        case none
        /// Those that this user may read.
        case ofUser(UInt32)
        /// Those that the server may read.
        case all
    }

    var files = Files.none
    /// The addresses; `nil` for a client that may not use any.
    var reach: NetworkReach?
}

extension Client {
    /// The rights with which artwork is read that this client's sessions tell of.
    var artworkReader: ArtworkReader {
        ArtworkReader(
            files: identity.isOwner ? .all : principal.peer.map { .ofUser($0.uid) } ?? .none,
            reach: permissions.contains(.network) ? reach : nil
        )
    }
}
