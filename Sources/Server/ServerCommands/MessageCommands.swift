internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import Settings
internal import Zones

/// Messages between clients (the manual's section "Client to client").
let messageCommands: [Row<ConnectionServices>] = [
    .plain("subscribe", .read, library: .nothing, .channel()) { request, name in
        try request.client.subscriptions.subscribe(to: name, request.limits)
        request.notify(.subscription, in: request.zone)
    },
    .plain("unsubscribe", .read, library: .nothing, .channel()) { request, name in
        try request.client.subscriptions.unsubscribe(from: name)
        request.notify(.subscription, in: request.zone)
    },
    .plain("channels", .read, library: .nothing, reply: .records(.channels)) { request in
        let neighbours = request.services.connections.in(request.zone)
        for name in Set(neighbours.flatMap(\.client.subscriptions.channels)).sorted() {
            request.reply.line("channel", name)
        }
    },
    .plain("readmessages", .read, library: .nothing, reply: .records(.messages)) { request in
        for (channel, text) in request.client.subscriptions.takeMessages() {
            request.reply.line("channel", channel)
            request.reply.line("message", text)
        }
    },
    .plain("sendmessage", .control, library: .nothing, .channel(), .text("TEXT")) { request, name, text in
        let receivers = request.services.connections.in(request.zone).filter {
            $0.client.subscriptions.channels.contains(name)
        }
        // MPD's own text.
        guard !receivers.isEmpty else { throw AckError(.doesNotExist, "nobody is subscribed to this channel") }
        var isReceived = false
        for receiver in receivers where receiver.client.subscriptions.receive(text, on: name, request.limits) {
            receiver.notify(.message)
            isReceived = true
        }
        guard isReceived else { throw AckError(.doesNotExist, "all subscribers have too many unread messages") }
    }
    .forGuests { _ in .other },
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
