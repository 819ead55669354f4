internal import Playlists
package import Songs

/// Editing the queue.
extension Zone {
    /// Adds songs before a position, or at the end.
    ///
    /// - Returns: The id of the first.
    @discardableResult
    package func add(_ songs: [Song], at position: Int? = nil) throws(ZoneError) -> UInt32? {
        guard queue.count + songs.count <= capacity else { throw .queueFull }
        guard !songs.isEmpty else { return nil }
        if let position, !(0...queue.count).contains(position) { throw .badIndex }
        let id = position.map { queue.insert(songs, at: $0) } ?? queue.append(songs)
        queueChanged()
        return id
    }

    /// Records who added entries.
    package func setOwner(_ name: String, of range: Range<Int>) { queue.setOwner(name, of: range) }

    package func delete(_ range: Range<Int>) throws(ZoneError) {
        guard range.lowerBound >= 0, range.upperBound <= queue.count else { throw .badIndex }
        guard !range.isEmpty else { return }
        // A zone that is only interrupted goes on with the next song afterwards.
        queueChanged(queue.delete(range, isPaused: state == .pause && !isToResume))
    }

    package func delete(id: UInt32) throws(ZoneError) {
        guard let position = queue.position(of: id) else { throw .noSuchSong }
        try delete(position..<position + 1)
    }

    package func clear() {
        lastLoadedPlaylist = ""
        guard !queue.isEmpty else { return }
        queueChanged(queue.deleteAll())
    }

    /// - Parameter position: The index of the first of them afterwards.
    package func move(_ range: Range<Int>, to position: Int) throws(ZoneError) {
        guard range.lowerBound >= 0, range.upperBound <= queue.count, position >= 0,
            position + range.count <= queue.count
        else { throw .badIndex }
        queue.move(range, to: position)
        queueChanged()
    }

    package func swap(_ first: Int, _ second: Int) throws(ZoneError) {
        let positions = 0..<queue.count
        guard positions.contains(first), positions.contains(second) else { throw .badIndex }
        queue.swap(first, second)
        queueChanged()
    }

    package func shuffle(_ range: Range<Int>) throws(ZoneError) {
        guard range.lowerBound >= 0, range.upperBound <= queue.count else { throw .badIndex }
        queue.shuffle(range)
        queueChanged()
    }

    package func setPriority(_ range: Range<Int>, _ priority: UInt8) throws(ZoneError) {
        guard range.lowerBound >= 0, range.upperBound <= queue.count else { throw .badIndex }
        queue.setPriority(range, priority)
        queueChanged()
    }

    package func setPriority(id: UInt32, _ priority: UInt8) throws(ZoneError) {
        guard queue.setPriority(id: id, priority) else { throw .noSuchSong }
        queueChanged()
    }

    /// Replaces an entry's song, whose tags became known, or whose range or tags were changed.
    package func replaceSong(id: UInt32, with song: Song) throws(ZoneError) {
        guard queue.replaceSong(id: id, with: song) else { throw .noSuchSong }
        queueChanged()
    }

    /// Updates songs with newly found tags, unless they were moved in the meantime.
    package func refreshSongs(_ songs: [(id: UInt32, song: Song)]) {
        replaceSongs(songs.filter { id, song in queue.entry(id: id).map { isSame($0.song.uri, song.uri) } ?? false })
    }

    /// Replaces several songs at once, such as when their files were moved.
    package func replaceSongs(_ songs: [(id: UInt32, song: Song)]) {
        var isChanged = false
        for (id, song) in songs {
            guard let old = queue.entry(id: id)?.song else { continue }
            let song = song.inPlace(of: old)
            guard queue.replaceSong(id: id, with: song) else { continue }
            isChanged = true
            // The playing song's file is open; if it is reopened, the new location is used.
            if id == told.current, !isSame(song.uri, old.uri), let medium = dependencies.medium(song) {
                told.medium = medium
                link?.relocate(id, to: medium)
            }
        }
        if isChanged { queueChanged() }
    }

    private func queueChanged(_ playback: QueuePlayback = .unchanged) {
        tell(.queue)
        carryOut(playback, as: state == .pause ? .pause : .play)
    }
}

extension Song {
    /// A newly read song with the entry's former range and tags.
    fileprivate func inPlace(of old: Song) -> Song {
        guard let range = old.range, self.range == nil else { return self }
        let given = TagMask(old.tags.map(\.0))
        let tags = old.tags + tags.filter { !given.contains($0.0) }
        return with(tags: tags).with(range: range, mediumDuration: duration)
    }
}
