package import AudioTypes
private import Glibc

/// The folder that a path is in.
package func folder(of path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Where a path leads, all links followed; `nil` when it leads nowhere, or to a name that is not UTF-8.
package func realPath(of path: String) -> String? {
    guard let real = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(real) }
    return unsafe String(validatingCString: real)
}

/// The path of a program that is installed beside this one, wherever that is; `nil` when that cannot be told.
package func siblingProgram(_ name: String) -> String? {
    guard let own = realPath(of: "/proc/self/exe") else { return nil }
    return folder(of: own) + "/" + name
}

/// Makes a folder and those it is in where they are missing.
///
/// A folder that cannot be made shows when it is used.
///
/// - Parameter permissions: Before the umask; without it only this user may use them.
package func makeFolders(_ path: String, permissions: UInt32 = 0o700) {
    var end = path.startIndex
    while end < path.endIndex {
        end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
        _ = unsafe mkdir(String(path[..<end]), mode_t(permissions))
    }
}

/// Whether a file has no bytes, or is not there.
package func isEmptyFile(_ path: String) -> Bool {
    do throws(SystemError) {
        let status = try FileStatus(of: path)
        return status.kind == .file && status.size == 0
    } catch {
        return error == .noSuchFile
    }
}

/// Whether a path leads to anything.
package func fileExists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

/// Whether this process, as the user that it acts for, may read the file.
package func checkReadable(_ path: FilePath) throws(SystemError) {
    guard unsafe faccessat(AT_FDCWD, path.cString, R_OK, AT_EACCESS) == 0 else { throw .current }
}

/// Whether this process may list a folder and open what is in it.
package func checkFolderReadable(_ path: String) throws(SystemError) {
    guard unsafe access(path, R_OK | X_OK) == 0 else { throw .current }
}

/// The current folder's path; empty when it is gone.
package func currentFolder() -> [UInt8] {
    guard let path = unsafe getcwd(nil, 0) else { return [] }
    defer { unsafe free(path) }
    return unsafe Array(String(cString: path).utf8)
}

/// The first free name beside a file for its damaged form; after nine of them the last one is used again.
package func damagedName(for path: String) -> String {
    let names = (1...9).map { "\(path).damaged-\($0)" }
    return names.first { !fileExists($0) } ?? names[8]
}

extension FilePath {
    /// Whether this path is a folder's or leads to below it, by its letters.
    package func isWithin(_ folder: FilePath) -> Bool {
        let (top, path) = (folder.cString.dropLast(), cString.dropLast())
        guard path.starts(with: top) else { return false }
        return top.count == 1 || path.count == top.count || path[top.count] == 0x2f
    }
}
