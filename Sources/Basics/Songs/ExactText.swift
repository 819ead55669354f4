private import Glibc

/// A name, URI or value that equals another one only if all bytes are the same.
///
/// Strings are also equal if the same letters are composed differently (`é` as one scalar or as two). On a disk these
/// are two files, and one may be renamed to the other.
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) { self.text = text }

    package static func == (one: Self, other: Self) -> Bool { isSame(one.text, other.text) }

    package func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
    }
}

/// Whether two texts have the same bytes.
package func isSame(_ one: String, _ other: String) -> Bool {
    // Fast for contiguous strings, which all native Swift strings are.
    let isSame = unsafe one.utf8.withContiguousStorageIfAvailable { one in
        unsafe other.utf8.withContiguousStorageIfAvailable { other in
            guard one.count == other.count, let start = one.baseAddress, let otherStart = other.baseAddress else {
                return one.count == other.count
            }
            return unsafe memcmp(start, otherStart, one.count) == 0
        }
    }
    return (isSame ?? nil) ?? one.utf8.elementsEqual(other.utf8)
}
