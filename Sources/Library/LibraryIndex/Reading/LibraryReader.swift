internal import GRDB
internal import Songs

/// Runs queries on the library.
package struct LibraryReader: Sendable {
    let library: Library
    /// Up to this many songs are sorted; for more, the values of the sort key are traversed in order.
    package var sortLimit = 2_000

    init(_ library: Library) { self.library = library }
}
