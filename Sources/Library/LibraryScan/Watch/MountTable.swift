private import Files

/// The table of mounted file systems; the kernel signals changes (proc_pid_mountinfo(5)).
final class MountTable: Sendable {
    private let table: Descriptor

    /// To be polled for `POLLPRI`; negative when the table cannot be opened.
    var descriptor: Int32 { table.number }

    init() {
        do { table = try Descriptor("/proc/self/mountinfo", .reading) } catch { table = Descriptor(borrowing: -1) }
    }

    /// The mounts on the given paths, or below them.
    func mounts(concerning paths: Set<[UInt8]>) -> Set<[UInt8]> {
        var found: Set<[UInt8]> = []
        let folders = paths.map { Self.escaped($0) }
        for line in contents().split(separator: UInt8(ascii: "\n")) {
            // Mount id, parent id, device, root within the device, mount point.
            let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard fields.count > 5 else { continue }
            let place = fields[4]
            if folders.contains(where: { Self.leads($0[...], to: place) || Self.leads(place, to: $0[...]) }) {
                found.insert(Array(fields[0]) + Array(fields[2]) + Array(place))
            }
        }
        return found
    }

    /// Whether `path` is `end`, or contains it.
    private static func leads(_ path: ArraySlice<UInt8>, to end: ArraySlice<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        if path.elementsEqual([slash]) { return true }
        guard end.starts(with: path) else { return false }
        return end.count == path.count || end[end.startIndex + path.count] == slash
    }

    /// A path in the table's escaped form.
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
        while let more = try? table.bytes(at: bytes.count, count: 16_384), !more.isEmpty { bytes += more }
        return bytes
    }
}
