import TestSupport

/// A client that sends requests by chance, and looks at how each is answered.
struct FuzzClient {
    private let server: Segued
    private let address: SocketAddress
    private var connection: LineClient
    private var expected = 0
    /// The last requests, for a report.
    private(set) var history: [String] = []
    private(set) var answers = 0
    private(set) var refusals = 0
    private(set) var closures = 0

    init(_ server: Segued, at address: SocketAddress) throws {
        self.server = server
        self.address = address
        connection = try LineClient(address, of: server)
    }

    /// Sends up to 30 requests at once, some of them in a list.
    mutating func send(from grammar: CommandGrammar, _ generator: inout SplitMix) {
        var bytes: [UInt8] = []
        let isList = generator.isOne(in: 5)
        if isList { bytes += Array("command_list_begin\n".utf8) }
        let count = Int.random(in: 1...30, using: &generator)
        for _ in 0..<count {
            let line = grammar.request(&generator)
            // One in a list ends it, and waits.
            if isList, line.starts(with: "idle".utf8) { continue }
            history.append(String(decoding: line.prefix(300), as: UTF8.self))
            bytes += line
            bytes.append(0x0a)
            if line.starts(with: "idle".utf8) { bytes += Array("noidle\n".utf8) }
        }
        if isList { bytes += Array("command_list_end\n".utf8) }
        if history.count > 60 { history.removeFirst(history.count - 60) }
        expected = isList ? 1 : count
        connection.send(bytes)
        // Some leave before they are answered.
        if generator.isOne(in: 40) { expected = 0 }
    }

    /// Takes the answers.
    ///
    /// - Throws: `FuzzFinding` when something is wrong with them, `ClientError` when the server accepts no connection.
    mutating func check() throws {
        guard expected > 0 else { return try reconnect() }
        for index in 0..<expected {
            let reply = connection.reply()
            guard let last = reply.last, last != "<silence>" else {
                throw FuzzFinding("no answer in half a minute to \(request(index))")
            }
            guard last != "<closed>" else {
                closures += 1
                return try reconnect()
            }
            answers += 1
            if last != "OK" {
                refusals += 1
                guard let code = Int(last.dropFirst(5).prefix { $0.isNumber }), Self.codes.contains(code) else {
                    throw FuzzFinding("an error with an unknown code: \(last)")
                }
            }
            if let line = reply.dropLast().first(where: { !Self.isWellFormed($0) }) {
                throw FuzzFinding("no line of a reply: \(line)")
            }
        }
    }

    /// One of the requests that were sent last.
    private func request(_ index: Int) -> String {
        expected == 1 ? "a command list, or \(history.last ?? "")" : history[history.count - expected + index]
    }

    private mutating func reconnect() throws { connection = try LineClient(address, of: server) }

    /// Those that clients know.
    private static let codes: Set = [1, 2, 3, 4, 5, 50, 51, 52, 53, 54, 55, 56]

    private static func isWellFormed(_ line: String) -> Bool {
        line == "list_OK" || line.hasPrefix("<bytes ") || Array(line.utf8).contains(Array(": ".utf8))
    }
}

/// What is wrong with an answer.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
