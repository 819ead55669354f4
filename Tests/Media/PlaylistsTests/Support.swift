import AudioTypes
import Glibc
import Playlists
import Testing

/// An entry in one line.
func entry(
    _ location: String,
    _ tags: [String: String] = [:],
    seconds: Double? = nil,
    start: Double? = nil,
    end: Double? = nil
) -> MediaEntry {
    var entry = MediaEntry(location: location)
    entry.duration = seconds.map { MediaTime(seconds: $0) }
    entry.start = start.map { MediaTime(seconds: $0) }
    entry.end = end.map { MediaTime(seconds: $0) }
    for (name, value) in tags { entry.tags.set(name, to: value) }
    return entry
}

func problem(_ line: Int, _ reason: PlaylistProblem.Reason) -> PlaylistProblem {
    PlaylistProblem(line: line, reason: reason)
}

/// The bytes of a sample in the project's `playlists` folder.
func sample(_ name: String) throws -> [UInt8] {
    let root = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    let descriptor = unsafe open(root + "/playlists/" + name, O_RDONLY)
    try #require(descriptor >= 0, "playlists/\(name) is missing")
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
}
