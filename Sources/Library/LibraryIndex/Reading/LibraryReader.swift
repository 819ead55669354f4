internal import GRDB
internal import Songs

/// Asks the library.
package struct LibraryReader: Sendable {
    let library: Library
    /// So many songs are sorted; more are found by walking through the values that they are sorted by.
    package var sortLimit = 2_000

    init(_ library: Library) { self.library = library }
}
