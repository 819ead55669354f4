internal import AudioTypes
internal import CALSA
internal import Files
internal import Glibc

/// An open playback device of ALSA, used by one thread at a time.
///
/// Sound as a `@safe` class: it owns its handle, which is closed with it.
@safe
final class ALSADevice {
    let name: String
    let capabilities: ALSACapabilities
    /// Whether it is a card itself, with nothing in between that converts or mixes.
    let isHardware: Bool
    private let pcm: OpaquePointer
    /// The settings that were agreed on; `nil` before `configure`.
    private(set) var setup: Setup?

    /// How frames get to the device.
    struct Setup: Sendable, Hashable {
        var format: AudioFormat
        var sample: ALSASample
        /// Frames that the device holds.
        var buffer: Int
        /// Whether frames are written straight into its memory.
        var isMapped: Bool
        /// Whether it can stop with its frames kept.
        var canPause: Bool
        /// The channel of a frame for each channel of the device; `nil`: the same.
        var order: [Int]?
    }

    /// Seconds of frames that the device is to hold, and between its interrupts.
    static let bufferLength = 4.0
    private static let periodLength = 1.0

    /// Opens a device; blocks for as long as the hardware needs.
    init(_ name: String) throws(ALSAError) {
        segue_alsa_quieten()
        self.name = name
        // Plugins that can convert are asked not to, so that the device itself is seen.
        let plain = SND_PCM_NO_AUTO_RESAMPLE | SND_PCM_NO_AUTO_CHANNELS | SND_PCM_NO_AUTO_FORMAT
        var pcm = unsafe try Self.open(name, Int32(plain))
        var capabilities = unsafe Self.capabilities(of: pcm)
        if !capabilities.isUsable {
            unsafe snd_pcm_close(pcm)
            unsafe pcm = try Self.open(name, 0)
            unsafe capabilities = Self.capabilities(of: pcm)
        }
        guard capabilities.isUsable else {
            unsafe snd_pcm_close(pcm)
            throw .noFormat(name: name)
        }
        unsafe self.pcm = pcm
        self.capabilities = capabilities
        isHardware = unsafe snd_pcm_type(pcm) == SND_PCM_TYPE_HW
    }

    deinit { unsafe snd_pcm_close(pcm) }

