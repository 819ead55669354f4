package import LibraryIndex
package import LibraryService

/// The library as a client sees it: all of it, or a part.
package struct LibraryView: Sendable {
    private let library: MusicLibrary
    /// `nil` for all.
    package let visible: VisibleSongs?

    package init(_ library: MusicLibrary, _ visible: VisibleSongs? = nil) {
        (self.library, self.visible) = (library, visible)
    }

    /// Changes whenever the index changes; cheap.
    package var generation: Int { library.generation }

    /// Queries the library; blocks.
    package func read<Value>(_ body: (LibraryReader) throws -> Value) throws -> Value {
        try library.read { reader in
            var reader = reader
            reader.visible = visible
            return try body(reader)
        }
    }
}
