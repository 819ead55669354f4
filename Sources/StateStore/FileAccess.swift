import Glibc

/// A system call that failed.
struct SystemFailure: Error {
    var code: Int32

    static var last: SystemFailure { SystemFailure(code: errno) }
}

/// An open file.
struct OpenFile: ~Copyable {
    let descriptor: Int32

    init(_ path: String, _ flags: Int32) throws(SystemFailure) {
        descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw .last }
    }

    deinit { close(descriptor) }

    borrowing func readAll() throws(SystemFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe read(descriptor, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .last }
            bytes += chunk[..<count]
        }
    }

    borrowing func write(_ bytes: [UInt8], at offset: Int) throws(SystemFailure) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor,
                    buffer.baseAddress.map { unsafe $0 + done },
                    bytes.count - done,
                    offset + done
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw count == 0 ? SystemFailure(code: ENOSPC) : .last }
            done += count
        }
    }

    /// Its length, and whether it still has a name.
    borrowing func status() throws(SystemFailure) -> (size: Int, isNamed: Bool) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .last }
        return (Int(status.st_size), status.st_nlink > 0)
    }

    borrowing func truncate(to size: Int) throws(SystemFailure) {
        if ftruncate(descriptor, size) != 0 { throw .last }
    }

    /// Returns when the data is on the disk, and with `wholly` also what is known about the file.
    borrowing func sync(wholly: Bool) throws(SystemFailure) {
        if (wholly ? fsync(descriptor) : fdatasync(descriptor)) != 0 { throw .last }
    }
}

/// The folder that a path is in.
func folder(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// Makes the names of files in a folder durable.
func syncFolder(of path: String) throws(SystemFailure) {
    try OpenFile(folder(of: path), O_RDONLY | O_DIRECTORY).sync(wholly: true)
}

/// Makes a file whole or leaves what was there: never half of one, not even when the power goes.
func replaceFile(_ path: String, with bytes: [UInt8]) throws(SystemFailure) {
    let temporary = path + ".new"
    do throws(SystemFailure) {
        let file = try OpenFile(temporary, O_WRONLY | O_CREAT | O_TRUNC)
        try file.write(bytes, at: 0)
        try file.sync(wholly: true)
        guard unsafe rename(temporary, path) == 0 else { throw .last }
    } catch {
        unsafe unlink(temporary)
        throw error
    }
    try syncFolder(of: path)
}

/// The first name beside a file for its damaged form; after nine of them the last one is used again.
func damagedName(for path: String) -> String {
    let names = (1...9).map { "\(path).damaged-\($0)" }
    return names.first { unsafe access($0, F_OK) != 0 } ?? "\(path).damaged-9"
}

/// Makes a folder and those it is in, for this user only.
package func makeStateFolder(_ path: String) {
    var end = path.startIndex
    while end < path.endIndex {
        end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
        _ = unsafe mkdir(String(path[..<end]), 0o700)
    }
}
