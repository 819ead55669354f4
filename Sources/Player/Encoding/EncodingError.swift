package import FFmpegValues
package import MediaCoding

/// Why a file cannot be written, in one line that names it.
package struct EncodingError: Error, Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case format(FileFormat.Failure)
        case failed(FFmpegError)
    }

    package let path: String
    package let reason: Reason
}

extension EncodingError: CustomStringConvertible {
    package var description: String {
        switch reason {
        case .failed(let error): "\(path): \(error.reason)"
        case .format(.noEncoder): "\(path): this FFmpeg has no encoder for it; it can write \(Self.possible)"
        case .format(.unknownExtension): "\(path): its extension names no audio format; known are \(Self.possible)"
        }
    }

    private static var possible: String { FileFormat.extensions.map { "." + $0 }.joined(separator: ", ") }
}
