internal import CPulse

/// Owns libpulse's main loop and its thread.
///
/// Every call into libpulse is made with the loop's lock held, or in a callback, which the loop runs with the lock
/// held. Sound as `@unchecked Sendable`: the pointer never changes, and the loop's own functions may be called from any
/// thread.
@safe
final class PulseLoop: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Starts the thread.
    init() throws(PulseError) {
        guard let pointer = unsafe pa_threaded_mainloop_new() else {
            throw PulseError.refused(code: Int32(PA_ERR_INTERNAL.rawValue))
        }
        unsafe pa_threaded_mainloop_set_name(pointer, "segue-pulse")
        guard unsafe pa_threaded_mainloop_start(pointer) >= 0 else {
            unsafe pa_threaded_mainloop_free(pointer)
            throw PulseError.refused(code: Int32(PA_ERR_INTERNAL.rawValue))
        }
        unsafe self.pointer = pointer
    }

    /// Stops the thread; all objects made on the loop must have been freed.
    deinit {
        unsafe pa_threaded_mainloop_stop(pointer)
        unsafe pa_threaded_mainloop_free(pointer)
    }

    var api: UnsafeMutablePointer<pa_mainloop_api>? { unsafe pa_threaded_mainloop_get_api(pointer) }

    /// Runs `body` with the lock held; without locking on the loop's own thread, which holds it already.
    func locked<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        if unsafe pa_threaded_mainloop_in_thread(pointer) != 0 { return try body() }
        unsafe pa_threaded_mainloop_lock(pointer)
        defer { unsafe pa_threaded_mainloop_unlock(pointer) }
        return try body()
    }

    /// Releases the lock until a callback signals.
    ///
    /// Call with the lock held.
    func wait() { unsafe pa_threaded_mainloop_wait(pointer) }

    /// Wakes the threads in `wait`.
    ///
    /// Call in a callback.
    func signal() { unsafe pa_threaded_mainloop_signal(pointer, 0) }
}
