internal import HTTP

/// What libavformat calls while it waits (`AVIOInterruptCB`): non-zero breaks the wait.
func interruptCallback(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque = unsafe opaque else { return 0 }
    return unsafe Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
}
