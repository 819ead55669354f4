/// An audio session in the reply to segued's `session list`.
package struct SessionBlock: Sendable, Hashable {
    package let reply: ServerReply
    package var id: Int
    package var name: String
    /// `zone`, `announcement`, `client`, `foreign` or `system`.
    package var kind: String
    package var owner: String?
    package var zone: String?
    /// Where it is heard, in the server's words: `sink:SERVER/NAME`, or `zone:NAME` for a zone without a sink.
    package var places: [String]
    package var category: String?
    package var mode: String?
    package var options: [String]
    package var policy: String?
    /// `normal`, `assistant`, `alarm` or `call`.
    package var priorityClass: String
    /// `inactive`, `active` or `interrupted`.
    package var state: String
    package var isPlaying: Bool
    package var isDucked: Bool
    /// By the silence switch or the lock.
    package var isMuted: Bool
    /// The sum of ducks and fades now, in dB.
    package var gain: Double
    package var isInBackground: Bool
    /// The sessions that interrupt this one.
    package var interrupters: [Int]

    /// `nil` when the block is not a session.
    package init?(_ block: ServerReply) {
        guard let first = block.pairs.first, first.key == "session", let id = Int(first.value) else { return nil }
        func text(_ key: String) -> String? { block[key].flatMap { $0.isEmpty ? nil : $0 } }
        reply = block
        self.id = id
        name = block["name"] ?? ""
        kind = block["kind"] ?? ""
        owner = text("owner")
        zone = text("zone")
        category = text("category")
        mode = text("mode")
        options = text("options")?.split(separator: ",").map(String.init) ?? []
        policy = text("policy")
        priorityClass = text("class") ?? "normal"
        state = text("state") ?? "inactive"
        isPlaying = block["playing"] == "1"
        isDucked = block["ducked"] == "1"
        isMuted = block["muted"] == "1"
        gain = block["gain"].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil } ?? 0
        isInBackground = block["background"] == "1"
        places = block.values("place")
        interrupters = block.values("interruptedby").compactMap { Int($0) }
    }
}

extension ServerReply {
    /// The audio sessions in this reply.
    package var sessions: [SessionBlock] { groups(startingWith: "session").compactMap(SessionBlock.init) }
}

extension SessionBlock {
    /// The names of the sinks where it is heard.
    package var sinks: [String] {
        places.compactMap { place in
            guard place.hasPrefix("sink:"), let name = place.split(separator: "/").last else { return nil }
            return String(name)
        }
    }
}
