package import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
package import Threads

/// Makes fingerprints by which AcoustID and MusicBrainz know recordings, by libavformat's muxer for Chromaprint.
@safe
package struct Fingerprinter: ~Copyable {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let packet: Packet

    /// Of a medium's beginning, in seconds, as AcoustID expects.
    private static let length = 120

    /// The fingerprint of a medium's first two minutes, as `fpcalc` writes it.
    ///
    /// Blocks.
    ///
    /// - Throws: `MediaError`, or `FFmpegError`, also where FFmpeg is built without Chromaprint or when it was interrupted.
    package static func fingerprint(of entry: MediaEntry, interrupt: Interrupt) throws -> String {
        var reader = try MediaReader.open(entry, interrupt: interrupt)
        let isMono = reader.stream.channels?.count == 1
        let format = AudioFormat(
            sampleFormat: .s16,
            sampleRate: reader.sampleRate,
            channels: isMono ? .mono : .stereo
        )
        let print = try Fingerprinter.open(format)
        var converter = AudioConverter(output: format)
        let settings = AudioConverter.Settings()
        let region = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384 * format.bytesPerFrame, alignment: 16)
        defer { unsafe region.deallocate() }
        var left = Self.length * format.sampleRate
        while left > 0 {
            if interrupt.isRaised {
                throw FFmpegError(code: segue_AVERROR_EXIT, operation: "cannot make a fingerprint")
            }
            let frames: Int
            switch unsafe try reader.read(into: region, through: &converter, settings) {
            case .frames(let count): frames = count
            case .needsFinish: frames = unsafe try converter.finish(into: region)
            case .ended:
                frames = unsafe try converter.finish(into: region)
                if frames == 0 { return try print.text() }
            case .metadata, .starved: continue
            }
            let count = min(frames, left)
            unsafe try print.add(UnsafeRawBufferPointer(rebasing: region[..<(count * format.bytesPerFrame)]))
            left -= count
        }
        return try print.text()
    }

    private static func open(_ format: AudioFormat) throws(FFmpegError) -> Fingerprinter {
        let operation: StaticString = "cannot make a fingerprint"
        let packet = try Packet()
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        try FFmpegError.check(unsafe avformat_alloc_output_context2(&allocated, nil, "chromaprint", nil), operation)
        let context = unsafe try FFmpegError.unwrap(allocated, operation)
        let print = unsafe Fingerprinter(adopting: context, packet)
        try FFmpegError.check(unsafe avio_open_dyn_buf(&context.pointee.pb), operation)
        let stream = unsafe try FFmpegError.unwrap(avformat_new_stream(context, nil), operation)
        let parameters = unsafe try FFmpegError.unwrap(stream.pointee.codecpar, operation)
        unsafe parameters.pointee.codec_type = AVMEDIA_TYPE_AUDIO
        unsafe parameters.pointee.codec_id = av_get_pcm_codec(AV_SAMPLE_FMT_S16, -1)
        unsafe parameters.pointee.format = AV_SAMPLE_FMT_S16.rawValue
        unsafe parameters.pointee.sample_rate = Int32(format.sampleRate)
        unsafe parameters.pointee.ch_layout = Resampler.layout(format.channels.mask, format.channels.count)
        try FFmpegError.check(unsafe avformat_write_header(context, nil), operation)
        return print
    }

    private init(adopting context: UnsafeMutablePointer<AVFormatContext>, _ packet: consuming Packet) {
        unsafe self.context = context
        self.packet = packet
    }

    deinit {
        if unsafe context.pointee.pb != nil {
            var bytes: UnsafeMutablePointer<UInt8>?
            unsafe _ = avio_close_dyn_buf(context.pointee.pb, &bytes)
            unsafe av_free(bytes)
        }
        unsafe avformat_free_context(context)
    }

    private func add(_ frames: UnsafeRawBufferPointer) throws(FFmpegError) {
        let operation: StaticString = "cannot make a fingerprint"
        guard let start = frames.baseAddress, frames.count > 0 else { return }
        try FFmpegError.check(unsafe av_new_packet(packet.pointer, Int32(frames.count)), operation)
        defer { packet.clear() }
        unsafe packet.pointer.pointee.data.update(
            from: start.assumingMemoryBound(to: UInt8.self),
            count: frames.count
        )
        try FFmpegError.check(unsafe av_write_frame(context, packet.pointer), operation)
    }

    private func text() throws(FFmpegError) -> String {
        try FFmpegError.check(unsafe av_write_trailer(context), "cannot make a fingerprint")
        guard let memory = unsafe context.pointee.pb else { return "" }
        unsafe context.pointee.pb = nil
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe Int(avio_close_dyn_buf(memory, &bytes))
        defer { unsafe av_free(bytes) }
        return unsafe String(
            decoding: UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count),
            as: UTF8.self
        )
    }
}
