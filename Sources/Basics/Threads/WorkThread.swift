private import Glibc

/// A named thread for work that blocks and so must not run on the cooperative pool.
package enum WorkThread {
    /// Runs `body` on a new thread until it returns.
    ///
    /// - Parameter name: At most 15 ASCII characters; shown by `ps -L` and `top -H`.
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
        let box = Box(name: name, body: body)
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(box).toOpaque()
        // A thread that cannot be made means a process at its limits: nothing could go on without it.
        guard unsafe pthread_create(&thread, nil, runBox, context) == 0 else {
            fatalError("cannot start the thread '\(name)'")
        }
        pthread_detach(thread)
    }

    /// Runs `body` on a thread of its own while the task waits.
    package static func run<Success: Sendable>(
        named name: String,
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            start(named: name) { continuation.resume(with: Result { try body() }) }
        }
    }

    fileprivate final class Box {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

private func runBox(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let box = unsafe Unmanaged<WorkThread.Box>.fromOpaque(context).takeRetainedValue()
    // Glibc's module does not show pthread_setname_np.
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    if file >= 0 {
        var name = box.name
        name.withUTF8 { bytes in unsafe _ = write(file, bytes.baseAddress, bytes.count) }
        close(file)
    }
    box.body()
    return nil
}
