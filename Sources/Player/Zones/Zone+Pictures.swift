internal import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// Where a stream says that its pictures are.
package struct StreamPictures: Sendable, Hashable {
    /// The song's URI.
    package let uri: String
    /// Of what is on the air: `StreamUrl`, when its path is called like a picture.
    var programme: String?
    /// Of the station: `icy-logo`.
    var station: String?
    /// The cover in the file itself, or the last one that came in the stream.
    package internal(set) var cover: [UInt8]?

    package var isEmpty: Bool { cover == nil && addresses.isEmpty }
    /// The addresses, http or https, that are tried one after another.
    package var addresses: [String] { [programme, station].compactMap(\.self) }
}

/// The pictures that a stream names, on opening and while it plays.
extension Zone {
    func learnPictures(from item: PlayerItem) {
        guard let info = item.info else { return }
        changePictures(of: item) { pictures in
            pictures.station = info.tags["icy-logo"].flatMap(pictureAddress)
            pictures.cover = info.cover
        }
    }

    func heardPictures(_ tags: Tags, from item: PlayerItem) {
        changePictures(of: item) { pictures in
            let address = tags["icy-streamurl"].flatMap(pictureAddress)
            pictures.programme = address.flatMap { isNamedLikePicture($0) ? $0 : nil }
            pictures.cover = tags.picture ?? pictures.cover
        }
    }

    private func changePictures(of item: PlayerItem, _ change: (inout StreamPictures) -> Void) {
        guard isCurrent(item.id), let uri = queue.currentEntry?.song.uri, hasScheme(uri) else { return }
        var new = pictures?.uri == uri ? pictures ?? StreamPictures(uri: uri) : StreamPictures(uri: uri)
        change(&new)
        guard new != pictures else { return }
        pictures = new
        tell(.stream)
    }
}

/// In bytes: longer addresses are not looked at.
private let longestAddress = 2_048

private func pictureAddress(_ text: String) -> String? {
    text.utf8.count <= longestAddress && isWebURL(text) && !text.utf8.contains { $0 <= 0x20 || $0 == 0x7f } ? text : nil
}

/// Most stations give the address of a page.
private func isNamedLikePicture(_ address: String) -> Bool {
    let path = URLReference(address).path.lowercased()
    return [".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".avif"].contains { path.hasSuffix($0) }
}
