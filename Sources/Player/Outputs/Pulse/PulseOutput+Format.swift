package import AudioTypes
internal import CPulse
internal import Synchronization

/// The format of the stream: its sink's, or that of what is played.
///
/// A sink of PulseAudio may take the format of the first stream that is made while nothing plays to it, and nobody can tell
/// before whether it will. So where formats are followed by themselves, each new stream is held until the server has told
/// what its sink made of it; a format that was not taken is not asked for again for some time.
extension PulseOutput {
    struct Formats: Sendable {
        /// The stream's.
        var own: AudioFormat
        var sink: AudioFormat
        /// That of the medium which is played, where it is followed.
        var medium: AudioFormat?
        var refusals = FormatRefusals()

        init(own: AudioFormat, sink: AudioFormat) { (self.own, self.sink) = (own, sink) }
    }

    package var format: AudioFormat { formats.withLock { $0.own } }

    package var preferredFormat: AudioFormat { formats.withLock { preferred($0) } }

    package var sinkFormat: AudioFormat { formats.withLock { $0.sink } }

    package var formatPolicy: FormatPolicy { options.formatPolicy }

    package func follow(_ format: AudioFormat) {
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
            keeper.stays()
            openStream()
        }
    }

    /// Learns the format of the sink where the stream is heard.
    func noteFormat(of sink: PulseSink?) {
        guard let sink else { return }
        let isNews = formats.withLock { formats in
            let before = preferred(formats)
            formats.sink = sink.format
            return preferred(formats) != before
        }
        if isNews { tell(.formatChanged) }
    }

    // MARK: What the sink has taken

    /// Whether nothing is to be fed, because the sink may not have taken the stream's format.
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

    /// The answer.
    func sinkHas(_ sink: PulseSink) {
        guard unsafe formatQuestion != nil, !sink.format.holds(format) else { return noteFormat(of: sink) }
        formats.withLock { $0.refusals.add($0.own, sink.format, at: .now) }
        // The player makes the stream again, in the sink's format.
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe refusalTimer = makeTimer(in: Self.refusalPatience, refusalTimeReached, me)
        noteFormat(of: sink)
        tell(.formatChanged)
    }

    /// All was answered, or the sink is gone, which is told by other means.
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

    /// Seconds after which the server converts, where the player goes on in a format that the sink has not taken.
    private static let refusalPatience = 0.2
}

extension AudioFormat {
    /// Whether samples of another format are the same in this one; the number of channels is not looked at.
    fileprivate func holds(_ other: AudioFormat) -> Bool {
        sampleRate == other.sampleRate && (sampleFormat == other.sampleFormat || other.sampleFormat == .s16)
    }
}

/// The formats that a sink has not taken when it was asked for them.
struct FormatRefusals: Sendable, Hashable {
    private var answers: [AudioFormat: Answer] = [:]

    private struct Answer: Hashable {
        let format: AudioFormat
        let time: HostTime
    }

    /// Notes that a stream was made in a format, and that its sink has another one.
    mutating func add(_ wanted: AudioFormat, _ format: AudioFormat, at now: HostTime) {
        answers = answers.filter { now - $0.value.time < Self.memory }
        if answers.count < Self.limit { answers[wanted] = Answer(format: format, time: now) }
    }

    /// The format that the sink had when it was asked for another one, a short time ago.
    func answer(to wanted: AudioFormat, at now: HostTime) -> AudioFormat? {
        answers[wanted].flatMap { now - $0.time < Self.memory ? $0.format : nil }
    }

    /// Seconds after which a sink is asked again: the program is gone, perhaps, for which it kept its format.
    private static let memory = 300.0
    private static let limit = 64
}
