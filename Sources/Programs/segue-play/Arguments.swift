import Glibc
import Playlists

/// The command line's words.
///
/// A word that is not UTF-8 can only be a file's name; it becomes a `file:` URL, which keeps its bytes. Swift's own
/// `CommandLine.arguments` would replace the invalid bytes, and the file would not be found.
func commandLineWords() -> [String] {
    (1..<max(1, Int(CommandLine.argc))).compactMap { index in
        guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
        let bytes = unsafe UnsafeBufferPointer(start: word, count: strlen(word)).map { UInt8(bitPattern: $0) }
        return String(validating: bytes, as: UTF8.self) ?? location(ofFileSystemPath: absolute(bytes))
    }
}

private func absolute(_ path: [UInt8]) -> [UInt8] {
    guard path.first != UInt8(ascii: "/"), let folder = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(folder) }
    let bytes = unsafe UnsafeBufferPointer(start: folder, count: strlen(folder)).map { UInt8(bitPattern: $0) }
    return bytes + [UInt8(ascii: "/")] + path
}
