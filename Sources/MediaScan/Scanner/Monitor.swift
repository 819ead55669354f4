private import Glibc

/// State that several threads share, and wait for changes of.
///
/// Sound as `@unchecked Sendable`: the state is only touched under the mutex, and both C objects live at fixed addresses
/// until `deinit`.
@safe
package final class Monitor<State>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var state: State

    package init(_ state: sending State) {
        self.state = state
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Changes the state and wakes all who wait.
    package func change<Success>(_ body: (inout State) -> Success) -> Success {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return body(&state)
    }

    /// Looks at the state.
    package func read<Success>(_ body: (State) -> Success) -> Success {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return body(state)
    }

    /// Sleeps until `body` gives something; it may change the state then, which wakes the others.
    package func wait<Success>(for body: (inout State) -> Success?) -> Success {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) {
                unsafe pthread_cond_broadcast(condition)
                return result
            }
            unsafe pthread_cond_wait(condition, mutex)
        }
    }
}
