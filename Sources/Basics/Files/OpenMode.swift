private import Glibc

/// The purpose for which a file is opened.
///
/// Started programs inherit none of the descriptors, and an opened terminal never becomes the controlling one.
package struct OpenMode: Sendable {
    let flags: Int32
    /// Of a file that this makes, before the umask.
    var permissions: UInt32 = 0

    /// Reading; never waits for another process to open the other end of a pipe.
    package static let reading = OpenMode(flags: O_RDONLY | O_NONBLOCK)
    /// Listing a folder and opening files in it.
    package static let folder = OpenMode(flags: O_RDONLY | O_DIRECTORY | O_NONBLOCK)
    /// As `folder`, but fails where the last name of the path is a link.
    package static let folderItself = OpenMode(flags: O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_NOFOLLOW)
    /// Naming a file, without opening it for anything: no driver or other process notices.
    package static let place = OpenMode(flags: pathOnly)
    /// As `place`, but names a link itself.
    package static let placeItself = OpenMode(flags: pathOnly | O_NOFOLLOW)
    /// Reading, and writing at the end.
    package static let appending = OpenMode(flags: O_RDWR | O_APPEND | O_NONBLOCK)
    /// Reading and writing; makes a file that only its owner can read where there is none.
    package static let changing = OpenMode(flags: O_RDWR | O_CREAT, permissions: 0o600)

    /// Truncates an existing file, and writes it from its beginning.
    package static func rewriting(permissions: UInt32) -> OpenMode {
        OpenMode(flags: O_WRONLY | O_CREAT | O_TRUNC, permissions: permissions)
    }

    /// Reading and writing a file that must not be there yet, not even as a link.
    package static func new(permissions: UInt32) -> OpenMode {
        OpenMode(flags: O_RDWR | O_CREAT | O_EXCL, permissions: permissions)
    }

    /// Reading and writing a file without a name in a folder, which is the path: it goes with its descriptor, unless it is named.
    static func unnamed(permissions: UInt32) -> OpenMode {
        OpenMode(flags: O_RDWR | O_DIRECTORY | temporary, permissions: permissions)
    }

    var names: Bool { flags & pathOnly != 0 }
    var isOfFolder: Bool { flags & O_DIRECTORY != 0 }
}

/// `O_PATH` (open(2)), which Glibc's module leaves out: the value of all Linux ports but PA-RISC, SPARC and Alpha.
private let pathOnly: Int32 = 0o10000000
/// `__O_TMPFILE`, likewise.
private let temporary: Int32 = 0o20000000
