/// Requests of the sound server for silence, which PulseAudio's `module-role-cork` makes on behalf of calls.
///
/// The module mutes the stream and sends `request-cork`. When the call ends it unmutes the stream, but sends `request-uncork`
/// only if the stream is corked by then (`uncork_or_unduck` in PulseAudio's stream-interaction.c): not after a call that
/// ends before the stream was corked, nor to a stream that plays on for other players. So the end of the mute, too, is
/// the end of the request.
extension PulseOutput {
    func silenceRequested() {
        guard !isSilenceRequested else { return }
        isSilenceRequested = true
        watchStream()
        tell(.corkRequested(true))
        // The server may have unmuted the stream before it knew of the subscription.
        askForStream()
    }

    /// Handles the end of the request, or of the stream it was made to: the next stream is asked again.
    func silenceRequestEnded() {
        guard isSilenceRequested else { return }
        isSilenceRequested = false
        watchStream()
        resendMute()
        tell(.corkRequested(false))
    }
}
