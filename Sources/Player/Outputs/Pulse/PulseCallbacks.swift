internal import CPulse
private import Glibc

// libpulse calls these on its own thread. They are global functions because a closure written in an isolated context
// would inherit that isolation and trap.

func output(_ pointer: UnsafeMutableRawPointer?) -> PulseOutput? {
    unsafe pointer.map { unsafe Unmanaged<PulseOutput>.fromOpaque($0).takeUnretainedValue() }
}

func contextStateChanged(_ context: OpaquePointer?, _ me: UnsafeMutableRawPointer?) {
    unsafe output(me)?.contextChanged()
}

func streamStateChanged(_ stream: OpaquePointer?, _ me: UnsafeMutableRawPointer?) {
    unsafe output(me)?.streamChanged()
}

func streamWantsData(_ stream: OpaquePointer?, _ bytes: Int, _ me: UnsafeMutableRawPointer?) {
    unsafe output(me)?.feed()
}

func streamWasTimed(_ stream: OpaquePointer?, _ me: UnsafeMutableRawPointer?) {
    unsafe output(me)?.updateTiming()
}

func streamMoved(_ stream: OpaquePointer?, _ me: UnsafeMutableRawPointer?) {
    unsafe output(me)?.streamMovedElsewhere()
}

func streamWasAsked(
    _ stream: OpaquePointer?,
    _ name: UnsafePointer<CChar>?,
    _ properties: OpaquePointer?,
    _ me: UnsafeMutableRawPointer?
) {
    guard let name = unsafe name else { return }
    switch unsafe String(cString: name) {
    case PA_STREAM_EVENT_REQUEST_CORK: unsafe output(me)?.silenceRequested()
    case PA_STREAM_EVENT_REQUEST_UNCORK: unsafe output(me)?.silenceRequestEnded()
    default: break
    }
}

func streamsChanged(
    _ context: OpaquePointer?,
    _ event: pa_subscription_event_type_t,
    _ index: UInt32,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe output(me)?.streamChanged(at: index)
}

func streamAnswered(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_input_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    // A stream is followed by an end of the list; one that is gone has an error.
    guard isLast == 0, let info = unsafe info else { return unsafe output(me)?.streamQuestionEnded() ?? () }
    var volume = unsafe info.pointee.volume
    let (loudest, isMuted) = unsafe (pa_cvolume_max(&volume), info.pointee.mute != 0)
    unsafe output(me)?.streamHas(loudest, isMuted: isMuted, at: info.pointee.index)
}

func holdTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe output(me)?.holdTimerRang()
}

func sinkAnswered(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    // A sink that exists is followed by an end of the list, a missing one by an error.
    if isLast <= 0 { unsafe output(me)?.sinkWasLookedUp(exists: isLast == 0) }
}

func formatAnswerArrived(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_sink_info>?,
    _ isLast: Int32,
    _ me: UnsafeMutableRawPointer?
) {
    guard isLast == 0, let info = unsafe info else { return unsafe output(me)?.formatQuestionEnded() ?? () }
    unsafe output(me)?.sinkHas(PulseSink(info.pointee))
}

func refusalTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe output(me)?.refusalTimerRang()
}

func routeTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe output(me)?.routeTimerRang()
}

func serverTold(
    _ context: OpaquePointer?,
    _ info: UnsafePointer<pa_server_info>?,
    _ me: UnsafeMutableRawPointer?
) {
    if let info = unsafe info { unsafe output(me)?.recordServer(info.pointee) }
}

func streamTimingUpdated(_ stream: OpaquePointer?, _ success: Int32, _ me: UnsafeMutableRawPointer?) {
    if success != 0 { unsafe output(me)?.timingUpdated() }
}

func retryTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe output(me)?.retry()
}

func holdShortened(_ stream: OpaquePointer?, _ success: Int32, _ me: UnsafeMutableRawPointer?) {
    if success != 0 { unsafe output(me)?.disableRenderGuard() }
}

func deferTimeReached(
    _ api: UnsafeMutablePointer<pa_mainloop_api>?,
    _ timer: OpaquePointer?,
    _ time: UnsafePointer<timeval>?,
    _ me: UnsafeMutableRawPointer?
) {
    unsafe output(me)?.deferIsOver()
}

/// Releases an operation, which runs on without its outcome being observed.
func release(_ operation: OpaquePointer?) {
    if let operation = unsafe operation { unsafe pa_operation_unref(operation) }
}
