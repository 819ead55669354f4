package import AudioTypes
internal import CPulse
internal import Synchronization

/// The format of the stream: its sink's, or the medium's.
///
/// PulseAudio may change a sink's format to that of a stream which is made while nothing else plays there, and does not say in
/// advance whether it will. So with the policy `automatic` nothing is heard of a new stream until the server has told the
/// sink's format; a format that the sink has refused is not asked for again for some time.
extension PulseOutput {
    struct Formats: Sendable {
        /// The stream's.
        var own: AudioFormat
        var sink: AudioFormat
        /// The medium's, where it is followed.
        var medium: AudioFormat?
        var refusals = FormatRefusals()

        init(own: AudioFormat, sink: AudioFormat) { (self.own, self.sink) = (own, sink) }
    }

    package var format: AudioFormat { formats.withLock { $0.own } }

    package var preferredFormat: AudioFormat { formats.withLock { preferred($0) } }

    package var sinkFormat: AudioFormat { formats.withLock { $0.sink } }

    package var formatPolicy: FormatPolicy { options.formatPolicy }

    package func prefer(_ format: AudioFormat) {
        if options.formatPolicy != .sink { formats.withLock { $0.medium = format } }
    }

    package func nearest(to format: AudioFormat) -> AudioFormat { formats.withLock { nearest(to: format, $0) } }

    private func preferred(_ formats: Formats) -> AudioFormat {
        formats.medium.map { nearest(to: $0, formats) } ?? formats.sink
    }

    private func nearest(to format: AudioFormat, _ formats: Formats) -> AudioFormat {
        guard options.formatPolicy == .automatic else { return format }
        // PipeWire takes 0.4 seconds to change its format.
        if isOnPipeWire || formats.sink.holds(format) { return formats.sink }
        return formats.refusals.answer(to: format, at: .now) ?? format
    }

    package func reformat(to format: AudioFormat) {
        loop.locked {
            ring = nil
            guard format != self.format else { return flush() }
            let hadStream = unsafe stream != nil
            freeze(disconnects: true)
            let heard = cursor.position
            formats.withLock { $0.own = format }
            cursor = SendCursor(bytesPerFrame: format.bytesPerFrame)
            cursor.jump(to: heard)
            setClock(frame: Double(heard.index), isMoving: false)
            isStarving.store(true, ordering: .sequentiallyConsistent)
            guard hadStream else { return }
            selector.stays()
            openStream()
        }
    }

    /// Learns the format of the sink where the stream is heard.
    func updateSinkFormat(of sink: PulseSink?) {
        guard let sink else { return }
        let isNews = formats.withLock { formats in
            let before = preferred(formats)
            formats.sink = sink.format
            return preferred(formats) != before
        }
        if isNews { tell(.formatChanged) }
    }

    // MARK: Refused formats

    /// Whether nothing is to be fed, because the sink may have refused the stream's format.
    var isFormatInQuestion: Bool { unsafe formatQuestion != nil || refusalTimer != nil }

    /// Asks for the format that the sink has now; called where the stream was made or moved.
    ///
    /// - Parameter isAnother: Whether it is another sink than before.
    func askForFormat(ofAnother isAnother: Bool) {
        cancelFormatQuestion()
        if isAnother { formats.withLock { $0.refusals = FormatRefusals() } }
        guard options.formatPolicy == .automatic, !isOnPipeWire, let context = unsafe context,
            let stream = unsafe stream
        else { return }
        let (index, me) = unsafe (pa_stream_get_device_index(stream), Unmanaged.passUnretained(self).toOpaque())
        unsafe formatQuestion = pa_context_get_sink_info_by_index(context, index, formatAnswerArrived, me)
    }

    /// Handles the answer.
    func sinkHas(_ sink: PulseSink) {
        guard unsafe formatQuestion != nil, !sink.format.holds(format) else { return updateSinkFormat(of: sink) }
        formats.withLock { $0.refusals.add($0.own, sink.format, at: .now) }
        // The player makes the stream again, in the sink's format.
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe refusalTimer = makeTimer(in: Self.refusalPatience, refusalTimeReached, me)
        updateSinkFormat(of: sink)
        tell(.formatChanged)
    }

    /// Handles the end of the answer; a sink that is gone has none, and other events tell of that.
    func formatQuestionEnded() {
        unsafe release(formatQuestion)
        unsafe formatQuestion = nil
        feed()
    }

    func refusalTimerRang() {
        cancelRefusalTimer()
        feed()
    }

    func cancelFormatQuestion() {
        if let operation = unsafe formatQuestion {
            unsafe pa_operation_cancel(operation)
            unsafe pa_operation_unref(operation)
        }
        unsafe formatQuestion = nil
        cancelRefusalTimer()
    }

    private func cancelRefusalTimer() {
        guard let timer = unsafe refusalTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe refusalTimer = nil
    }

    /// Seconds after which the stream is fed if the player goes on in a format that the sink has refused.
    private static let refusalPatience = 0.2
}

extension AudioFormat {
    /// Whether samples of another format are the same in this one; the number of channels is not looked at.
    fileprivate func holds(_ other: AudioFormat) -> Bool {
        sampleRate == other.sampleRate && (sampleFormat == other.sampleFormat || other.sampleFormat == .s16)
    }
}

/// The formats that a sink has refused.
struct FormatRefusals: Sendable, Hashable {
    private var answers: [AudioFormat: Answer] = [:]

    private struct Answer: Hashable {
        let format: AudioFormat
        let time: HostTime
    }

    /// Records that a stream was made in a format, and that its sink has another one.
    mutating func add(_ wanted: AudioFormat, _ format: AudioFormat, at now: HostTime) {
        answers = answers.filter { now - $0.value.time < Self.memory }
        if answers.count < Self.limit { answers[wanted] = Answer(format: format, time: now) }
    }

    /// The format that the sink kept when it refused another one, a short time ago.
    func answer(to wanted: AudioFormat, at now: HostTime) -> AudioFormat? {
        answers[wanted].flatMap { now - $0.time < Self.memory ? $0.format : nil }
    }

    /// Seconds after which a sink is asked again: the program may be gone for which it kept its format.
    private static let memory = 300.0
    private static let limit = 64
}
