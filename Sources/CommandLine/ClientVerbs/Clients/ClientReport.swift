import CivilTime
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// All of one client, in the words of the protocol.
struct ClientDetails: Report {
    private let pairs: PairReport
    private let client: ClientReport

    init(_ reply: ServerReply) { (pairs, client) = (PairReport(pairs: reply.pairs), ClientReport(reply)) }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] { pairs.lines(width: width, isUnicode: isUnicode) }
    var plainLines: [String] { pairs.plainLines }
    var json: [JSON] { client.json }
}

/// The server's clients: who, what they may do, and their connections.
struct ClientReport: Report {
    private var clients: [ServerReply]

    init(_ reply: ServerReply) { clients = reply.groups(startingWith: "client") }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(style: .strong), .init(), .init(isFlexible: true), .init(style: .faint, isFlexible: true),
        ])
        for client in clients {
            let status = client["status"] ?? ""
            let connections = Self.connections(client)
            let use = connections.isEmpty ? client["used"].flatMap { localTime($0, "%F %H:%M") } : nil
            table.add(
                [client["client"] ?? "", status, Self.grants(client), use.map { "last used \($0)" } ?? ""],
                status == "denied" || status == "notDetermined" ? .attention : nil
            )
            for one in connections { table.add(["", "", "", Self.text(one)]) }
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] {
        clients.map { client in
            [
                client["client"] ?? "", client["status"] ?? "", Self.grants(client),
                "\(Self.connections(client).count)", client["used"] ?? "",
            ].joined(separator: "\t")
        }
    }

    var json: [JSON] { clients.map { $0.record(.clients) } }

    private static func connections(_ client: ServerReply) -> [ServerReply] {
        client.groups(startingWith: "connection")
    }

    /// `read,add class alarm,no-call in kitchen until 2026-12-24 23:30`.
    private static func grants(_ client: ServerReply) -> String {
        var text = client["permissions"] ?? ""
        if let classes = client["classes"] { text += " class \(classes)" }
        let zones = client.values("allowed")
        if !zones.isEmpty { text += " in \(zones.joined(separator: " "))" }
        if let until = client["until"] {
            text += " until \(seconds(ofTimestamp: until).flatMap { localTime($0, "%F %H:%M") } ?? until)"
        }
        if let hours = client["hours"] { text += " at \(hours)" }
        if let hours = client["quiet-hours"] { text += " quiet at \(hours)" }
        for (key, name) in limits {
            let values = client.values(key)
            if !values.isEmpty { text += " \(name) \(values.joined(separator: " "))" }
        }
        return text
    }

    private static let limits = [
        ("songs", "songs"), ("songs-per-hour", "songs/h"), ("announcements-per-minute", "announcements/min"),
        ("megabytes-per-hour", "MB/h"), ("volume", "volume"), ("speed", "speed"), ("commands", ""),
    ]

    /// `ncmpcpp, unix, since 09:15:02, idle 3 s`.
    private static func text(_ connection: ServerReply) -> String {
        let program = connection["program"].map { "\($0) (\(connection["process"] ?? ""))" }
        let since = connection["since"].map { "since \(localTime($0).prefix { $0 != "." })" }
        return [program, connection["from"], since, connection["idle"].map { "idle \($0) s" }].compactMap(\.self)
            .joined(separator: ", ")
    }
}
