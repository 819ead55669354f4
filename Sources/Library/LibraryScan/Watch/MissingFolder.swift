/// A directory that is not there, or must not be looked into.
struct MissingFolder {
    /// The directories on the way to it that are there, from the root of the file system on, with what would have to be in
    /// each; in the last one, it is not.
    let way: [(folder: OpenFolder, name: String)]

    /// `nil` when the directory is there.
    ///
    /// - Parameter path: From the root of the file system.
    init?(_ path: String) {
        var place = "/"
        var way: [(folder: OpenFolder, name: String)] = []
        for name in path.split(separator: "/") {
            guard let folder = OpenFolder.open(Array(place.utf8CString)) else { break }
            way.append((folder, String(name)))
            place += name + "/"
        }
        if OpenFolder.open(Array(place.utf8CString)) != nil { return nil }
        self.way = way
    }
}
