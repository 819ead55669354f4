internal import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// A stream's tags, on opening and while it plays.
extension Zone {
    /// Adds the tags and the duration found to a network song; known ones stay.
    func learn(from item: PlayerItem) {
        guard let (id, song) = remoteSong(of: item), !song.isExamined, let info = item.info else { return }
        let known = Song(
            uri: song.uri,
            alternatives: song.alternatives,
            reach: song.reach,
            range: song.range,
            format: item.sourceFormat?.description,
            tags: (song.tags + songTags(info.tags).without(TagMask(song.tags.map(\.0)))).inOrder,
            duration: song.range == nil ? item.duration?.seconds : song.duration,
            isExamined: true
        )
        replaceSongs([(id: id, song: known)])
    }

    /// Shows the stream's current tags; a tag sent before and missing now is removed.
    func heard(_ tags: Tags, from item: PlayerItem) {
        guard let (id, song) = remoteSong(of: item) else { return }
        let told = songTags(tags)
        let changing = TagMask([.title, .artist, .album]).union(TagMask(told.map(\.0)))
        let now = (song.tags.without(changing) + told).inOrder
        guard !now.elementsEqual(song.tags, by: ==) else { return }
        replaceSongs([(id: id, song: song.with(tags: now))])
        if isCurrent(item.id) { tell(.player) }
    }

    private func remoteSong(of item: PlayerItem) -> (id: UInt32, song: Song)? {
        guard let id = link?.place(of: item.id)?.entry, let song = queue.entry(id: id)?.song, hasScheme(song.uri) else {
            return nil
        }
        return (id, song)
    }
}

/// The tags that the protocol knows.
private func songTags(_ tags: Tags) -> [(TagType, String)] {
    tags.names.flatMap { name -> [(TagType, String)] in
        guard let tag = TagType(mediaTag: name), tag != .comment else { return [] }
        return tags[all: name].filter { !$0.isEmpty }.map { (tag, $0) }
    }
}

extension [(TagType, String)] {
    fileprivate func without(_ mask: TagMask) -> Self { filter { !mask.contains($0.0) } }

    /// Sorted in MPD's order of tags; the order within a tag is kept.
    fileprivate var inOrder: Self {
        enumerated().sorted { ($0.element.0.rawValue, $0.offset) < ($1.element.0.rawValue, $1.offset) }.map(\.element)
    }
}

extension StreamStatus {
    /// In kbit/s: the actual bit rate, else the playlist's; `nil` when neither is known.
    var kilobits: Int? { (bitRate ?? indicatedBitRate).map { ($0 + 500) / 1_000 } }
}
