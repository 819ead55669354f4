import ServerRequests
import Settings
import Testing

/// Channels and messages of one client, within their limits.
@Suite struct SubscriptionsTests {
    private var limits: Limits {
        var limits = Limits()
        (limits.maxSubscriptions, limits.maxMessages, limits.maxMessagesBytes) = (2, 3, 20)
        return limits
    }

    @Test func channelsAreSubscribedToOnce() throws {
        var subscriptions = Subscriptions()
        try subscriptions.subscribe(to: "a", limits)
        #expect(throws: Subscriptions.Refusal.alreadySubscribed) { try subscriptions.subscribe(to: "a", limits) }
        try subscriptions.subscribe(to: "b", limits)
        #expect(throws: Subscriptions.Refusal.full) { try subscriptions.subscribe(to: "c", limits) }
        try subscriptions.unsubscribe(from: "a")
        #expect(throws: Subscriptions.Refusal.notSubscribed) { try subscriptions.unsubscribe(from: "a") }
        #expect(subscriptions.channels == ["b"])
    }

    @Test func messagesAreReadOnce() {
        var subscriptions = Subscriptions()
        #expect(subscriptions.receive("one", on: "a", limits) == true)
        #expect(subscriptions.receive("two", on: "b", limits) == true)
        let messages = subscriptions.takeMessages()
        #expect(messages.map(\.text) == ["one", "two"] && messages.map(\.channel) == ["a", "b"])
        #expect(subscriptions.takeMessages().isEmpty)
    }

    @Test func messagesHaveLimits() {
        var subscriptions = Subscriptions()
        for _ in 0..<3 { #expect(subscriptions.receive("x", on: "a", limits) == true) }
        #expect(subscriptions.receive("x", on: "a", limits) == false, "too many")
        _ = subscriptions.takeMessages()
        #expect(subscriptions.receive(String(repeating: "x", count: 20), on: "a", limits) == false, "too long")
        #expect(subscriptions.receive(String(repeating: "x", count: 19), on: "a", limits) == true)
        #expect(subscriptions.receive("", on: "a", limits) == false)
    }
}
