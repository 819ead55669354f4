internal import Songs

/// The directories that a library knows, and their hierarchy.
struct KnownFolders: Sendable {
    private let folders: [ExactText: KnownFolder]
    private let children: [ExactText: [String]]
    /// Whether a directory that is not found may be missing temporarily, rather than deleted.
    let mayBeMissing: Bool

    /// - Parameter areElsewhere: Whether they belong to another music directory.
    init(_ folders: [ExactText: KnownFolder], areElsewhere: Bool = false) {
        mayBeMissing = !areElsewhere && !folders.isEmpty
        self.folders = folders
        var children: [ExactText: [String]] = [:]
        for uri in folders.keys.map(\.text) where !uri.isEmpty {
            children[ExactText(parent(of: uri)), default: []].append(uri)
        }
        self.children = children
    }

    subscript(uri: String) -> KnownFolder? { folders[ExactText(uri)] }

    /// Whether it was on another file system than its parent.
    func wasMountPoint(_ uri: String) -> Bool { mayBeMissing && self[uri]?.isMountPoint == true }

    /// The URIs of the direct children of a directory.
    func children(of uri: String) -> [String] { children[ExactText(uri)] ?? [] }
}

/// The URI of the directory that contains a URI.
func parent(of uri: String) -> String {
    uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(uri[..<$0]) } ?? ""
}
