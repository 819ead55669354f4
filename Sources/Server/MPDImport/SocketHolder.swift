internal import Files
private import Glibc
package import Settings

/// The process that listens at an address that we wanted.
package struct SocketHolder: Sendable, Hashable {
    package var process: Int
    /// The kernel's name for the process: at most 15 bytes.
    package var name: String
    /// The manager that started it, if it is mpd.
    package var manager: RunningMPD.Manager

    package init(process: Int, name: String, manager: RunningMPD.Manager = .none) {
        self.process = process
        self.name = name
        self.manager = manager
    }

    /// Finds it among the processes that we may inspect: our own, or all of them as root.
    package static func find(at address: Listener.Address) -> SocketHolder? {
        let sockets = inodes(of: address)
        guard !sockets.isEmpty else { return nil }
        let links = Set(sockets.map { "socket:[\($0)]" })
        for process in ((try? fileNames(in: "/proc")) ?? []).compactMap({ Int($0) }).sorted() {
            let folder = "/proc/\(process)/fd"
            let files = (try? fileNames(in: folder)) ?? []
            guard files.contains(where: { target(of: folder + "/" + $0).map(links.contains) ?? false }) else {
                continue
            }
            let name = (try? fileContents("/proc/\(process)/comm")) ?? []
            let group = (try? fileContents("/proc/\(process)/cgroup")) ?? []
            return SocketHolder(
                process: process,
                name: String(decoding: name.prefix { $0 != 0x0a }, as: UTF8.self),
                manager: RunningMPD.manager(cgroup: String(decoding: group, as: UTF8.self))
            )
        }
        return nil
    }

    private static func inodes(of address: Listener.Address) -> Set<String> {
        func table(_ name: String) -> String {
            String(decoding: (try? fileContents("/proc/net/\(name)")) ?? [], as: UTF8.self)
        }
        switch address {
        case .unix(let path, _): return inodes(listeningAt: path, inTable: table("unix"))
        case .abstract(let name): return inodes(listeningAt: "@" + name, inTable: table("unix"))
        case .tcp(_, let port), .tls(_, let port):
            return inodes(listeningAtPort: port, inTable: table("tcp"))
                .union(inodes(listeningAtPort: port, inTable: table("tcp6")))
        }
    }

    /// Parses the kernel's table of Unix sockets.
    static func inodes(listeningAt path: String, inTable table: String) -> Set<String> {
        Set(unixListeners(inTable: table).filter { $0.path == path }.map(\.inode))
    }

    /// Parses a kernel's table of TCP sockets: `sl local_address rem_address st queues timer retransmits uid timeout
    /// inode`.
    static func inodes(listeningAtPort port: UInt16, inTable table: String) -> Set<String> {
        let inodes = table.split(separator: "\n").compactMap { line -> String? in
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            // `TCP_LISTEN` of the kernel.
            guard columns.count > 9, columns[3] == "0A", let digits = columns[1].split(separator: ":").last,
                UInt16(digits: digits.utf8, radix: 16) == port
            else { return nil }
            return String(columns[9])
        }
        return Set(inodes)
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 64)
        let count = unsafe readlink(link, &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
