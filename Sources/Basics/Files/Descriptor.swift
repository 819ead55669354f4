package import AudioTypes
private import Glibc

/// An open file or folder, closed with its owner.
package struct Descriptor: ~Copyable, Sendable {
    package let number: Int32
    private let isOwned: Bool

    /// Takes over a descriptor that is open.
    package init(adopting number: Int32) {
        self.number = number
        isOwned = true
    }

    /// Uses a descriptor that is closed elsewhere, such as standard input.
    package init(borrowing number: Int32) {
        self.number = number
        isOwned = false
    }

    package init(_ path: FilePath, _ mode: OpenMode) throws(SystemError) {
        self.init(adopting: unsafe try openDescriptor(in: AT_FDCWD, path.cString, mode))
    }

    package init(_ path: String, _ mode: OpenMode) throws(SystemError) {
        try self.init(FilePath(checking: path), mode)
    }

    deinit { if isOwned { close(number) } }

    package var status: FileStatus {
        get throws(SystemError) {
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else { throw .current }
            return FileStatus(status)
        }
    }

    /// Where the file really is, all links followed, at this very moment; `nil` when it has no path.
    package var realPath: FilePath? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return 0 }
            return unsafe readlink(link, base, bytes.count)
        }
        guard count > 0, count <= Int(PATH_MAX), buffer[0] == UInt8(ascii: "/") else { return nil }
        return FilePath(bytes: buffer[..<count])
    }

    /// Opens the same file for something else, whatever has become of its path.
    package func reopened(_ mode: OpenMode) throws(SystemError) -> Descriptor { try Descriptor(link, mode) }

    /// A path that leads to the open file itself.
    package var link: String { "/proc/self/fd/\(number)" }

    // MARK: In a folder

    /// Opens a file in this folder.
    ///
    /// - Parameter name: Ends with a zero.
    package func open(_ name: [CChar], _ mode: OpenMode) throws(SystemError) -> Descriptor {
        Descriptor(adopting: unsafe try openDescriptor(in: number, name, mode))
    }

    /// The status of a file in this folder.
    ///
    /// - Parameter name: Ends with a zero.
    package func status(of name: [CChar], followsLink: Bool) throws(SystemError) -> FileStatus {
        unsafe try fileStatus(in: number, name, followsLink: followsLink)
    }
}

/// The one call of open(2): tries again after a signal.
func openDescriptor(in folder: Int32, _ name: UnsafePointer<CChar>, _ mode: OpenMode) throws(SystemError) -> Int32 {
    let flags = mode.flags | O_CLOEXEC | O_NOCTTY
    while true {
        let number = unsafe openat(folder, name, flags, mode_t(mode.permissions))
        if number >= 0 { return number }
        if errno != EINTR { throw .current }
    }
}

func fileStatus(
    in folder: Int32,
    _ name: UnsafePointer<CChar>,
    followsLink: Bool
) throws(SystemError) -> FileStatus {
    var status = stat()
    guard unsafe fstatat(folder, name, &status, followsLink ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { throw .current }
    return FileStatus(status)
}
