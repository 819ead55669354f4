package import AudioTypes
internal import FFmpeg
internal import Outputs

/// Writes what is played to a media file, in the codec and container of its extension.
///
/// Reading the file back gives exactly the frames that were written, as far as the codec keeps samples. After `finish` it
/// is complete.
package final class EncodingSink: FrameSink {
    private let path: String
    private var writer: MediaWriter?
    private var hasFailed = false

    /// Creates the file, or replaces it.
    ///
    /// - Parameter format: What `write` will be given; `format(for:wanted:)` tells the one that suits best.
    /// - Throws: `EncodingError`.
    package init(path: String, format: AudioFormat) throws(EncodingError) {
        self.path = path
        let file = try Self.file(path)
        do throws(FFmpegError) {
            writer = try MediaWriter.open(path, file, format: format)
        } catch {
            throw EncodingError(path: path, reason: .failed(error))
        }
    }

    /// The format in which a file is best given its frames: `wanted`, as far as it can keep that.
    ///
    /// - Throws: `EncodingError` when the extension says nothing, or nothing that can be written here.
    package static func format(for path: String, wanted: AudioFormat = .cd) throws(EncodingError) -> AudioFormat {
        try file(path).format(for: wanted)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws {
        try failing { () throws(FFmpegError) in unsafe try writer?.write(bytes) }
    }

    /// Completes the file, also after a failed write; only what was not said before is thrown.
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
