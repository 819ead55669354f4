package import NIOCore

/// Lets a listener rest for a moment when no client can be let in, such as for lack of descriptors.
///
/// A client that waits at the socket keeps it readable, so that trying on and on would keep a processor busy. NIO's
/// `AcceptBackoffHandler` does not help: the read that failed stays pending.
package final class AcceptPause: ChannelInboundHandler {
    package typealias InboundIn = any Channel

    /// Says why no client is let in, at most once in ``quiet``.
    private let report: (IOError) -> Void
    private var lastReport: NIODeadline?

    private static let quiet = TimeAmount.minutes(5)

    package init(report: @escaping (IOError) -> Void) { self.report = report }

    package func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError else { return context.fireErrorCaught(error) }
        let now = NIODeadline.now()
        if lastReport.map({ now - $0 > Self.quiet }) ?? true {
            lastReport = now
            report(error)
        }
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        context.eventLoop.scheduleTask(in: .milliseconds(250)) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }
}
