/// Which links of a music directory are followed, by where they lead.
struct LinkRule: Sendable {
    /// The music directory, all links on the way to it followed.
    var root: [UInt8]
    let followsInside: Bool
    let followsOutside: Bool

    /// Whether a link in a directory may be followed.
    func allows(_ name: [CChar], in folder: OpenFolder) -> Bool {
        if followsInside == followsOutside { return followsInside }
        guard let path = folder.destination(of: name) else { return false }
        return isInside(path) ? followsInside : followsOutside
    }

    private func isInside(_ path: [UInt8]) -> Bool {
        guard path.starts(with: root) else { return false }
        return root.count == 1 || path.count == root.count || path[root.count] == UInt8(ascii: "/")
    }
}
