internal import CPulse

/// Requests of the sound server for silence, which PulseAudio's `module-role-cork` makes on behalf of calls.
///
/// The module mutes the stream and sends `request-cork`. When the call ends it unmutes the stream, but sends `request-uncork`
/// only if the stream is corked by then (`uncork_or_unduck` in PulseAudio's stream-interaction.c): not after a call that
/// ends before the stream was corked, nor to a stream that plays on for other players. So the end of the mute, too, is
/// the end of the request.
extension PulseOutput {
    func silenceRequested() {
        guard let context = unsafe context, !isSilenceRequested else { return }
        isSilenceRequested = true
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe pa_context_set_subscribe_callback(context, streamsChanged, me)
        unsafe release(pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_SINK_INPUT, nil, nil))
        tell(.corkRequested(true))
        // The server may have unmuted the stream before it knew of the subscription.
        askForMute()
    }

    /// Handles the end of the request, or of the stream it was made to: the next stream is asked again.
    func silenceRequestEnded() {
        guard isSilenceRequested else { return }
        isSilenceRequested = false
        if let context = unsafe context {
            unsafe pa_context_set_subscribe_callback(context, nil, nil)
            if unsafe pa_context_get_state(context) == PA_CONTEXT_READY {
                unsafe release(pa_context_subscribe(context, PA_SUBSCRIPTION_MASK_NULL, nil, nil))
            }
        }
        resendMute()
        tell(.corkRequested(false))
    }

    func streamChanged(at index: UInt32) {
        guard let stream = unsafe stream, unsafe pa_stream_get_index(stream) == index else { return }
        askForMute()
    }

    private func askForMute() {
        guard let context = unsafe context, let stream = unsafe stream else { return }
        let me = unsafe Unmanaged.passUnretained(self).toOpaque()
        let index = unsafe pa_stream_get_index(stream)
        unsafe release(pa_context_get_sink_input_info(context, index, streamAnswered, me))
    }
}
