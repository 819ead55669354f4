internal import AudioTypes
internal import Playlists
package import Songs

/// Stored playlists follow songs that were moved.
extension StoredPlaylists {
    /// The changes of playlists because of moved songs.
    package struct Replacement: Sendable {
        /// How many playlists were changed.
        package var changed = 0
        /// Those that could not be.
        package var problems: [StoredPlaylistError] = []
    }

    /// Has all playlists name songs where they are now; of their files nothing else is changed.
    ///
    /// - Parameter places: New URIs by old ones, all at the same time.
    package func replace(_ places: [ExactText: String]) -> Replacement {
        var outcome = Replacement()
        do throws(StoredPlaylistError) {
            for name in try list() {
                do throws(StoredPlaylistError) {
                    if try replace(places, in: name.name) { outcome.changed += 1 }
                } catch .doesNotExist {
                    // Removed meanwhile.
                } catch {
                    outcome.problems.append(error)
                }
            }
        } catch {
            outcome.problems.append(error)
        }
        return outcome
    }

    private func replace(_ places: [ExactText: String], in name: String) throws(StoredPlaylistError) -> Bool {
        let old = try bytes(of: name)
        var new: [UInt8] = []
        new.reserveCapacity(old.count)
        var rest = old[...]
        if rest.starts(with: byteOrderMark) { new += rest.prefix(3) }
        rest = rest.dropFirst(new.count)
        var isChanged = false
        while !rest.isEmpty {
            let line = rest.prefix { $0 != 0x0a && $0 != 0x0d }
            if let moved = moved(line, places) {
                isChanged = true
                new += moved
            } else {
                new += line
            }
            rest = rest.dropFirst(line.count)
            new += rest.prefix(1)
            rest = rest.dropFirst()
        }
        if isChanged { try write(new, to: name) }
        return isChanged
    }

    /// A line that names a song which is somewhere else; `nil` for any other one.
    private func moved(_ line: ArraySlice<UInt8>, _ places: [ExactText: String]) -> [UInt8]? {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        let start = line.prefix(while: isSpace)
        var location = line.dropFirst(start.count)
        let end = location.reversed().prefix(while: isSpace).count
        location = location.dropLast(end)
        guard let first = location.first, first != UInt8(ascii: "#"),
            let text = String(validating: location, as: UTF8.self), let place = places[ExactText(uri(of: text))],
            isOneLine(place)
        else { return nil }
        return Array(start) + written(place, as: text).utf8 + line.suffix(end)
    }
}
