internal import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// What a stream says of itself once it is open.
extension Zone {
    /// Gives a song of the network the tags and the duration that were found, unless somebody has set some.
    func learn(from item: PlayerItem) {
        guard let id = link?.place(of: item.id)?.entry, let song = queue.entry(id: id)?.song, hasScheme(song.uri),
            !song.isExamined, song.tags.isEmpty, let info = item.info
        else { return }
        let tags = info.tags.names.flatMap { name -> [(TagType, String)] in
            guard let tag = TagType(mediaTag: name), tag != .comment else { return [] }
            return info.tags[all: name].map { (tag, $0) }
        }
        let known = Song(
            uri: song.uri,
            range: song.range,
            format: item.sourceFormat?.description,
            tags: tags.sorted { $0.0.rawValue < $1.0.rawValue },
            duration: song.range == nil ? item.duration?.seconds : song.duration,
            isExamined: true
        )
        replaceSongs([(id: id, song: known)])
    }
}
