internal import AudioTypes
private import Glibc

/// A mutex and a condition on the monotonic clock, the base of all waiting here.
///
/// Sound as `@unchecked Sendable`: the C objects stay at fixed addresses until `deinit`, and are made for use from
/// several threads.
@safe
final class ConditionLock: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    init() {
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

    func withLock<Success>(_ body: () -> Success) -> Success {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body()
    }

    /// Sleeps until the condition is signalled, or spuriously; called with the lock held, which is released meanwhile.
    ///
    /// - Returns: Whether `deadline`, in nanoseconds of the monotonic clock, has not passed.
    @discardableResult
    func wait(until deadline: Int64? = nil) -> Bool {
        guard let deadline else { return unsafe pthread_cond_wait(condition, mutex) == 0 }
        var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
        return unsafe pthread_cond_timedwait(condition, mutex, &time) != ETIMEDOUT
    }

    /// Wakes one waiting thread.
    func signal() { unsafe pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
