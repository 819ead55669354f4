package import AudioTypes
internal import CPulse

/// The stream as the sound server has it, which its mixers can change.
///
/// The server tells of it only during a request for silence and under a ceiling. Each change is one event and one question,
/// and no further question is asked before the answer.
extension PulseOutput {
    /// Bounds the volume of the stream, also where it is raised in the sound server.
    package func setCeiling(_ ceiling: Volume?) {
        loop.locked {
            guard ceiling != self.ceiling, !isClosed else { return }
            let before = permittedVolume
            self.ceiling = ceiling
            watchStream()
            if permittedVolume != before { resendVolume() }
            if ceiling != nil { askForStream() }
        }
    }

    /// Has the server tell of changes of streams, or tell no more of them.
    func watchStream() {
        let isToWatch = isSilenceRequested || ceiling != nil
        guard isToWatch != isWatchingStream, let context = unsafe context,
            unsafe pa_context_get_state(context) == PA_CONTEXT_READY
        else { return }
        isWatchingStream = isToWatch
        let me = isToWatch ? unsafe Unmanaged.passUnretained(self).toOpaque() : nil
        unsafe pa_context_set_subscribe_callback(context, isToWatch ? streamsChanged : nil, me)
        let mask = isToWatch ? PA_SUBSCRIPTION_MASK_SINK_INPUT : PA_SUBSCRIPTION_MASK_NULL
        unsafe release(pa_context_subscribe(context, mask, nil, nil))
    }

    func streamChanged(at index: UInt32) {
        guard let stream = unsafe stream, unsafe pa_stream_get_index(stream) == index else { return }
        askForStream()
    }

    func askForStream() {
        guard let context = unsafe context, let stream = unsafe stream,
            unsafe pa_stream_get_state(stream) == PA_STREAM_READY
        else { return }
        guard streamQuestion == nil else {
            streamQuestion?.isOutdated = true
            return
        }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        let index = unsafe pa_stream_get_index(stream)
        streamQuestion = StreamQuestion(index: index)
        unsafe release(pa_context_get_sink_input_info(context, index, streamAnswered, me))
    }

    /// Handles the server's answer.
    ///
    /// One that is older than the last change is asked for again: it may tell of a volume that the output has changed since.
    ///
    /// - Parameter loudest: The volume of its loudest channel.
    func streamHas(_ loudest: pa_volume_t, isMuted: Bool, at index: UInt32) {
        guard let question = streamQuestion, question.index == index, !question.isOutdated else { return }
        if !isMuted { silenceRequestEnded() }
        if let ceiling { hold(loudest, to: ceiling) }
    }

    func streamQuestionEnded() {
        guard let question = streamQuestion else { return }
        streamQuestion = nil
        if question.isOutdated { askForStream() }
    }

    /// Brings a volume that is above the ceiling back to the output's own.
    ///
    /// Another program that raises it at once, again and again, is answered twenty times a second.
    private func hold(_ loudest: pa_volume_t, to ceiling: Volume) {
        guard loudest > PulseFormat.volume(ceiling) + Self.volumeTolerance, unsafe holdTimer == nil else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        if let last = lastHold, HostTime.now - last < Self.holdInterval {
            unsafe holdTimer = makeTimer(in: Self.holdInterval, holdTimeReached, me)
            return
        }
        lastHold = .now
        resendVolume()
        tell(.volumeHeld(from: PulseFormat.volume(loudest)))
    }

    func holdTimerRang() {
        cancelHoldTimer()
        askForStream()
    }

    func cancelHoldTimer() {
        guard let timer = unsafe holdTimer, let api = unsafe loop.api else { return }
        unsafe api.pointee.time_free(timer)
        unsafe holdTimer = nil
    }

    /// A question about the stream that was not answered yet.
    struct StreamQuestion {
        let index: UInt32
        /// Whether the stream has changed since.
        var isOutdated = false
    }

    /// Of 65,536: servers round.
    private static let volumeTolerance: pa_volume_t = 64
    /// In seconds.
    private static let holdInterval = 0.05
}
