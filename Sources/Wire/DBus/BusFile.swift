private import Glibc

/// An open file that came over a bus; closed with its last owner.
package final class BusFile: Sendable, Hashable {
    package let descriptor: Int32

    /// - Parameter descriptor: Stays its owner's; the file has a copy.
    /// - Returns: `nil` when the process has too many open files.
    init?(copying descriptor: Int32) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
        guard copy >= 0 else { return nil }
        self.descriptor = copy
    }

    deinit { close(descriptor) }

    package static func == (left: BusFile, right: BusFile) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
