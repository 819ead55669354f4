package import AudioTypes

/// A cue sheet: the tracks of a disc in one or several files.
package struct CueSheet: Sendable, Hashable {
    /// A length or position in frames of a compact disc, 75 per second (588 samples at 44.1 kHz).
    package struct Frames: Sendable, Hashable, Comparable {
        package var count: Int
        package init(_ count: Int) { self.count = count }
        package static func < (left: Self, right: Self) -> Bool { left.count < right.count }
        package var time: MediaTime { MediaTime(sample: count, at: 75) }
    }

    /// A position in one of the sheet's files.
    package struct Index: Sendable, Hashable {
        /// From 0, in the sheet's `files`.
        package var file: Int
        package var place: Frames
    }

    package struct File: Sendable, Hashable {
        /// As written.
        package var name: String
        /// `WAVE`, `BINARY` and so on; players detect the file's actual type.
        package var type: String
        package var line: Int
    }

    package struct Track: Sendable, Hashable {
        package var number: Int
        /// Whether it is `AUDIO` and not a data track.
        package var isAudio: Bool
        package var line: Int
        /// The sheet's tags for the track, under the names that ``Tags`` uses.
        package var tags = Tags()
        /// Silence that is not in the file and precedes the track.
        package var pregap: Frames?
        /// Silence that is not in the file and follows the track.
        package var postgap: Frames?
        /// The positions by their numbers, 0 to 99.
        ///
        /// 0 starts the gap before the track, 1 the track.
        package var indexes: [Int: Index] = [:]

        /// The track's start: INDEX 01, else the lowest one.
        package var start: Index? {
            indexes[1] ?? indexes.filter { $0.key > 1 }.min { $0.key < $1.key }?.value ?? indexes[0]
        }
    }

    /// The sheet's tags for the disc, under the names that ``Tags`` uses, such as `album` and `album_artist`.
    package var tags = Tags()
    package var files: [File] = []
    package var tracks: [Track] = []

    /// Appends the audio tracks as entries.
    ///
    /// Each lasts from its INDEX 01 to the next one in the same file, the last to the file's end, so the part between a
    /// track's INDEX 00 and 01 belongs to the track before it. PREGAP and POSTGAP are silence that is in no file and
    /// are left out. A track at the start of its file has no start time.
    func append(to builder: inout PlaylistBuilder) {
        var starts = Array(repeating: [Frames](), count: files.count)
        for start in tracks.compactMap(\.start) { starts[start.file].append(start.place) }
        for file in starts.indices { starts[file].sort() }
        /// Of tracks that start at the same position only the last one has a length.
        var lastAtPlace: [Index: Int] = [:]
        for (number, track) in tracks.enumerated() { track.start.map { lastAtPlace[$0] = number } }

        for (number, track) in tracks.enumerated() where track.isAudio {
            guard let start = track.start else {
                builder.report(.trackWithoutIndex, line: track.line)
                continue
            }
            guard lastAtPlace[start] == number else {
                builder.report(.tracksAtSamePlace, line: track.line)
                continue
            }
            let places = starts[start.file]
            let following = places.firstPlace(after: start.place)
            builder.append(
                entry(for: track, from: start, to: following < places.count ? places[following] : nil),
                line: files[start.file].line
            )
            if builder.isFull { return }
        }
    }

    private func entry(for track: Track, from start: Index, to end: Frames?) -> MediaEntry {
        var entry = MediaEntry(location: files[start.file].name, tags: tags)
        entry.start = start.place.count == 0 ? nil : start.place.time
        entry.end = end?.time
        entry.duration = end.map { Frames($0.count - start.place.count).time }
        for name in track.tags.names { entry.tags.set(name, to: track.tags[name]) }
        if entry.tags["artist"] == nil { entry.tags.set("artist", to: tags["album_artist"]) }
        entry.tags.set("track", to: String(track.number))
        return entry
    }
}

extension [CueSheet.Frames] {
    /// The index of the first position after `place` in these sorted ones; `count` when there is none.
    fileprivate func firstPlace(after place: CueSheet.Frames) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > place { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
