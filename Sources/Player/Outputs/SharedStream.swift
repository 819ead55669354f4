package import AudioTypes

/// A stream that is encoded once for all who listen to it, also in this process.
package protocol SharedStream: AnyObject, Sendable {
    /// The extension of files with the same content, such as `opus`.
    var fileExtension: String { get }

    /// The fields with which a response by HTTP describes it.
    ///
    /// - Parameter withTitles: Whether titles are in what is heard, in the form of ICY.
    func fields(withTitles: Bool) -> [(name: String, value: String)]

    /// Begins to listen.
    ///
    /// - Parameter receive: Called on a thread of the stream's, which it must not hold up.
    func listen(
        withTitles: Bool,
        _ receive: @escaping @Sendable (SharedStreamEvent) -> Void
    ) -> any SharedStreamSeat

    /// Refuses those who listen, or will, at the stream's own port from some addresses, in place of the ones before.
    ///
    /// Nothing more is sent to them when this returns, and their connections are closed soon after.
    func refuse(_ addresses: Set<IPAddress>)
}

/// An event of a listener's, in their order.
package enum SharedStreamEvent: Sendable, Hashable {
    /// The listener is one of those who may be.
    case begun
    case bytes([UInt8])
    /// There are as many listeners as may be; nothing follows.
    case full
    /// The stream ends for this listener; nothing follows.
    case ended
}

/// The place of one listener.
package protocol SharedStreamSeat: AnyObject, Sendable {
    /// So many of the bytes have gone on to the listener, for whom only some are kept.
    func took(_ count: Int)

    /// Ends listening; events that are under way may still come.
    func leave()
}
