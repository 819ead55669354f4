package import AudioTypes

/// The links in a tree of files that are followed, by where they lead.
package struct LinkRule: Sendable, Hashable {
    /// The tree's top, all links on the way to it followed; `nil` while it is not there.
    package var root: FilePath?
    package let followsInside: Bool
    package let followsOutside: Bool

    package init(root: FilePath?, followsInside: Bool, followsOutside: Bool) {
        self.root = root
        self.followsInside = followsInside
        self.followsOutside = followsOutside
    }

    /// Whether a link to an open file is followed.
    package func allows(linkTo file: borrowing Descriptor) -> Bool {
        if followsInside == followsOutside { return followsInside }
        guard let root, let path = file.realPath else { return false }
        return path.isWithin(root) ? followsInside : followsOutside
    }

    /// Whether a link in a folder that is being read is followed.
    package func allows(_ entry: borrowing FolderEntry) -> Bool {
        if followsInside == followsOutside { return followsInside }
        guard let file = try? entry.open(.place) else { return false }
        return allows(linkTo: file)
    }

    /// Whether a link in a folder is followed.
    ///
    /// - Parameter name: Ends with a zero.
    package func allows(_ name: [CChar], in folder: borrowing Descriptor) -> Bool {
        if followsInside == followsOutside { return followsInside }
        guard let file = try? folder.open(name, .place) else { return false }
        return allows(linkTo: file)
    }
}
