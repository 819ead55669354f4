package import AudioTypes
private import Glibc

/// Lets one thread sleep until another has something for it.
///
/// A ring that nobody waits for is remembered, so none is missed. Sound as `@unchecked Sendable`: both C objects live at
/// fixed addresses until `deinit` and are made for use from several threads.
@safe
package final class Doorbell: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var isRung = false

    package init() {
        unsafe pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Wakes the thread that waits, or the next one that would.
    package func ring() {
        unsafe pthread_mutex_lock(mutex)
        isRung = true
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    /// Sleeps until the bell has been rung, or until `deadline`.
    package func wait(until deadline: HostTime? = nil) {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while !isRung {
            guard let deadline else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
                tv_nsec: Int(deadline.nanoseconds % 1_000_000_000)
            )
            if unsafe pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { break }
        }
        isRung = false
    }
}
