import Glibc

/// A thread for calls that block for good.
enum Thread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static func start(name: String, _ body: @escaping @Sendable () -> Void) {
        let context = unsafe Unmanaged.passRetained(
            Body {
                setName(name)
                body()
            }
        )
        var thread = pthread_t()
        let code = unsafe pthread_create(&thread, nil, entry, context.toOpaque())
        if code == 0 { pthread_detach(thread) } else { unsafe context.release() }
    }

    /// A function, not a closure: a closure would inherit the isolation of where it stands, and trap.
    private nonisolated static let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        if let context = unsafe $0 {
            unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        }
        return nil
    }

    private static func setName(_ name: String) {
        let file = unsafe open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return }
        Descriptor(number: file).write(name)
        close(file)
    }
}
