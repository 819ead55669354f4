internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
private import Glibc
private import Synchronization

/// Writes a stream to a file as it arrives, without re-encoding.
///
/// After a stream was reopened, recording continues in the same file, unless the format differs; then, and for further
/// streams, numbered files are created: `show.mp3`, `show-2.mp3`.
@safe
final class StreamRecorder {
    private let path: String
    private var file: OpenFile?

    private struct OpenFile {
        let context: RecordingFile
        let track: Track
    }

    init(_ path: String) { self.path = path }

    /// The packets that follow belong to a part.
    func begin(_ part: StreamPart) throws(FFmpegError) {
        if let file, file.track.isAlike(part.track) {
            file.context.shift()
            return
        }
        try finish()
        let context = try RecordingFile(numbered(), part.track, part.info.tags)
        file = OpenFile(context: context, track: part.track)
    }

    func write(_ packet: borrowing Packet) throws(FFmpegError) { try file?.context.write(packet) }

    /// Completes the file.
    func finish() throws(FFmpegError) {
        let last = file.take()
        try last?.context.finish()
    }

    deinit { try? finish() }

    /// How many files of a name were created in this process.
    private static let counts = Mutex<[String: Int]>([:])

    private func numbered() -> String {
        while true {
            let count = Self.counts.withLock { counts in
                counts[path, default: 0] += 1
                return counts[path] ?? 1
            }
            // Whether the first may be overwritten was asked before.
            guard count > 1 else { return path }
            let other = numbered(count)
            if unsafe access(other, F_OK) != 0 { return other }
        }
    }

    private func numbered(_ count: Int) -> String {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return "\(path)-\(count)" }
        return path[..<dot] + "-\(count)" + path[dot...]
    }
}

/// Owns one file of recorded packets (`AVFormatContext`).
@safe
private final class RecordingFile {
    private let context: UnsafeMutablePointer<AVFormatContext>
    private let track: Track
    private let copy: Packet
    /// Subtracted from timestamps, in the track's time base; `nil` until the first packet.
    private var offset: Int64?
    /// The timestamp of the next packet when timestamps restart.
    private var end: Int64 = 0
    private var isFinished = false

    init(_ path: String, _ track: Track, _ tags: Tags) throws(FFmpegError) {
        let operation: StaticString = "cannot record"
        copy = try Packet()
        self.track = track
        var allocated: UnsafeMutablePointer<AVFormatContext>?
        let code = unsafe avformat_alloc_output_context2(&allocated, nil, nil, "file:" + path)
        guard code != -EINVAL else {
            throw FFmpegError(code: segue_AVERROR_MUXER_NOT_FOUND, operation: "no container has this extension")
        }
        guard code >= 0, let context = unsafe allocated else { throw FFmpegError(code: code, operation: operation) }
        unsafe self.context = context
        guard let format = unsafe context.pointee.oformat,
            unsafe avformat_query_codec(format, track.parameters.pointee.codec_id, FF_COMPLIANCE_NORMAL) != 0
        else {
            throw FFmpegError(code: segue_AVERROR_MUXER_NOT_FOUND, operation: "the container cannot hold the stream")
        }
        let stream = unsafe try FFmpegError.unwrap(avformat_new_stream(context, nil), operation)
        try FFmpegError.check(unsafe avcodec_parameters_copy(stream.pointee.codecpar, track.parameters), operation)
        unsafe stream.pointee.codecpar.pointee.codec_tag = 0
        unsafe stream.pointee.time_base = track.timeBase
        if let title = tags["icy-name"] ?? tags.title {
            unsafe av_dict_set(&context.pointee.metadata, "title", title, 0)
        }
        try FFmpegError.check(unsafe avio_open(&context.pointee.pb, "file:" + path, AVIO_FLAG_WRITE), operation)
        guard unsafe avformat_write_header(context, nil) >= 0 else {
            // Nothing was written, and an empty file would be taken for a recording.
            unsafe avio_closep(&context.pointee.pb)
            unsafe _ = unlink(path)
            throw FFmpegError(code: segue_AVERROR_MUXER_NOT_FOUND, operation: "the container cannot hold the stream")
        }
    }

    deinit {
        unsafe avio_closep(&context.pointee.pb)
        unsafe avformat_free_context(context)
    }

    /// Timestamps restart with the next packet.
    func shift() { offset = nil }

    func write(_ packet: borrowing Packet) throws(FFmpegError) {
        copy.clear()
        try FFmpegError.check(unsafe av_packet_ref(copy.pointer, packet.pointer), "cannot record")
        let start = unsafe packet.pointer.pointee.dts
        let known = start == segue_AV_NOPTS_VALUE ? end.adding(saturating: offset ?? 0) : start
        // The file is continuous across seeks, too.
        if offset == nil || known.subtracting(saturating: offset ?? 0) < end {
            offset = known.subtracting(saturating: end)
        }
        let time = known.subtracting(saturating: offset ?? 0)
        let length = duration(of: packet)
        end = time.adding(saturating: length)
        unsafe copy.pointer.pointee.duration = length
        unsafe copy.pointer.pointee.dts = time
        unsafe copy.pointer.pointee.pts = time
        unsafe copy.pointer.pointee.stream_index = 0
        guard let stream = unsafe context.pointee.streams[0] else { return }
        unsafe av_packet_rescale_ts(copy.pointer, track.timeBase, stream.pointee.time_base)
        try FFmpegError.check(unsafe av_write_frame(context, copy.pointer), "cannot record")
        try FFmpegError.check(unsafe context.pointee.pb?.pointee.error ?? 0, "cannot record")
    }

    /// A packet's duration, in the track's time base: libavformat may not know it for transport streams, nor the
    /// timestamps of most of their packets.
    private func duration(of packet: borrowing Packet) -> Int64 {
        if packet.duration > 0 { return packet.duration }
        let samples = unsafe av_get_audio_frame_duration2(track.parameters, Int32(packet.byteCount))
        // As in AAC.
        return max(1, track.timestamp(samples > 0 ? Int(samples) : 1_024))
    }

    func finish() throws(FFmpegError) {
        guard !isFinished else { return }
        isFinished = true
        let code = unsafe av_write_trailer(context)
        let closed = unsafe avio_closep(&context.pointee.pb)
        for code in [code, closed] { try FFmpegError.check(code, "cannot record") }
    }
}

extension Track {
    /// Whether another track's packets can follow this one's in one file.
    fileprivate func isAlike(_ other: Track) -> Bool {
        let (mine, theirs) = unsafe (parameters.pointee, other.parameters.pointee)
        guard unsafe mine.codec_id == theirs.codec_id, unsafe mine.sample_rate == theirs.sample_rate,
            channelCount == other.channelCount, timeBase.num == other.timeBase.num, timeBase.den == other.timeBase.den,
            unsafe mine.extradata_size == theirs.extradata_size
        else { return false }
        guard unsafe mine.extradata_size > 0, let left = unsafe mine.extradata, let right = unsafe theirs.extradata
        else { return true }
        return unsafe memcmp(left, right, Int(mine.extradata_size)) == 0
    }
}
