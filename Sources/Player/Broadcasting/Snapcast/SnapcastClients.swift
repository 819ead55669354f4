internal import TextEncodings

/// The clients of a Snapcast server, as its JSON-RPC tells of them.
///
/// A pure value.
struct SnapcastClients: Sendable, Hashable {
    struct Client: Sendable, Hashable {
        var id: String
        var name: String
        /// In percent.
        var volume: Int
        var isMuted: Bool
        var isConnected: Bool
    }

    private(set) var clients: [Client] = []

    /// How many clients are known at most.
    private static let most = 256
    private static let prefix = "volume:"

    /// Handles a response or a notification.
    ///
    /// - Returns: Whether the clients have to be asked for again.
    mutating func handle(_ message: JSON) -> Bool {
        let server = message["result"]?["server"] ?? message["params"]?["server"]
        if let groups = server?["groups"] {
            clients = Array(
                groups.elements.flatMap { $0["clients"]?.elements ?? [] }.compactMap(Client.init).prefix(Self.most)
            )
            return false
        }
        guard let method = message["method"]?.string else { return false }
        guard method == "Client.OnVolumeChanged" else {
            return method.hasPrefix("Client.") || method.hasPrefix("Group.")
        }
        let id = message["params"]?["id"]?.string
        guard let index = clients.firstIndex(where: { $0.id == id }), let volume = message["params"]?["volume"] else {
            return true
        }
        clients[index].update(volume)
        return false
    }

    /// A volume for each client, by its name; by its number where others have the same name.
    var attributes: [String: String] {
        var result: [String: String] = [:]
        for client in clients { result[Self.prefix + title(of: client)] = "\(client.isMuted ? 0 : client.volume)" }
        return result
    }

    func client(ofAttribute name: String) -> Client? { clients.first { Self.prefix + title(of: $0) == name } }

    private func title(of client: Client) -> String {
        let name = client.name.onOneLine.filter { $0 != "=" }
        let isUnique = !name.isEmpty && clients.count { $0.name == client.name } == 1
        return isUnique ? name : client.id.onOneLine.filter { $0 != "=" }
    }

    static let question = #"{"id":1,"jsonrpc":"2.0","method":"Server.GetStatus"}"# + "\r\n"

    static func order(volume: Int, of client: Client) -> String {
        #"{"id":2,"jsonrpc":"2.0","method":"Client.SetVolume","params":{"id":\#(client.id.jsonString),"#
            + #""volume":{"muted":false,"percent":\#(volume)}}}"# + "\r\n"
    }
}

extension SnapcastClients.Client {
    init?(_ value: JSON) {
        guard let id = value["id"]?.string, id.utf8.count <= 256, let config = value["config"] else { return nil }
        let given = config["name"]?.string ?? ""
        let name = given.isEmpty ? value["host"]?["name"]?.string ?? "" : given
        self.init(
            id: id,
            name: name.utf8.count <= 256 ? name : "",
            volume: 100,
            isMuted: false,
            isConnected: value["connected"] == .bool(true)
        )
        if let volume = config["volume"] { update(volume) }
    }

    fileprivate mutating func update(_ value: JSON) {
        if let percent = value["percent"]?.number { volume = Int(saturating: percent.clamped(to: 0...100)) }
        isMuted = value["muted"] == .bool(true)
    }
}
