internal import GRDB
internal import Songs

/// Runs queries on the library.
package struct LibraryReader: Sendable {
    let library: Library
    /// Up to this many songs are sorted; for more, the values of the sort key are traversed in order.
    package var sortLimit = 2_000
    /// The only songs that there are for the client that asks; `nil` for all.
    package var visible: VisibleSongs?

    init(_ library: Library) { self.library = library }
}
