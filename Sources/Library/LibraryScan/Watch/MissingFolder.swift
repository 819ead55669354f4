internal import Files

/// A directory that does not exist, or cannot be read.
struct MissingFolder {
    /// The existing directories on the path to it, from the root of the file system, with the next path component in
    /// each; in the last directory, that component is missing.
    let way: [(folder: OpenFolder, name: String)]

    /// `nil` when the directory exists.
    ///
    /// - Parameter path: An absolute path.
    init?(_ path: String) {
        var place = "/"
        var way: [(folder: OpenFolder, name: String)] = []
        for name in path.split(separator: "/") {
            guard let folder = try? OpenFolder(place) else {
                self.way = way
                return
            }
            way.append((folder, String(name)))
            place += name + "/"
        }
        if (try? OpenFolder(place)) != nil { return nil }
        self.way = way
    }

    /// The identities of these directories: one of the same name may take another's place.
    var identities: [FileStatus.Identity?] { way.map { try? $0.folder.status.identity } }
}
