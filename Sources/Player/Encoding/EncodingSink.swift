package import AudioTypes
internal import FFmpegValues
package import MediaCoding
internal import Outputs

/// Encodes the played frames to a media file, in the codec and container of its extension.
///
/// Decoding the file gives back the frames that were written, as exactly as the codec keeps samples. After `finish` the
/// file is complete.
package final class EncodingSink: FrameSink {
    private let path: String
    private var writer: MediaWriter?
    private var hasFailed = false

    /// Creates the file, or overwrites it.
    ///
    /// - Parameters:
    ///   - format: The format of the bytes passed to `write`; `format(for:wanted:)` returns the most suitable one.
    ///   - details: The file's details besides its sound.
    /// - Throws: `EncodingError`.
    package init(path: String, format: AudioFormat, details: FileDetails = FileDetails()) throws(EncodingError) {
        self.path = path
        var file = try Self.file(path)
        file.depth = details.depth
        do throws(FFmpegError) {
            writer = try MediaWriter.open(path, file, format: format, details: details)
        } catch {
            throw EncodingError(path: path, reason: .failed(error))
        }
    }

    /// - Parameter depth: The significant bits of a sample; `nil` for all of the format.
    package convenience init(path: String, format: AudioFormat, depth: Int?) throws(EncodingError) {
        try self.init(path: path, format: format, details: FileDetails(depth: depth))
    }

    /// The best format in which to pass frames to a file: as close to `wanted` as its codec allows.
    ///
    /// - Throws: `EncodingError` when the extension is unknown, or this FFmpeg has no encoder for it.
    package static func format(for path: String, wanted: AudioFormat = .cd) throws(EncodingError) -> AudioFormat {
        try file(path).format(for: wanted)
    }

    /// Whether a file at a path can have ReplayGain tags, by its extension.
    ///
    /// - Throws: `EncodingError` as ``format(for:wanted:)``.
    package static func holdsReplayGain(_ path: String) throws(EncodingError) -> Bool {
        try file(path).holdsReplayGain
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        try failing { () throws(FFmpegError) in unsafe try writer?.write(bytes) }
    }

    /// Completes the file, also after a failed write; an error that `write` has thrown already is not thrown again.
    package func finish() throws {
        guard var writer = writer.take() else { return }
        let hadFailed = hasFailed
        do {
            try failing { () throws(FFmpegError) in try writer.finish() }
        } catch {
            if !hadFailed { throw error }
        }
    }

    private func failing(_ body: () throws(FFmpegError) -> Void) throws(EncodingError) {
        do throws(FFmpegError) {
            try body()
        } catch {
            hasFailed = true
            throw EncodingError(path: path, reason: .failed(error))
        }
    }

    private static func file(_ path: String) throws(EncodingError) -> FileFormat {
        do throws(FileFormat.Failure) {
            return try FileFormat(path: path)
        } catch {
            throw EncodingError(path: path, reason: .format(error))
        }
    }
}
