private import CFFmpeg

/// A failed call into FFmpeg: its code, and the operation.
///
/// "Try again" and "the end" are results of the calls that can give them, never errors.
package struct FFmpegError: Error, Sendable, Hashable {
    /// An `AVERROR` code: a negated errno, or one of FFmpeg's own tags.
    package let code: Int32
    /// The operation, for a message: "cannot open".
    package let operation: StaticString

    package init(code: Int32, operation: StaticString) {
        self.code = code
        self.operation = operation
    }

    /// Whether the call was interrupted.
    package var isInterruption: Bool { code == segue_AVERROR_EXIT }

    /// Whether the data, rather than the access to it, is at fault.
    package var isInvalidData: Bool { code == segue_AVERROR_INVALIDDATA }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
    package func hash(into hasher: inout Hasher) { hasher.combine(code) }

    /// Checks the result of a C call: returns it unless it is negative, else throws.
    @discardableResult
    package static func check(_ code: Int32, _ operation: StaticString) throws(FFmpegError) -> Int32 {
        guard code < 0 else { return code }
        throw FFmpegError(code: code, operation: operation)
    }

    /// The pointer of a call that returns null when memory runs out.
    package static func unwrap<Pointee>(
        _ pointer: UnsafeMutablePointer<Pointee>?,
        _ operation: StaticString
    ) throws(FFmpegError) -> UnsafeMutablePointer<Pointee> {
        guard let pointer = unsafe pointer else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        return unsafe pointer
    }
}

extension FFmpegError: CustomStringConvertible {
    /// FFmpeg's description of the code, but for one that invites to write a part of FFmpeg.
    package var reason: String {
        if code == segue_AVERROR_PATCHWELCOME { return "the installed FFmpeg does not support this" }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress, unsafe av_strerror(code, base, buffer.count) >= 0 else {
                return "error \(code)"
            }
            return unsafe String(cString: base)
        }
    }

    package var description: String { "\(operation): \(reason)" }
}
