internal import HTTP
internal import Threads

/// Called by libavformat while it waits (`AVIOInterruptCB`); a non-zero result interrupts the wait.
func interruptCallback(_ opaque: UnsafeMutableRawPointer?) -> Int32 {
    guard let opaque = unsafe opaque else { return 0 }
    return unsafe Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue().isRaised ? 1 : 0
}
