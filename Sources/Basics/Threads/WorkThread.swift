private import Glibc

/// A named thread for work that blocks and so must not run on the cooperative pool.
package enum WorkThread {
    /// Runs `body` on a new thread until it returns.
    ///
    /// - Parameter name: At most 15 ASCII characters; shown by `ps -L` and `top -H`.
    /// - Throws: `ThreadError` when the process is at its limits.
    package static func start(named name: String, _ body: @escaping @Sendable () -> Void) throws(ThreadError) {
        let box = Box(name: name, body: body)
        var thread = pthread_t()
        let context = unsafe Unmanaged.passRetained(box)
        let code = unsafe pthread_create(&thread, nil, runBox, context.toOpaque())
        guard code == 0 else {
            unsafe context.release()
            throw ThreadError(name: name, code: code)
        }
        pthread_detach(thread)
    }

    /// Starts a thread for work that must be done: at the process's limits it retries every 100 ms.
    package static func startWhenPossible(named name: String, _ body: @escaping @Sendable () -> Void) {
        do {
            try start(named: name, body)
        } catch {
            Task {
                try? await Task.sleep(for: .milliseconds(100))
                startWhenPossible(named: name, body)
            }
        }
    }

    /// Runs `body` on a thread of its own while the task waits.
    package static func run<Success: Sendable>(
        named name: String,
        _ body: @escaping @Sendable () throws -> Success
    ) async throws -> Success {
        try await withCheckedThrowingContinuation { continuation in
            do {
                try start(named: name) { continuation.resume(with: Result { try body() }) }
            } catch {
                continuation.resume(throwing: error)
            }
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

/// Why the system could not start a thread.
package struct ThreadError: Error, Sendable, Hashable, CustomStringConvertible {
    package let name: String
    /// The result of `pthread_create`.
    package let code: Int32

    package var description: String {
        let reason = unsafe String(cString: strerror(code))
        return "cannot start the thread '\(name)': \(reason); allow more tasks (TasksMax=, ulimit -u)"
    }
}

private func runBox(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context = unsafe context else { return nil }
    let box = unsafe Unmanaged<WorkThread.Box>.fromOpaque(context).takeRetainedValue()
    // The Glibc module lacks pthread_setname_np.
    let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    if file >= 0 {
        var name = box.name
        name.withUTF8 { bytes in unsafe _ = write(file, bytes.baseAddress, bytes.count) }
        close(file)
    }
    box.body()
    return nil
}
