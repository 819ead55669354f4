package import Files
package import LibraryIndex
internal import TextEncodings

/// A picture, video or song that the owner has chosen: its file as it was at that moment, and none that takes its place.
package struct PickedItem: Sendable, Hashable {
    package enum Subject: Sendable, Hashable {
        /// One that the client gets as JPEG.
        case picture(LibraryMedium)
        /// A picture or video that the client gets as it is stored.
        case file(LibraryMedium, mimeType: String)
        case song(PickableSong)
    }

    package let subject: Subject
    /// Of the file, when it was chosen; `nil` for a song that the client is to see, but does not load.
    private let file: FileStatus?

    /// Of a song's sound, wherever its file is; `nil` where it has none.
    package let identifier: String?

    /// The client's name for it, by which it can be preselected later.
    package let assetIdentifier: AssetIdentifier?

    package init(
        _ subject: Subject,
        _ file: FileStatus? = nil,
        identifier: String? = nil,
        assetIdentifier: AssetIdentifier? = nil
    ) {
        (self.subject, self.file, self.identifier) = (subject, file, identifier)
        self.assetIdentifier = assetIdentifier
    }

    package var uri: String {
        switch subject {
        case .picture(let medium), .file(let medium, mimeType: _): medium.uri
        case .song(let song): song.uri
        }
    }

    /// A word for clients.
    package var kind: String {
        switch subject {
        case .picture(let medium), .file(let medium, mimeType: _): medium.kind.rawValue
        case .song: "song"
        }
    }

    /// The type of what the client loads.
    package var mimeType: String {
        switch subject {
        case .picture: "image/jpeg"
        case .file(_, let mimeType): mimeType
        case .song(let song): audioType(of: song.uri)
        }
    }

    /// The name of its file, without a folder.
    package var name: String { uri.lastPathComponent }

    /// The size of the file in bytes; `nil` where there is nothing to load.
    package var size: Int? { file?.size }

    /// Whether a file is the one that was chosen, and has not been changed since.
    package func isSame(as status: FileStatus) -> Bool { status == file }
}

/// The type of a song's file, by its extension (RFC 3003, 4337, 5334 and 9639).
private func audioType(of uri: String) -> String {
    switch uri.split(separator: ".").last?.lowercased() {
    case "flac": "audio/flac"
    case "mp3": "audio/mpeg"
    case "ogg", "oga", "opus": "audio/ogg"
    case "m4a", "mp4", "m4b": "audio/mp4"
    case "aac": "audio/aac"
    case "wav": "audio/wav"
    default: "application/octet-stream"
    }
}
