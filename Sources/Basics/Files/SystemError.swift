private import Glibc

/// An error number of the system (errno(3)).
package struct SystemError: Error, Sendable, Hashable {
    package let number: Int32

    package init(_ number: Int32) { self.number = number }

    package static let noSuchFile = SystemError(ENOENT)
    package static let notInAFolder = SystemError(ENOTDIR)
    package static let permissionDenied = SystemError(EACCES)
    package static let isFolder = SystemError(EISDIR)
    package static let exists = SystemError(EEXIST)
    package static let stale = SystemError(ESTALE)
    /// A pipe, a device or a socket in place of a file.
    package static let notAFile = SystemError(EINVAL)
    /// A file larger than its reader allows.
    package static let tooLarge = SystemError(EFBIG)

    /// The error of the call that failed last on this thread.
    package static var current: SystemError { SystemError(errno) }
}

extension SystemError: CustomStringConvertible {
    /// The system's own words, such as `No such file or directory`.
    package var description: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe strerror_r(number, &buffer, buffer.count) == 0 else { return "error \(number)" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
