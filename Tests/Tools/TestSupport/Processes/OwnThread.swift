private import Foundation
private import Synchronization

/// Runs `body` on a thread of its own, which it may change for good, and waits for it.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
    let result = Mutex<Result<Value, any Error>?>(nil)
    let done = DispatchSemaphore(value: 0)
    let thread = Thread {
        let made = Result { try body() }
        result.withLock { $0 = made }
        done.signal()
    }
    thread.start()
    done.wait()
    guard let made = result.withLock(\.self) else { throw ClientError(description: "the thread has no result") }
    return try made.get()
}