    private static func open(_ name: String, _ mode: Int32) throws(ALSAError) -> OpaquePointer {
        var pcm: OpaquePointer?
        let code = unsafe snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, mode | Int32(SND_PCM_NONBLOCK))
        guard code >= 0, let pcm = unsafe pcm else { throw ALSAError(name: name, code: code) }
        return unsafe pcm
    }

    @discardableResult
    private func check(_ code: Int32) throws(ALSAError) -> Int {
        guard code >= 0 else { throw ALSAError(name: name, code: code) }
        return Int(code)
    }

    // MARK: Formats

    private static func capabilities(of pcm: OpaquePointer) -> ALSACapabilities {
        var params: OpaquePointer?
        unsafe snd_pcm_hw_params_malloc(&params)
        defer { unsafe snd_pcm_hw_params_free(params) }
        var found = ALSACapabilities()
        guard unsafe snd_pcm_hw_params_any(pcm, params) >= 0 else { return found }
        unsafe snd_pcm_hw_params_set_rate_resample(pcm, params, 0)
        for sample in ALSASample.allCases
        where unsafe snd_pcm_hw_params_test_format(pcm, params, sample.value) == 0 { found.samples.insert(sample) }
        found.rates = ALSACapabilities.knownRates.filter {
            unsafe snd_pcm_hw_params_test_rate(pcm, params, UInt32($0), 0) == 0
        }
        found.channels = (1...8).filter { unsafe snd_pcm_hw_params_test_channels(pcm, params, UInt32($0)) == 0 }
        return found
    }

    /// Agrees with the device on a format of its capabilities; nothing may be in its buffer.
    func configure(_ format: AudioFormat) throws(ALSAError) {
        guard let sample = capabilities.sample(for: format.sampleFormat), sample.source == format.sampleFormat else {
            throw .noFormat(name: name)
        }
        unsafe snd_pcm_drop(pcm)
        setup = nil
        unsafe snd_pcm_hw_free(pcm)
        var params: OpaquePointer?
        unsafe snd_pcm_hw_params_malloc(&params)
        defer { unsafe snd_pcm_hw_params_free(params) }
        try check(unsafe snd_pcm_hw_params_any(pcm, params))
        let isMapped = unsafe snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_MMAP_INTERLEAVED) >= 0
        if !isMapped { try check(unsafe snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED)) }
        try check(unsafe snd_pcm_hw_params_set_format(pcm, params, sample.value))
        try check(unsafe snd_pcm_hw_params_set_channels(pcm, params, UInt32(format.channels.count)))
        try check(unsafe snd_pcm_hw_params_set_rate(pcm, params, UInt32(format.sampleRate), 0))
        var buffer = snd_pcm_uframes_t(format.frames(in: Self.bufferLength))
        var period = snd_pcm_uframes_t(format.frames(in: Self.periodLength))
        var direction: Int32 = 0
        try check(unsafe snd_pcm_hw_params_set_buffer_size_near(pcm, params, &buffer))
        unsafe snd_pcm_hw_params_set_period_size_near(pcm, params, &period, &direction)
        try check(unsafe snd_pcm_hw_params(pcm, params))
        try check(unsafe snd_pcm_hw_params_get_buffer_size(params, &buffer))
        try setSoftwareParameters(buffer)
        setup = Setup(
            format: format,
            sample: sample,
            buffer: Int(buffer),
            isMapped: isMapped,
            canPause: unsafe snd_pcm_hw_params_can_pause(params) != 0,
            order: order(for: format.channels)
        )
        try prepare()
    }

    /// Has the device start when told, stop when it is empty, and never wake the process: it wakes itself by its clock.
    private func setSoftwareParameters(_ buffer: snd_pcm_uframes_t) throws(ALSAError) {
        var params: OpaquePointer?
        unsafe snd_pcm_sw_params_malloc(&params)
        defer { unsafe snd_pcm_sw_params_free(params) }
        var boundary: snd_pcm_uframes_t = 0
        try check(unsafe snd_pcm_sw_params_current(pcm, params))
        try check(unsafe snd_pcm_sw_params_get_boundary(params, &boundary))
        try check(unsafe snd_pcm_sw_params_set_start_threshold(pcm, params, boundary))
        try check(unsafe snd_pcm_sw_params_set_stop_threshold(pcm, params, buffer))
        try check(unsafe snd_pcm_sw_params_set_avail_min(pcm, params, buffer))
        try check(unsafe snd_pcm_sw_params(pcm, params))
    }

    /// ALSA's order of more than two speakers, where the device tells no other: front, rear, centre, bass, side.
    private static let usualOrder: [UInt64] = [0x1, 0x2, 0x10 | 0x200, 0x20 | 0x400, 0x4, 0x8, 0x200, 0x400]

    private func order(for layout: ChannelLayout) -> [Int]? {
        guard layout.count > 2, layout.mask != 0 else { return nil }
        let speakers = (0..<64).map { UInt64(1) << UInt64($0) }.filter { layout.mask & $0 != 0 }
        let hasRear = layout.mask & 0x30 != 0
        var order: [Int] = []
        for (place, bits) in Self.usualOrder.enumerated() {
            // With rear speakers, those at the sides are others.
            let bits = place < 4 && hasRear ? bits & 0x3f : bits
            if let index = speakers.firstIndex(where: { bits & $0 != 0 }), !order.contains(index) {
                order.append(index)
            }
        }
        return order.count == layout.count && order != Array(0..<order.count) ? order : nil
    }

    // MARK: Playing

    /// Readies the empty device to be written to.
    func prepare() throws(ALSAError) { try check(unsafe snd_pcm_prepare(pcm)) }

    func start() throws(ALSAError) { try check(unsafe snd_pcm_start(pcm)) }

    /// Falls silent before it is asked how far it got, where it can, so that not one frame is lost.
    func hold() { if setup?.canPause == true { unsafe snd_pcm_pause(pcm, 1) } }

    /// Falls silent at once, and forgets what was written.
    func drop() throws(ALSAError) {
        try check(unsafe snd_pcm_drop(pcm))
        try prepare()
    }

    /// The state of what was written.
    struct Progress: Sendable, Hashable {
        /// Frames that can be written.
        var room: Int
        /// Frames written that are not heard yet.
        var delay: Int
    }

    /// - Returns: `nil` when the device has run dry or was suspended.
    func progress() throws(ALSAError) -> Progress? {
        var room: snd_pcm_sframes_t = 0
        var delay: snd_pcm_sframes_t = 0
        let code = unsafe snd_pcm_avail_delay(pcm, &room, &delay)
        if code == -EPIPE || code == -ESTRPIPE { return nil }
        try check(code)
        if unsafe snd_pcm_state(pcm) == SND_PCM_STATE_DISCONNECTED { throw .noDevice(name: name) }
        return Progress(room: room, delay: delay)
    }

    /// Whether the machine's sleep has stopped it, with frames in its buffer.
    var isSuspended: Bool { unsafe snd_pcm_state(pcm) == SND_PCM_STATE_SUSPENDED }

    /// Takes back frames that were written last and not played.
    ///
    /// - Returns: How many.
    func rewind(_ frames: Int, keeping margin: Int) -> Int {
        let most = unsafe snd_pcm_rewindable(pcm) - margin
        let count = min(frames, most)
        guard count > 0 else { return 0 }
        return max(0, unsafe snd_pcm_rewind(pcm, snd_pcm_uframes_t(count)))
    }

    /// Lets `body` write up to `count` frames straight into the device's memory.
    ///
    /// - Parameter body: Gets the place of a frame in memory, and how many frames fit there; returns how many it wrote.
    /// - Returns: How many.
    func writeMapped(_ count: Int, _ body: (UnsafeMutableRawPointer, Int) -> Int) throws(ALSAError) -> Int {
        var areas: UnsafePointer<snd_pcm_channel_area_t>?
        var offset: snd_pcm_uframes_t = 0
        var frames = snd_pcm_uframes_t(count)
        try check(unsafe snd_pcm_mmap_begin(pcm, &areas, &offset, &frames))
        guard let area = unsafe areas?.pointee, let base = unsafe area.addr, frames > 0 else { return 0 }
        let bits = unsafe Int(area.first) + Int(offset) * Int(area.step)
        let written = unsafe body(base + bits / 8, Int(frames))
        let committed = unsafe snd_pcm_mmap_commit(pcm, offset, snd_pcm_uframes_t(written))
        if committed < 0 { throw ALSAError(name: name, code: Int32(committed)) }
        return committed
    }

    /// Writes frames in the device's format.
    ///
    /// - Returns: How many.
    func write(_ frames: UnsafeRawPointer, _ count: Int) throws(ALSAError) -> Int {
        let written = unsafe snd_pcm_writei(pcm, frames, snd_pcm_uframes_t(count))
        if written == -Int(EAGAIN) { return 0 }
        if written < 0 { throw ALSAError(name: name, code: Int32(written)) }
        return written
    }

    /// Errors at the device's descriptors; other events are not waited for.
    var errors: [Readiness] {
        let count = unsafe snd_pcm_poll_descriptors_count(pcm)
        guard count > 0 else { return [] }
        var list = [pollfd](repeating: pollfd(), count: Int(count))
        unsafe snd_pcm_poll_descriptors(pcm, &list, UInt32(count))
        return list.map { .ended($0.fd) }
    }
}
