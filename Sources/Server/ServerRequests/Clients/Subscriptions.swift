internal import ServerRooms
package import Settings

/// The channels that a client listens to, and the messages that it has not read yet.
package struct Subscriptions {
    package enum Refusal: Error { case alreadySubscribed, full, notSubscribed }

    package private(set) var channels: Set<String> = []
    private var messages: [(channel: String, text: String)] = []
    /// Of the messages' texts and channels' names.
    private var bytes = 0

    /// How many messages wait to be read.
    package var unreadCount: Int { messages.count }

    package init() {}

    package mutating func subscribe(to channel: String, _ limits: Limits) throws(Refusal) {
        if channels.contains(channel) { throw .alreadySubscribed }
        if channels.count >= limits.maxSubscriptions { throw .full }
        channels.insert(channel)
    }

    package mutating func unsubscribe(from channel: String) throws(Refusal) {
        if channels.remove(channel) == nil { throw .notSubscribed }
    }

    /// Keeps a message until it is read; without room for it, it is lost.
    ///
    /// - Returns: Whether there was room.
    package mutating func receive(_ text: String, on channel: String, _ limits: Limits) -> Bool {
        let size = text.utf8.count + channel.utf8.count
        guard messages.count < limits.maxMessages, bytes + size <= limits.maxMessagesBytes else { return false }
        messages.append((channel: channel, text: text))
        bytes += size
        return true
    }

    package mutating func takeMessages() -> [(channel: String, text: String)] {
        defer { (messages, bytes) = ([], 0) }
        return messages
    }
}
