internal import Playlists

/// A file's path as the system knows it: bytes, which need not be UTF-8.
struct FileName: Hashable {
    /// Without the zero at the end; never empty, never with a zero inside.
    let bytes: [UInt8]

    /// The path that a location names; `nil` for URLs of other schemes and for what no path can be.
    init?(location: String) {
        guard let bytes = fileSystemPath(of: location) else { return nil }
        self.init(bytes: bytes)
    }

    init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// What an entry's location is for this file.
    ///
    /// A name that is not UTF-8 needs a `file:` URL, and that an absolute path.
    var location: String {
        guard String(validating: bytes, as: UTF8.self) == nil, bytes.first != slash else {
            return Playlists.location(ofFileSystemPath: bytes)
        }
        return Playlists.location(ofFileSystemPath: currentDirectory() + [slash] + bytes)
    }

    /// For messages; bytes that are not UTF-8 are shown as such.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// What follows the last slash.
    var lastComponent: ArraySlice<UInt8> { bytes.lastIndex(of: slash).map { bytes[($0 + 1)...] } ?? bytes[...] }

    /// Everything up to and including the last slash; `nil` when there is none.
    var directory: FileName? { bytes.lastIndex(of: slash).map { FileName(unchecked: Array(bytes[...$0])) } }

    var fileExtension: String? { pathExtension(of: String(decoding: lastComponent, as: UTF8.self)) }

    /// The last component without its extension.
    var stem: String {
        let name = String(decoding: lastComponent, as: UTF8.self)
        guard let suffix = fileExtension else { return name }
        return String(name.dropLast(suffix.count + 1))
    }

    /// A file in this directory.
    func appending(_ name: [UInt8]) -> FileName {
        FileName(unchecked: bytes.last == slash ? bytes + name : bytes + [slash] + name)
    }

    static let here = FileName(unchecked: Array(".".utf8))
}

private let slash = UInt8(ascii: "/")
