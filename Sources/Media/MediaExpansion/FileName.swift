internal import Files
internal import Playlists

/// A file's path in bytes, which need not be UTF-8.
struct FileName: Hashable {
    /// Without the terminating zero; never empty, never with a zero inside.
    let bytes: [UInt8]

    /// The path of a location; `nil` for URLs of other schemes and for invalid paths.
    init?(location: String) {
        guard let bytes = fileSystemPath(of: location) else { return nil }
        self.init(bytes: bytes)
    }

    init?(bytes: [UInt8]) {
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        self.bytes = bytes
    }

    private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

    /// The location of an entry for this file.
    ///
    /// A name that is not UTF-8 needs a `file:` URL, and that an absolute path.
    var location: String {
        guard String(validating: bytes, as: UTF8.self) == nil, bytes.first != slash else {
            return Playlists.location(ofFileSystemPath: bytes)
        }
        return Playlists.location(ofFileSystemPath: currentFolder() + [slash] + bytes)
    }

    /// For messages; invalid UTF-8 is replaced.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The part after the last slash.
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
