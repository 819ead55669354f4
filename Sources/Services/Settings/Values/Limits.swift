/// The limits on clients' requests and on stored data.
package struct Limits: Sendable, Hashable {
    // Connections.
    package var maxConnections = 1_000
    /// From one network address; for IPv6, from one /64.
    package var maxConnectionsPerAddress = 64
    /// From one user over Unix sockets, and from this machine over TCP.
    package var maxLocalConnections = 500
    /// Of clients without any permission.
    package var maxConnectionsBeforePermission = 64
    /// Further connections for the server's owner over a Unix socket once `maxConnections` is reached.
    package var ownerConnections = 8
    /// The longest silence of a connection outside of `idle`; `nil` for no limit.
    package var connectionTimeout: Duration? = .seconds(60)

    // Requests and replies, in bytes.
    /// A longer request closes the connection.
    package var maxLineBytes = 64 * 1024
    package var maxLineBytesBeforePermission = 4 * 1024
    /// A longer command list closes the connection.
    package var maxCommandListBytes = 2 * 1024 * 1024
    package var maxCommandListBytesBeforePermission = 16 * 1024
    /// In commands; a longer list closes the connection.
    package var maxCommandListLength = 200_000
    /// Pending requests of all clients; above it the client that holds most is disconnected.
    package var maxRequestBytes = 64 * 1024 * 1024
    /// Unread replies to one client; a longer single reply closes the connection.
    package var maxOutputBufferBytes = 8 * 1024 * 1024
    /// Of a path or URL.
    package var maxURIBytes = 4 * 1024

    // State.
    /// Songs in a zone's queue.
    package var maxPlaylistLength = 200_000
    /// Songs and their tags in all queues, in bytes.
    package var maxQueueBytes = 256 * 1024 * 1024
    package var maxZones = 64
    package var maxStickers = 1_000_000
    /// All stickers, in bytes.
    package var maxStickersBytes = 128 * 1024 * 1024
    /// A sticker's name or value, in bytes.
    package var maxStickerBytes = 4 * 1024
    package var maxStoredPlaylists = 10_000
    /// A stored playlist's file, in bytes.
    package var maxStoredPlaylistBytes = 32 * 1024 * 1024
    /// Channels that one client may subscribe to.
    package var maxSubscriptions = 16
    /// Messages that wait for one client; their bytes are limited too.
    package var maxMessages = 64
    package var maxMessagesBytes = 64 * 1024
    /// Sessions that clients have opened, in total and per user or address.
    package var maxSessions = 10_000
    package var maxSessionsPerClient = 256
    /// Streams of other programs that have sessions, at one sound server.
    package var maxForeignStreams = 256
    /// Waiting and playing announcements per user or address.
    package var maxAnnouncementsPerClient = 16
    /// Principals that the owner has decided on.
    package var maxPrincipals = 1_000
    /// The sets of songs that clients with limited libraries see, in bytes.
    package var maxScopeBytes = 32 * 1024 * 1024
    /// Connections whose encryption is being agreed on, in total and from one address (for IPv6, one /64).
    package var maxHandshakes = 256
    package var maxHandshakesPerAddress = 32
    /// How long that may take.
    package var handshakeTimeout: Duration = .seconds(10)

    package init() {}
}
