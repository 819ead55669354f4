package import AudioTypes
internal import CFFmpeg
package import FFmpegValues

/// Writes a media file: encodes interleaved frames, and signals the encoder's delay and padding, so that a reader gets
/// exactly the frames that were written.
///
/// All calls may block on the disk. A writer released without `finish` leaves an incomplete file.
package struct MediaWriter: ~Copyable {
    /// The format of the frames to write.
    package let format: AudioFormat
    private let encoder: Encoder
    private let muxer: Muxer
    private let resampler: EncoderInput
    private let frame: Frame
    private let packet: Packet
    /// Samples already in the frame.
    private var filled = 0
    /// Frames written, at the format's rate.
    private var taken = 0
    /// Samples passed to the encoder.
    private var sent = 0

    private init(
        format: AudioFormat,
        encoder: consuming Encoder,
        muxer: consuming Muxer,
        resampler: consuming EncoderInput,
        frame: consuming Frame,
        packet: consuming Packet
    ) {
        self.format = format
        self.encoder = encoder
        self.muxer = muxer
        self.resampler = resampler
        self.frame = frame
        self.packet = packet
    }

    /// Creates a file, or replaces an existing one, which is left alone if there is no encoder.
    package static func open(
        _ path: String,
        _ file: FileFormat,
        format: AudioFormat,
        details: FileDetails = FileDetails()
    ) throws(FFmpegError) -> MediaWriter {
        try open(
            .file(path),
            file,
            format: format,
            quality: nil,
            tags: file.metadata(of: details),
            chapters: file.chapters(of: details),
            picture: file.picture(of: details)
        )
    }

    /// Writes a stream into memory, from which `takeHeader` and then `takeBytes` take it.
    ///
    /// - Parameters:
    ///   - quality: `nil` for one that is hard to distinguish from the original.
    ///   - tags: Names and texts for the header, where the format has tags.
    package static func stream(
        _ file: FileFormat,
        format: AudioFormat,
        quality: EncodingQuality?,
        tags: [String: String] = [:]
    ) throws(FFmpegError) -> MediaWriter {
        try open(.memory, file, format: format, quality: quality, tags: tags.map { ($0.key, $0.value) })
    }

    private static func open(
        _ destination: Muxer.Destination,
        _ file: FileFormat,
        format: AudioFormat,
        quality: EncodingQuality?,
        tags: [(name: String, text: String)],
        chapters: [Chapter] = [],
        picture: Muxer.Picture? = nil
    ) throws(FFmpegError) -> MediaWriter {
        silenceFFmpeg()
        let encoder = try Encoder.open(file, for: format, quality: quality)
        let resampler = try EncoderInput.open(from: format, to: encoder.shape)
        let frame = try Frame()
        try frame.allocate(encoder.shape, capacity: encoder.frameSize)
        let packet = try Packet()
        let muxer = try Muxer.open(destination, file, for: encoder, tags: tags, chapters: chapters, picture: picture)
        return MediaWriter(
            format: format,
            encoder: encoder,
            muxer: muxer,
            resampler: resampler,
            frame: frame,
            packet: packet
        )
    }

    /// Writes a whole number of frames.
    package mutating func write(_ bytes: UnsafeRawBufferPointer) throws(FFmpegError) {
        let size = format.bytesPerFrame
        precondition(bytes.count % size == 0, "writes whole frames")
        taken += bytes.count / size
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let step = unsafe try resampler.convert(rest, into: frame, at: filled, limit: encoder.frameSize)
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[(step.consumed * size)...])
            try advance(by: step.produced)
        }
    }

    /// Completes the file; nothing may be written afterwards.
    package mutating func finish() throws(FFmpegError) {
        let total = resampler.length(of: taken)
        // The resampler outputs silence without end, so the remaining samples are counted.
        while sent + filled < total {
            let limit = min(encoder.frameSize, filled + total - sent - filled)
            let produced = try resampler.finish(into: frame, at: filled, limit: limit)
            guard produced > 0 else { break }
            try advance(by: produced)
        }
        if filled > 0 { try send() }
        try encoder.sendEnd()
        try drain()
        try muxer.finish()
    }

    /// Takes the bytes that a reader needs before all others, after opening a stream.
    package func takeHeader() throws(FFmpegError) -> [UInt8] {
        var bytes: [UInt8] = []
        try muxer.takeWritten(into: &bytes)
        return bytes
    }

    /// Appends the bytes of a stream since the last call, up to a boundary at which a reader that has the header can
    /// begin.
    package func takeBytes(into bytes: inout [UInt8]) throws(FFmpegError) { try muxer.takeBytes(into: &bytes) }

    /// Appends the last bytes, after `finish`.
    package func takeEnd(into bytes: inout [UInt8]) throws(FFmpegError) { try muxer.takeWritten(into: &bytes) }

    private mutating func advance(by count: Int) throws(FFmpegError) {
        filled += count
        if filled == encoder.frameSize { try send() }
    }

    private mutating func send() throws(FFmpegError) {
        unsafe frame.pointer.pointee.nb_samples = Int32(filled)
        unsafe frame.pointer.pointee.pts = Int64(sent)
        try encoder.send(frame)
        sent += filled
        filled = 0
        try drain()
        try frame.allocate(encoder.shape, capacity: encoder.frameSize)
    }

    private func drain() throws(FFmpegError) {
        while case .packet = try encoder.receive(into: packet) { try muxer.write(packet, of: encoder) }
    }
}
