internal import Files

/// The bytes of a regular file or a file of procfs; at most 256 MiB.
func fileContents(_ path: String) throws(SystemError) -> [UInt8] { try fileContents(path, atMost: 256 << 20) }

/// The paths of the Unix sockets that processes listen on.
///
/// Read from the kernel's table, since a connection to a socket would make systemd start its service.
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
        guard columns.count == 8, let flags = UInt32(digits: columns[3].utf8, radix: 16), flags & 0x10000 != 0 else {
            return nil
        }
        return (String(columns[7]), String(columns[6]))
    }
}
