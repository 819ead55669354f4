/// How much clients may ask for.
package struct Limits: Sendable, Hashable {
    package var maxConnections = 1_000
    /// How long a connection may be silent outside of `idle`; `nil` for ever.
    package var connectionTimeout: Duration? = .seconds(60)
    /// In bytes; a longer request ends the connection.
    package var maxLineBytes = 64 * 1024
    /// In bytes; a longer command list ends the connection.
    package var maxCommandListBytes = 2 * 1024 * 1024
    /// In bytes; a client that does not read what it asked for is asked nothing more until it does.
    package var maxOutputBufferBytes = 8 * 1024 * 1024
    /// Songs in a zone's queue.
    package var maxPlaylistLength = 200_000
    /// Channels that one client may subscribe to.
    package var maxSubscriptions = 16
    /// Messages that wait for one client.
    package var maxMessages = 64

    package init() {}
}
