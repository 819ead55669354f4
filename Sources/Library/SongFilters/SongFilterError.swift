/// Why a filter is invalid, in MPD's words; always a bad argument (ACK 2).
package struct SongFilterError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
