import TestSupport
import TextEncodings

/// Messages of JSON-RPC, in lines or in a WebSocket.
protocol MessageChannel {
    var lines: LineClient { get }

    func sendMessage(_ text: String)

    /// - Throws: The connection has ended.
    func nextMessage() throws -> JSON
}

/// A client that watches, and keeps the values that it was sent.
final class Watcher {
    let client: any MessageChannel
    /// By topic and zone, such as `player default`; a queue is its ids.
    private(set) var values: [String: JSON] = [:]
    /// Its notifications, in their order, by topic and zone.
    private(set) var told: [(name: String, value: JSON)] = []
    private(set) var version = 0
    /// The server's time when it began to watch.
    private(set) var time: JSON?
    private var queueVersions: [String: JSON] = [:]

    /// - Parameter params: Of `watch`.
    init(_ client: some MessageChannel, _ params: String = "{}") throws {
        self.client = client
        try watch(params)
    }

    func watch(_ params: String) throws {
        let text = #"{"jsonrpc":"2.0","id":"watch","method":"watch","params":\#(params)}"#
        client.sendMessage(text)
        let snapshot = try result(of: "watch")
        version = try integer(snapshot["version"])
        time = snapshot["at"]
        (values, told, queueVersions) = ([:], [], [:])
        for one in snapshot["values"]?.elements ?? [] { try learn(one) }
    }

    /// Takes in all that was sent, up to the answer to a request.
    func catchUp() throws { try call("ping") }

    @discardableResult
    func call(_ method: String, _ params: String = "[]") throws -> JSON {
        client.sendMessage(#"{"jsonrpc":"2.0","id":"call","method":"\#(method)","params":\#(params)}"#)
        return try result(of: "call")
    }

    /// Catches up until something holds.
    func wait(for what: String = "a notification", until isSo: () -> Bool) throws {
        try TestSupport.wait(for: what) {
            try catchUp()
            return isSo()
        }
    }

    private func result(of id: String) throws -> JSON {
        while true {
            let message = try client.nextMessage()
            if message["id"] == .string(id) {
                guard let result = message["result"] else { throw ClientError(description: message.text) }
                return result
            }
            guard message["method"] == .string("changed"), let change = message["params"] else {
                throw ClientError(description: "neither notification nor response: \(message.text.prefix(300))")
            }
            let number = try integer(change["version"])
            guard number > version else { throw ClientError(description: "\(number) after version \(version)") }
            version = number
            told.append((Self.name(of: change), change["value"] ?? .null))
            try learn(change)
        }
    }

    private func integer(_ json: JSON?) throws -> Int {
        guard case .integer(let number)? = json else { throw ClientError(description: "no version") }
        return number
    }

    private static func name(of change: JSON) -> String {
        [change["topic"]?.string, change["zone"]?.string].compactMap(\.self).joined(separator: " ")
    }

    private func learn(_ change: JSON) throws {
        let (name, value) = (Self.name(of: change), change["value"] ?? .null)
        guard name.hasPrefix("queue"), value != .null else {
            values[name] = value
            return
        }
        defer { queueVersions[name] = value["queue_version"] }
        guard let former = value["after"] else {
            values[name] = value["ids"]
            return
        }
        guard former == queueVersions[name] else {
            throw ClientError(description: "edits of another version: \(value.text)")
        }
        var ids = values[name]?.elements ?? []
        if let edit = value["replace"] {
            let (position, count) = (try integer(edit["position"]) - 1, try integer(edit["count"]))
            ids.replaceSubrange(position..<(position + count), with: edit["ids"]?.elements ?? [])
        }
        if let edit = value["move"] {
            let (position, count) = (try integer(edit["position"]) - 1, try integer(edit["count"]))
            let moved = Array(ids[position..<(position + count)])
            ids.removeSubrange(position..<(position + count))
            ids.insert(contentsOf: moved, at: try integer(edit["to"]) - 1)
        }
        values[name] = .array(ids)
    }

    /// The values that differ from those of a client that has just begun to watch; none where it has the same.
    func differences(from new: Watcher) -> [String] {
        let (ours, theirs) = (steady, new.steady)
        let different = theirs.filter { ours[$0.key] != $0.value }.map {
            "\($0.key): \(ours[$0.key] ?? "nothing") is not \($0.value)"
        }
        // Of zones that are gone, nothing but that is known.
        return different + ours.filter { theirs[$0.key] == nil && $0.value != "null" }.map { "\($0.key): not gone" }
    }

    /// Without what goes on by itself, for comparisons.
    private var steady: [String: String] {
        values.mapValues { value in
            JSON.object(value.fields.filter { !["progress", "at"].contains($0.name) }).fields.isEmpty
                ? value.text : JSON.object(value.fields.filter { !["progress", "at"].contains($0.name) }).text
        }
    }
}

extension JSONClient: MessageChannel {
    func sendMessage(_ text: String) { lines.send(text + "\n") }

    func nextMessage() throws -> JSON { response() }
}

extension WebClient: MessageChannel {
    func nextMessage() throws -> JSON { try message().json }
}

extension MessageChannel {
    func watch(_ params: String = "{}") throws -> Watcher { try Watcher(self, params) }
}
