internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// Silence in place of the sound that a film does not have, so that its time runs as that of any other medium.
///
/// It reaches as far as the film's packets that were read, so that subtitles between them come in time, and no further than
/// the film at its end.
struct SilentSound {
    static let sampleRate = 48_000
    static let channels = 2
    private static let bytesPerSample = 2 * channels
    /// In samples; a film's longest frames become several packets.
    private static let longest = sampleRate / 10

    /// Seconds of one tick of the film's timestamps.
    private let unit: Double
    /// When the film's first frame is shown, in seconds of its timestamps.
    let start: Double
    /// Where the film ends, in samples; 0 when that is unknown.
    private let length: Int
    /// The next sample, and the one up to which the film was read.
    private var next = 0
    private var end = 0

    /// - Parameter film: The stream of the pictures.
    init(for film: Int, of demuxer: borrowing Demuxer, lasting duration: MediaTime?) {
        let stream = unsafe demuxer.stream(film)
        unit = unsafe av_q2d(stream.pointee.time_base)
        start = unsafe stream.pointee.start_time == segue_AV_NOPTS_VALUE ? 0 : Double(stream.pointee.start_time) * unit
        length = duration?.sample(at: Self.sampleRate) ?? 0
    }

    /// Continues at a sample.
    mutating func seek(to sample: Int) { (next, end) = (max(0, sample), max(0, sample)) }

    /// A sample as a timestamp of the film.
    func timestamp(_ sample: Int) -> Int64 {
        Int64(saturating: ((start + Double(max(0, sample)) / Double(Self.sampleRate)) / max(unit, 1e-9)).rounded(.down))
    }

    /// Records a packet of the film.
    mutating func record(_ packet: borrowing Packet) {
        guard let time = packet.endTime ?? packet.decodingEndTime else {
            let duration = packet.duration > 0 ? Double(packet.duration) * unit : 0.04
            end = end.adding(saturating: Int(sample: duration * Double(Self.sampleRate)))
            return
        }
        end = max(end, Int(sample: (Double(time) * unit - start) * Double(Self.sampleRate)))
    }

    /// Records the film's end.
    mutating func recordEnd() { end = max(end, length) }

    /// Fills a packet with the next silence.
    ///
    /// - Returns: Whether there is any before the film was read on.
    mutating func fill(_ packet: borrowing Packet, index: Int) throws(FFmpegError) -> Bool {
        let count = min(Self.longest, end - next)
        guard count > 0 else { return false }
        packet.clear()
        let bytes = count * Self.bytesPerSample
        try FFmpegError.check(unsafe av_new_packet(packet.pointer, Int32(bytes)), "cannot continue reading")
        unsafe packet.pointer.pointee.data.update(repeating: 0, count: bytes)
        unsafe packet.pointer.pointee.pts = Int64(next)
        unsafe packet.pointer.pointee.dts = Int64(next)
        unsafe packet.pointer.pointee.duration = Int64(count)
        unsafe packet.pointer.pointee.flags = AV_PKT_FLAG_KEY
        unsafe packet.pointer.pointee.stream_index = Int32(index)
        next += count
        return true
    }
}

extension Packet {
    /// When its decoding ends, in its stream's time base; `nil` when unknown.
    fileprivate var decodingEndTime: Int64? {
        unsafe pointer.pointee.dts == segue_AV_NOPTS_VALUE
            ? nil : pointer.pointee.dts.adding(saturating: pointer.pointee.duration)
    }
}
