internal import Files
private import Glibc
internal import PictureValues
private import Synchronization
internal import TextEncodings

/// Encoded pictures in a folder of a bounded size; those that were not used for the longest time go first.
///
/// Several processes may use one folder: files appear whole, and may disappear at any time.
final class PictureFolder: Sendable {
    private let path: String
    private let capacity: Int
    /// In bytes; `nil` before the first look into the folder.
    private let size = Mutex<Int?>(nil)

    /// In bytes; no picture that is wanted here is larger.
    private static let largest = 32 << 20

    init(_ path: String, capacity: Int) { (self.path, self.capacity) = (path, capacity) }

    /// A whole picture of that name; `nil` when it must be made.
    func contents(of name: String, _ format: PictureFormat) -> [UInt8]? {
        let file = path + "/" + name
        guard let bytes = try? fileContents(file, atMost: Self.largest) else { return nil }
        guard isWhole(bytes, format) else {
            try? AtomicFile.remove(file)
            return nil
        }
        _ = unsafe utimensat(AT_FDCWD, file, nil, 0)
        return bytes
    }

    /// Keeps a picture; what cannot be kept is made again the next time.
    func keep(_ bytes: [UInt8], as name: String) {
        guard bytes.count <= min(Self.largest, capacity) else { return }
        makeFolders(path)
        let file = path + "/" + name
        guard (try? AtomicFile.make(file, isNew: false, { try $0.write(bytes) })) != nil else { return }
        let isFull = size.withLock { size in
            size = (size ?? Self.contents(of: path).reduce(0) { $0 + $1.size } - bytes.count) + bytes.count
            return size ?? 0 > capacity
        }
        if isFull { shrink() }
    }

    /// Removes the oldest until a tenth is free, so that it is not done for each picture.
    private func shrink() {
        size.withLock { size in
            var files = Self.contents(of: path).sorted { $0.used > $1.used }
            var sum = files.reduce(0) { $0 + $1.size }
            while sum > capacity / 10 * 9, let oldest = files.popLast() {
                _ = unsafe unlink(path + "/" + oldest.name)
                sum -= oldest.size
            }
            size = sum
        }
    }

    private static func contents(of path: String) -> [(name: String, size: Int, used: Int64)] {
        var files: [(name: String, size: Int, used: Int64)] = []
        try? Descriptor(path, .folder).forEachEntry { entry in
            guard let name = entry.text, let status = try? entry.status(followsLink: false), status.kind == .file else {
                return
            }
            files.append((name: name, size: status.size, used: status.modified))
        }
        return files
    }

    /// Whether the format's last bytes are there, which a file that was damaged or cut off has not.
    private func isWhole(_ bytes: [UInt8], _ format: PictureFormat) -> Bool {
        switch format {
        case .jpeg: bytes.starts(with: [0xff, 0xd8]) && bytes.suffix(2).elementsEqual([0xff, 0xd9])
        case .png: bytes.starts(with: [0x89, 0x50]) && bytes.suffix(8).prefix(4).elementsEqual("IEND".utf8)
        case .webP:
            bytes.count > 12 && bytes.starts(with: "RIFF".utf8)
                && Int(littleEndian: bytes[4..<8]) == bytes.count - 8
        case .rgba: !bytes.isEmpty
        }
    }
}
