/// Why a filter cannot be understood, in the words that MPD has for it; always a bad argument (ACK 2).
package struct SongFilterError: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}
