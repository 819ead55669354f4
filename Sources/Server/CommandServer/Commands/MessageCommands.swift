internal import LineProtocol
internal import ServerBasics
internal import Settings
internal import Zones

/// Messages between clients (the manual's section "Client to client").
let messageCommands: [Command] = [
    .plain("subscribe", .read, library: .nothing, .channel()) { client, name in
        try client.subscriptions.subscribe(to: name, client.server.limits)
        client.server.note(.subscription, in: client.zone)
    },
    .plain("unsubscribe", .read, library: .nothing, .channel()) { client, name in
        try client.subscriptions.unsubscribe(from: name)
        client.server.note(.subscription, in: client.zone)
    },
    .plain("channels", .read, library: .nothing) { client in
        let neighbours = client.server.clients.in(client.zone)
        for name in Set(neighbours.flatMap(\.subscriptions.channels)).sorted() { client.reply.line("channel", name) }
    },
    .plain("readmessages", .read, library: .nothing) { client in
        for (channel, text) in client.subscriptions.takeMessages() {
            client.reply.line("channel", channel)
            client.reply.line("message", text)
        }
    },
    .plain("sendmessage", .control, library: .nothing, .channel(), .text("TEXT")) { client, name, text in
        let receivers = client.server.clients.in(client.zone).filter { $0.subscriptions.channels.contains(name) }
        // MPD's own text.
        guard !receivers.isEmpty else { throw AckError(.doesNotExist, "nobody is subscribed to this channel") }
        var isReceived = false
        for receiver in receivers where receiver.subscriptions.receive(text, on: name, client.server.limits) {
            receiver.note(.message)
            isReceived = true
        }
        guard isReceived else { throw AckError(.doesNotExist, "all subscribers have too many unread messages") }
    },
]

extension Argument<String> {
    /// A channel's name: letters, digits, `_`, `-`, `.` and `:`.
    fileprivate static func channel() -> Self {
        .required("NAME") { word throws(AckError) in
            let isValid = word.utf8.allSatisfy { byte in
                (0x30...0x3a).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f || byte == 0x2d
                    || byte == 0x2e
            }
            guard isValid, (1...255).contains(word.utf8.count) else {
                throw AckError(.badArgument, "invalid channel name")
            }
            return word
        }
    }
}
