package import AudioTypes
internal import Playback
internal import Playlists
internal import Songs

/// The chapters of the song that plays.
extension Zone {
    /// As far as the player has opened the song, one after another, without those that are not heard in it; of a song that is
    /// a part of a file, by its own time.
    package var currentChapters: [Chapter] {
        guard let item = openedItem else { return [] }
        let range = queue.currentEntry?.song.range ?? Song.Range(start: 0)
        let duration = item.duration?.seconds ?? .infinity
        let chapters = item.info?.chapters ?? []
        return chapters.enumerated().compactMap { place, chapter in
            let next = place + 1 < chapters.count ? chapters[place + 1].start.seconds : .infinity
            let start = max(chapter.start.seconds - range.start, 0)
            let end = min(min(chapter.end.seconds, next, range.end ?? .infinity) - range.start, duration)
            guard start < end else { return nil }
            return Chapter(title: chapter.title, start: MediaTime(seconds: start), end: MediaTime(seconds: end))
        }
    }

    /// ``currentChapters``, with the place of the one that is heard; `nil` without chapters.
    package var currentChapter: (chapters: [Chapter], place: Int)? {
        let (chapters, elapsed) = (currentChapters, elapsed)
        guard !chapters.isEmpty else { return nil }
        return (chapters, chapters.lastIndex { $0.start.seconds <= elapsed } ?? 0)
    }
}
