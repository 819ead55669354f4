private import Glibc

/// What is mounted where; the system tells when that changes (proc_pid_mountinfo(5)).
final class MountTable: Sendable {
    /// To be polled for `POLLPRI`; below zero when there is none.
    let descriptor: Int32

    init() { descriptor = unsafe open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC) }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The mounts that some paths lead over, or that lie below them.
    func mounts(concerning paths: Set<[UInt8]>) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        let folders = paths.map { Self.escaped($0) }
        for line in contents().split(separator: UInt8(ascii: "\n")) {
            // The mount's number, its parent's, the device, the root within that, where it is mounted.
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard fields.count > 5 else { continue }
            let place = fields[4]
            if folders.contains(where: { Self.leads($0[...], to: place) || Self.leads(place, to: $0[...]) }) {
                found.insert(Array(fields[0]) + Array(fields[2]) + Array(place))
            }
        }
        return found
    }

    /// Whether a path is at or below another one.
    private static func leads(_ path: ArraySlice<UInt8>, to end: ArraySlice<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        if path.elementsEqual([slash]) { return true }
        guard end.starts(with: path) else { return false }
        return end.count == path.count || end[end.startIndex + path.count] == slash
    }

    /// A path as the table writes it.
    private static func escaped(_ path: [UInt8]) -> [UInt8] {
        path.flatMap { byte -> [UInt8] in
            switch byte {
            case 0x20: Array("\\040".utf8)
            case 0x09: Array("\\011".utf8)
            case 0x0a: Array("\\012".utf8)
            case 0x5c: Array("\\134".utf8)
            default: [byte]
            }
        }
    }

    private func contents() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while descriptor >= 0 {
            let count = unsafe pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        return bytes
    }
}
