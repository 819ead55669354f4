package import AudioTypes
private import Glibc

/// Files that are read for other users.
extension Descriptor {
    /// Opens a file for reading that a user may read, too, by the permissions of the file and of all folders above it.
    ///
    /// Groups are not looked up: for everybody but the owner, both the group's and the others' bits must allow it. The folders
    /// are opened one by one, so none of them can be exchanged meanwhile.
    ///
    /// - Parameter user: Not root, for whom permissions mean nothing.
    /// - Throws: Also where the user may not read it.
    package init(_ path: FilePath, readableBy user: UInt32) throws(SystemError) {
        guard let real = try Descriptor(path, .place).realPath else { throw SystemError(ENOENT) }
        var place = try Descriptor("/", .place)
        let names = real.bytes.split(separator: UInt8(ascii: "/"))
        for name in names {
            guard try place.status.allows(user, 0o1) else { throw SystemError(EACCES) }
            place = try place.open(name.map(CChar.init(bitPattern:)) + [0], .placeItself)
        }
        let status = try place.status
        guard status.kind == .file, status.allows(user, 0o4) else { throw SystemError(EACCES) }
        self = try place.reopened(.reading)
    }
}

extension FileStatus {
    /// - Parameter bits: As those of others: 4 is reading, 1 is looking for names in a folder.
    fileprivate func allows(_ user: UInt32, _ bits: UInt32) -> Bool {
        if user == owner { return permissions >> 6 & bits == bits }
        return permissions & permissions >> 3 & bits == bits
    }
}
