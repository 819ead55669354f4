import CivilTime
import Glibc
import ProtocolClient
import TextEncodings

extension RemoteSong {
    /// The tags of mpc's format names.
    private static let tagNames: [String: String] = [
        "artist": "Artist", "artistsort": "ArtistSort", "album": "Album", "albumsort": "AlbumSort",
        "albumartist": "AlbumArtist", "albumartistsort": "AlbumArtistSort", "title": "Title", "titlesort": "TitleSort",
        "track": "Track", "name": "Name", "genre": "Genre", "mood": "Mood", "date": "Date",
        "originaldate": "OriginalDate", "composer": "Composer", "composersort": "ComposerSort",
        "performer": "Performer", "conductor": "Conductor", "work": "Work", "movement": "Movement",
        "movementnumber": "MovementNumber", "ensemble": "Ensemble", "location": "Location", "grouping": "Grouping",
        "comment": "Comment", "disc": "Disc", "label": "Label",
    ]

    /// The value of a name in a format.
    func value(_ name: String) -> SongFormat.Value {
        func given(_ text: String?) -> SongFormat.Value { text.map(SongFormat.Value.text) ?? .missing }
        let name = name.lowercased()
        switch name {
        case "file": return .text(uri)
        case "time": return given(duration.map { clockText(Int(saturating: $0.rounded())) })
        case "position": return .text(String((position ?? 0) + 1))
        case "id": return .text(String(id ?? 0))
        case "prio": return .text(String(priority ?? 0))
        case "mtime": return given(self["Last-Modified"].flatMap { localTime($0, "%c") })
        case "mdate": return given(self["Last-Modified"].flatMap { localTime($0, "%x") })
        default:
            guard let tag = Self.tagNames[name] else { return .unknown }
            let values = values(tag)
            return values.isEmpty ? .missing : .text(values.joined(separator: ", "))
        }
    }

    func text(_ format: SongFormat) -> String { format.text(value) }
}

/// `4:05`, with minutes beyond an hour (`66:40`), as in mpc.
func clockText(_ seconds: Int) -> String {
    "\(seconds / 60):" + String(seconds % 60, digits: 2)
}

/// The local time of a timestamp such as `2026-11-21T05:31:16Z`; `nil` when invalid.
///
/// - Parameter format: For strftime(3).
func localTime(_ text: String, _ format: String) -> String? {
    guard let seconds = seconds(ofTimestamp: text) else { return nil }
    return localTime(seconds, format)
}

func localTime(_ seconds: Int, _ format: String) -> String? {
    unsafe setlocale(LC_TIME, "")
    var moment = time_t(seconds)
    var parts = unsafe tm()
    guard unsafe localtime_r(&moment, &parts) != nil else { return nil }
    var buffer = [CChar](repeating: 0, count: 200)
    let count = unsafe strftime(&buffer, buffer.count, format, &parts)
    return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
}
