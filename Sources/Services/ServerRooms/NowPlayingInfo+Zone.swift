internal import AudioTypes
package import NowPlaying
internal import Playback
internal import Playlists
internal import Songs
internal import TextEncodings
package import Zones

extension NowPlayingInfo {
    /// The song that a zone plays; empty when it is stopped.
    package init(_ zone: Zone) {
        self.init()
        guard zone.state != .stop, let entry = zone.queue.currentEntry else { return }
        for (tag, text) in entry.song.tags { add(tag, text) }
        title = title ?? withoutCredentials(entry.song.uri.lastPathComponent)
        uri = withoutCredentials(entry.song.uri)
        (duration, elapsed) = (zone.currentDuration, zone.elapsed)
        (rate, defaultRate) = (zone.state == .play ? zone.options.speed : 0, zone.options.speed)
        (queueIndex, queueCount) = (zone.queue.current, zone.queue.count)
        isLive = hasScheme(entry.song.uri) && zone.openedItem != nil && duration == nil
        mediaType = zone.openedItem?.info?.videoStream == nil ? "audio" : "video"
        guard let current = zone.currentChapter else { return }
        (chapterCount, chapter) = (current.chapters.count, current.place)
    }

    private mutating func add(_ tag: TagType, _ text: String) {
        switch tag {
        case .title: title = title ?? text
        case .artist: artists.append(text)
        case .album: album = album ?? text
        case .albumArtist: albumArtists.append(text)
        case .composer: composers.append(text)
        case .genre: genres.append(text)
        case .track: (track, trackCount) = numbers(text)
        case .disc: (disc, discCount) = numbers(text)
        default: break
        }
    }

    /// A number and a count, as in "3/12".
    private func numbers(_ text: String) -> (Int?, Int?) {
        let parts = text.split(separator: "/", maxSplits: 1)
        return (parts.first.flatMap { Int($0) }, parts.count > 1 ? Int(parts[1]) : nil)
    }
}
