import Glibc
import RemoteControl

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
    let rest = seconds % 60
    return "\(seconds / 60):\(rest < 10 ? "0" : "")\(rest)"
}

/// The local time of a timestamp such as `2026-11-21T05:31:16Z`; `nil` when invalid.
///
/// - Parameter format: For strftime(3).
func localTime(_ text: String, _ format: String) -> String? {
    guard let seconds = secondsSince1970(text) else { return nil }
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

/// Parses a timestamp such as `2026-11-21T05:31:16Z` into seconds since 1970.
func secondsSince1970(_ text: String) -> Int? {
    let numbers = text.split { !$0.isNumber }.map { Int32($0) }
    guard text.hasSuffix("Z"), numbers.count >= 6, let year = numbers[0], let month = numbers[1], let day = numbers[2],
        let hour = numbers[3], let minute = numbers[4], let second = numbers[5]
    else { return nil }
    var parts = unsafe tm()
    unsafe parts.tm_year = year - 1900
    unsafe parts.tm_mon = month - 1
    unsafe parts.tm_mday = day
    unsafe parts.tm_hour = hour
    unsafe parts.tm_min = minute
    unsafe parts.tm_sec = second
    return Int(unsafe timegm(&parts))
}
