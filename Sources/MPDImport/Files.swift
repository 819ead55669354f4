private import Glibc

/// An error of the system, in its own words.
struct FileFailure: Error, CustomStringConvertible {
    let number: Int32

    static var current: FileFailure { FileFailure(number: errno) }

    var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// The bytes of a regular file, or of one that the system makes up; at most 256 MiB.
func fileContents(_ path: String) throws(FileFailure) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else { throw .current }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .current }
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileFailure(number: EINVAL) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe read(descriptor, &buffer, buffer.count)
        if count == 0 { return content }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw .current }
        content.append(contentsOf: buffer[..<count])
        guard content.count <= 256 << 20 else { throw FileFailure(number: EFBIG) }
    }
}

/// The names of what is in a folder, in no order.
func folderContents(_ path: String) throws(FileFailure) -> [String] {
    guard let stream = unsafe opendir(path) else { throw .current }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
        // The structure is as long as the name needs, so the array that its type declares is not copied whole.
        let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
        let start = unsafe UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self)
        names.append(unsafe String(cString: start))
    }
    return names.filter { $0 != "." && $0 != ".." }
}

/// The paths of the Unix sockets that somebody listens at.
///
/// Asking the kernel and not the socket matters: a connection would make systemd start what it waits for.
func listeningSockets() -> Set<String> {
    guard let table = try? fileContents("/proc/net/unix") else { return [] }
    return listeningSockets(inTable: String(decoding: table, as: UTF8.self))
}

/// The same from the kernel's table: `Num RefCount Protocol Flags Type St Inode Path`.
func listeningSockets(inTable table: String) -> Set<String> { Set(unixListeners(inTable: table).map(\.path)) }

func unixListeners(inTable table: String) -> [(path: String, inode: String)] {
    table.split(separator: "\n").compactMap { line in
        let columns = line.split(separator: " ", maxSplits: 7, omittingEmptySubsequences: true)
        // `__SO_ACCEPTCON` of the kernel.
        guard columns.count == 8, let flags = UInt32(columns[3], radix: 16), flags & 0x10000 != 0 else { return nil }
        return (String(columns[7]), String(columns[6]))
    }
}
