internal import Configuration
internal import LineProtocol
internal import Zones

/// Messages between clients (the manual's section "Client to client").
let messageCommands: [Command] = [
    .plain("subscribe", .read, .channel()) { client, name in
        guard !client.channels.contains(name) else {
            throw AckError(.alreadyExists, "already subscribed to this channel")
        }
        guard client.channels.count < client.server.limits.maxSubscriptions else {
            throw AckError(.alreadyExists, "subscription list is full")
        }
        client.channels.insert(name)
        client.server.note(.subscription, in: client.zone)
    },
    .plain("unsubscribe", .read, .channel()) { client, name in
        guard client.channels.remove(name) != nil else {
            throw AckError(.doesNotExist, "not subscribed to this channel")
        }
        client.server.note(.subscription, in: client.zone)
    },
    .plain("channels", .read) { client in
        let neighbours = client.server.clients.values.filter { $0.zone === client.zone }
        for name in Set(neighbours.flatMap(\.channels)).sorted() { client.reply.line("channel", name) }
    },
    .plain("readmessages", .read) { client in
        for (channel, text) in client.messages {
            client.reply.line("channel", channel)
            client.reply.line("message", text)
        }
        client.messages = []
    },
    .plain("sendmessage", .control, .channel(), .text("TEXT")) { client, name, text in
        var isHeard = false
        let neighbours = client.server.clients.values.filter { $0.zone === client.zone }
        for receiver in neighbours where receiver.channels.contains(name) {
            isHeard = true
            guard receiver.messages.count < client.server.limits.maxMessages else { continue }
            receiver.messages.append((channel: name, text: text))
            receiver.note(.message)
        }
        guard isHeard else { throw AckError(.doesNotExist, "nobody is subscribed to this channel") }
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
            guard isValid, !word.isEmpty else { throw AckError(.badArgument, "invalid channel name") }
            return word
        }
    }
}
