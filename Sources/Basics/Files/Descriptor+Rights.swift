package import AudioTypes
private import CLinux
private import Glibc

/// Users for whom a file is opened that this process may read as well.
package enum FileReaders: Sendable, Hashable {
    /// One user; not root, for whom permissions mean nothing.
    case user(UInt32)
    /// All users.
    case everybody
}

extension Descriptor {
    /// Opens a regular file for reading that others may read, too, by its permissions and those of all folders on the way to it.
    ///
    /// Groups are not looked up: for everybody but the owner, both the group's and the others' bits must allow it. Access
    /// control lists are not looked at. The folders and links of the path are opened one by one, so none of them can be
    /// exchanged meanwhile, and nothing is told of folders that the readers cannot enter. Files that the system makes up are
    /// refused, as in `/proc`.
    ///
    /// - Parameter path: From the root.
    /// - Throws: Also where the readers may not read it.
    package init(_ path: FilePath, readableBy readers: FileReaders) throws(SystemError) {
        guard path.bytes.first == slash else { throw .noSuchFile }
        var place = try Descriptor("/", .place)
        let root = try place.status.identity
        var names = reversedNames(in: path.bytes)
        var linkCount = 0
        while let name = names.popLast() {
            let folder = try place.status
            try place.check(folder, isOf: .folder, readers, 0o1)
            if name.isEmpty || name == [dot] { continue }
            if readers == .everybody, folder.identity == root, systemFolders.contains(name) { throw .permissionDenied }
            let next = try place.open(name.map(CChar.init(bitPattern:)) + [0], .placeItself)
            guard try next.status.kind == .link else {
                place = next
                continue
            }
            linkCount += 1
            guard linkCount <= linkLimit else { throw SystemError(ELOOP) }
            let target = try next.linkTarget
            if target.first == slash { place = try Descriptor("/", .place) }
            names += reversedNames(in: target)
        }
        try place.check(place.status, isOf: .file, readers, 0o4)
        self = try place.reopened(.reading)
    }

    /// - Parameter bits: As those of others: 4 is reading, 1 is looking for names in a folder.
    private func check(
        _ status: FileStatus,
        isOf kind: FileStatus.Kind,
        _ readers: FileReaders,
        _ bits: UInt32
    ) throws(SystemError) {
        guard status.kind == kind, status.allows(readers, bits), !systemFileSystems.contains(segue_file_system(number))
        else { throw .permissionDenied }
    }

    /// The text of an open link.
    private var linkTarget: [UInt8] {
        get throws(SystemError) {
            var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe readlinkat(number, "", base, bytes.count)
            }
            guard count > 0 else { throw count < 0 ? .current : .noSuchFile }
            return Array(buffer[..<count])
        }
    }
}

extension FileStatus {
    fileprivate func allows(_ readers: FileReaders, _ bits: UInt32) -> Bool {
        if readers == .user(owner) { return permissions >> 6 & bits == bits }
        return permissions & permissions >> 3 & bits == bits
    }
}

/// The names in a path, the first one last; two slashes in a row have an empty one between them.
private func reversedNames(in path: [UInt8]) -> [[UInt8]] {
    path.split(separator: slash, omittingEmptySubsequences: false).reversed().map(Array.init)
}

private let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
/// As many as Linux follows.
private let linkLimit = 40
/// In the root folder: they hold no files that anybody has put there.
private let systemFolders = ["dev", "proc", "sys"].map { Array($0.utf8) }
/// Those of `/proc` and `/sys` (statfs(2)), and 0 for what cannot be told.
private let systemFileSystems: Set<UInt32> = [0x9fa0, 0x6265_6572, 0]
