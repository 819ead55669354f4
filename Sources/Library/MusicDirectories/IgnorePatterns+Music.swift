internal import Files
internal import LibraryScan

extension IgnorePatterns {
    static let file = String(decoding: fileName, as: UTF8.self)

    /// The patterns of the directories above `uri`.
    init(_ music: MusicDirectory, above uri: String) {
        self.init()
        guard !uri.isEmpty else { return }
        self = adding(music, "")
        for (index, byte) in zip(uri.utf8.indices, uri.utf8) where byte == UInt8(ascii: "/") {
            self = adding(music, String(uri[..<index]))
        }
    }

    /// This list and the one in a directory, where there is one.
    func adding(_ music: MusicDirectory, _ uri: String) -> IgnorePatterns {
        guard let file = try? music.open(uri.isEmpty ? Self.file : uri + "/" + Self.file, .reading) else { return self }
        return adding(file)
    }
}
