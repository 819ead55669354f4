internal import NIOCore

/// Lets a listener rest for a moment when nobody can be let in, such as for lack of descriptors.
///
/// Whoever waits at the socket keeps it readable, so that trying on and on would keep a processor busy. NIO's
/// `AcceptBackoffHandler` does not help: the read that failed stays pending.
final class AcceptPause: ChannelInboundHandler {
    typealias InboundIn = any Channel

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is IOError else { return context.fireErrorCaught(error) }
        let channel = context.channel
        channel.setOption(.autoRead, value: false).whenFailure { _ in }
        context.eventLoop.scheduleTask(in: .milliseconds(250)) {
            channel.setOption(.autoRead, value: true).whenFailure { _ in }
        }
    }
}
