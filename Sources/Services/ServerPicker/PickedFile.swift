package import Files
package import LibraryIndex

/// A file that the owner has chosen: the one that was there at that moment, and none that takes its place.
package struct PickedFile: Sendable, Hashable {
    package let medium: LibraryMedium
    private let identity: FileStatus.Identity
    private let size: Int
    private let modified, changed: Int64

    /// - Parameter status: Of the file, when it was chosen.
    package init(_ medium: LibraryMedium, _ status: FileStatus) {
        self.medium = medium
        (identity, size) = (status.identity, status.size)
        (modified, changed) = (status.modified, status.changed)
    }

    /// Whether a file is the one that was chosen, and has not been written to since.
    package func isSame(as status: FileStatus) -> Bool {
        status.identity == identity && status.size == size && status.modified == modified && status.changed == changed
    }

    /// A name for a copy of it, without its folder.
    ///
    /// - Parameter suffix: Of the copy's format, in place of its own.
    package func suggestedName(_ suffix: String) -> String {
        let name = medium.uri.split(separator: "/").last.map(String.init) ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return "\(stem.isEmpty ? "picture" : stem).\(suffix)"
    }
}
