internal import AudioTypes
internal import Charsets
internal import Files
internal import Playlists

/// The location of a playlist's entry.
///
/// Lists come from other systems and encodings. If the text can be read in several ways, the file system decides: the
/// first reading that names an existing file wins.
enum EntryPlace {
    /// There is one reading, which was not looked up, or no reading names a file.
    case asWritten(String)
    case found(FileName)
    case missing(MediaProblem.Reason)

    init(ofEntry index: Int, in playlist: Playlist, base: String) {
        let written = playlist.entries[index].location
        let resolved = playlist.location(ofEntry: index, against: base)
        var charset: Charset?
        if case .undeclared(let found) = playlist.encoding, !written.utf8.allSatisfy({ $0 < 0x80 }) { charset = found }
        let drivePath = windowsDrivePath(resolved)
        // In XSPF a percent sign always starts an encoded byte.
        let isURI = playlist.format.locationSyntax == .uri
        let hasEscapes = written.utf8.contains { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "%") && !isURI }
        guard drivePath != nil || charset != nil || hasEscapes, let file = FileName(location: resolved) else {
            self = .asWritten(resolved)
            return
        }
        let isPath = fileSystemPath(of: written) == Array(written.utf8)
        guard isPath || drivePath != nil else {
            self = .asWritten(resolved)
            return
        }

        let directory = FileName(location: base)?.directory
        func beside(_ name: [UInt8]) -> FileName? {
            name.first == UInt8(ascii: "/")
                ? FileName(bytes: name) : directory?.appending(name) ?? FileName(bytes: name)
        }
        var readings: [FileName?] = []
        // The name contains a backslash or a percent sign.
        if isPath { readings.append(beside(Array(written.utf8))) }
        readings.append(file)
        readings.append(percentDecodedPath(resolved).flatMap { FileName(location: $0) })
        // The name is not UTF-8, just as in the list.
        if let charset { readings.append(charset.bytes(of: resolved).flatMap { FileName(bytes: $0) }) }
        // A list made on Windows, next to its files.
        if let name = drivePath.flatMap({ FileName(location: $0)?.lastComponent }), !name.isEmpty {
            readings.append(beside(Array(name)))
        }
        for case let reading? in readings where (try? FileStatus(of: reading)) != nil {
            self = .found(reading)
            return
        }
        self = drivePath == nil ? .asWritten(resolved) : .missing(.windowsPath)
    }
}
