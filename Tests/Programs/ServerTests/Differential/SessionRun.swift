import Foundation
import TestSupport

/// A session being carried out with one server.
struct SessionRun {
    /// What was said and what came back, with ids and versions as `$1` and `@1`.
    struct Exchange: Sendable {
        let line: String
        let reply: [String]
    }

    private let server: any TestServer
    private var clients: [String: LineClient] = [:]
    private var ids: [String] = []
    private var versions: [String] = []
    private var exchanges: [Exchange] = []

    static func exchanges(of session: Session, with server: any TestServer) throws -> [Exchange] {
        var run = SessionRun(server)
        for line in session.lines { try run.carryOut(line) }
        return run.exchanges
    }

    private init(_ server: any TestServer) { self.server = server }

    private mutating func client(_ name: String) throws -> LineClient {
        if let client = clients[name] { return client }
        let client = try server.connect()
        // Where mpd says nothing, neither does Segue.
        client.limitWaits(to: .seconds(30))
        clients[name] = client
        return client
    }

    private mutating func carryOut(_ line: String) throws {
        if let match = line.wholeMatch(of: /wait (\w+) (.+)/) {
            try client("").wait(String(match.1), String(match.2))
        } else if let match = line.wholeMatch(of: /(ok)?list:(.*)/) {
            try carryOutList(String(match.2), tellsEach: match.1 != nil, line)
        } else if let match = line.wholeMatch(of: /raw(\d*): (.*)/) {
            try client(String(match.1)).send(unescaped(String(match.2)))
        } else if let match = line.wholeMatch(of: /(\d*)end/) {
            note(line, [try client(String(match.1)).line()])
            clients[String(match.1)] = nil
        } else if let match = line.wholeMatch(of: /(\d*)>(.*)/) {
            try client(String(match.1)).send(substituted(String(match.2.drop { $0 == " " })) + "\n")
        } else if let match = line.wholeMatch(of: /(\d*)</) {
            note(line, try client(String(match.1)).reply())
        } else if let match = line.wholeMatch(of: /(\d+): (.*)/) {
            note(line, try client(String(match.1)).ask(substituted(String(match.2))))
        } else {
            note(line, try client("").ask(substituted(line)))
        }
    }

    private mutating func carryOutList(_ commands: String, tellsEach: Bool, _ line: String) throws {
        let lines = commands.split(separator: "|").map { substituted($0.trimmingCharacters(in: .whitespaces)) }
        let all = [tellsEach ? "command_list_ok_begin" : "command_list_begin"] + lines + ["command_list_end"]
        note(line, try client("").ask(all.joined(separator: "\n")))
    }

    // MARK: Ids and versions

    private func substituted(_ line: String) -> String {
        let line = line.replacing(/\$(\d+)/) { match in
            Int(match.1).flatMap { ids.indices.contains($0 - 1) ? ids[$0 - 1] : nil } ?? "88888"
        }
        return line.replacing(/@(\d+)/) { match in
            Int(match.1).flatMap { versions.indices.contains($0 - 1) ? versions[$0 - 1] : nil } ?? "0"
        }
    }

    private mutating func note(_ line: String, _ reply: [String]) {
        for text in reply {
            if let match = text.wholeMatch(of: /Id: (\d+)/), !ids.contains(String(match.1)) {
                ids.append(String(match.1))
            }
            if let match = text.wholeMatch(of: /playlist: (\d+)/), !versions.contains(String(match.1)) {
                versions.append(String(match.1))
            }
        }
        exchanges.append(Exchange(line: line, reply: reply.map(named)))
    }

    /// A line with an id or a version under the name it has in both servers.
    private func named(_ text: String) -> String {
        if let match = text.wholeMatch(of: /(Id|songid|nextsongid): (\d+)/) {
            return "\(match.1): $\((ids.firstIndex(of: String(match.2)) ?? -1) + 1)"
        }
        if let match = text.wholeMatch(of: /playlist: (\d+)/) {
            return "playlist: @\((versions.firstIndex(of: String(match.1)) ?? -1) + 1)"
        }
        return text
    }
}

/// The bytes that a line with escapes means.
private func unescaped(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
            bytes.append(byte)
            continue
        }
        switch kind {
        case UInt8(ascii: "n"): bytes.append(0x0a)
        case UInt8(ascii: "r"): bytes.append(0x0d)
        case UInt8(ascii: "t"): bytes.append(0x09)
        case UInt8(ascii: "x"):
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        default: bytes += [byte, kind]
        }
    }
    return bytes
}
