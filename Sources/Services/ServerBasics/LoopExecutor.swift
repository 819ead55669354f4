package import NIOCore

/// Runs closures from other threads on the event loop that an object belongs to.
///
/// Closures that arrive after the object is gone are dropped.
package struct LoopExecutor<Subject: AnyObject>: Sendable {
    private let loop: any EventLoop
    private let subject: NIOLoopBound<Weak>

    private struct Weak {
        weak var object: Subject?
    }

    /// Must be called on the event loop.
    package init(for subject: Subject, on loop: any EventLoop) {
        self.loop = loop
        self.subject = NIOLoopBound(Weak(object: subject), eventLoop: loop)
    }

    package func callAsFunction(_ body: @escaping @Sendable (Subject) -> Void) {
        loop.execute { [subject] in
            if let object = subject.value.object { body(object) }
        }
    }

    /// The same after a delay in seconds.
    package func callAsFunction(
        in seconds: Double,
        _ body: @escaping @Sendable (Subject) -> Void
    ) -> Scheduled<Void> {
        loop.scheduleTask(in: .nanoseconds(Int64(saturating: max(0, seconds) * 1e9))) { [subject] in
            if let object = subject.value.object { body(object) }
        }
    }
}
