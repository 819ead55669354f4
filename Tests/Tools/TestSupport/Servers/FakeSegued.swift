private import Foundation
private import Glibc

/// A server that gives the answers it was told to, and remembers what it was asked.
///
/// It frames and waits as the protocol says: what changes while a client does not wait is kept for it, and the names
/// beyond MPD's go to those only that ask for them.
package final class FakeSegued: Sendable {
    package indirect enum Answer: Sendable {
        case lines([String])
        case refusal(code: Int, String)
        /// The connection ends.
        case end
        /// Nothing is ever said.
        case silence
        /// The answer of a busy server.
        case late(seconds: Double, Answer)

        fileprivate var isAccepted: Bool {
            switch self {
            case .lines: true
            case .late(_, let answer): answer.isAccepted
            case .refusal, .end, .silence: false
            }
        }
    }

    package struct State: Sendable {
        package internal(set) var requests: [String] = []
        fileprivate var answers: [String: Answer] = [:]
        fileprivate var clients: [Int32: Client] = [:]
        /// How many clients wait in `idle`.
        package var idleCount: Int { clients.values.count { $0.awaited != nil } }
        package var clientCount: Int { clients.count }
    }

    fileprivate struct Client: Sendable {
        var awaited: Set<String>?
        var changed: Set<String> = []
        var list = List.none
    }

    /// A list of commands, each of which has a reply of its own.
    fileprivate enum List: Sendable {
        case none, underWay
        /// A command was refused, which was the reply to all of the list.
        case refused
    }

    package let folder: TemporaryFolder
    package let state = Watched(State())
    private let listener: Int32
    package var path: String { folder.file("socket") }

    /// - Parameter answers: By the beginning of the request; the longest that fits counts. What is not here is unknown.
    package init(_ answers: [String: Answer] = [:]) throws {
        folder = try TemporaryFolder()
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let name = Array(folder.file("socket").utf8)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
        let listener = listener
        let code = unsafe withUnsafeBytes(of: &address) { bytes in
            unsafe bind(listener, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard code == 0, listen(listener, 8) == 0 else { throw ChildProcessError.cannotStart("a fake server", errno) }
        state.withLock { $0.answers = answers }
        let state = state
        Thread.detachNewThread {
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0 else { break }
                state.withLock { $0.clients[client] = Client() }
                Thread.detachNewThread { Self.serve(client, state) }
            }
            close(listener)
        }
    }

    /// Ends the thread, which closes it.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    // MARK: What tests do

    package func answer(_ request: String, _ answer: Answer) { state.withLock { $0.answers[request] = answer } }

    /// Tells clients that idle that something has changed.
    package func change(_ subsystem: String) {
        state.withLock { state in
            for client in state.clients.keys {
                state.clients[client]?.changed.insert(subsystem)
                Self.tell(client, &state)
            }
        }
    }

    /// Ends all connections.
    package func drop() {
        state.withLock { state in for client in state.clients.keys { shutdown(client, Int32(SHUT_RDWR)) } }
    }

    package func wait(_ what: String, until condition: @escaping @Sendable (borrowing State) -> Bool) async throws {
        guard await state.wait(within: .patience, until: condition) else {
            throw ChildProcessError.deadline(what, output: "\(state.current.requests)")
        }
    }

    /// Waits for a request that begins like this.
    package func waitForRequest(_ request: String) async throws {
        try await wait(request) { $0.requests.contains { $0.hasPrefix(request) } }
    }

    // MARK: Serving

    private static func serve(_ client: Int32, _ state: Watched<State>) {
        send("OK MPD 0.24.0\n", to: client)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        var bytes: [UInt8] = []
        while true {
            let count = unsafe recv(client, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            bytes += buffer[..<count]
            while let end = bytes.firstIndex(of: 0x0a) {
                let line = words(String(decoding: bytes[..<end], as: UTF8.self)).joined(separator: " ")
                bytes.removeFirst(end + 1)
                state.withLock { handle(line, client, &$0) }
            }
        }
        state.withLock { $0.clients[client] = nil }
        close(client)
    }

    private static func handle(_ line: String, _ client: Int32, _ state: inout State) {
        state.requests.append(line)
        if line == "noidle" {
            guard state.clients[client]?.awaited != nil else { return }
            state.clients[client]?.awaited = nil
            return send("OK\n", to: client)
        }
        if line == "idle" || line.hasPrefix("idle ") {
            state.clients[client]?.awaited = Set(line.split(separator: " ").dropFirst().map(String.init))
            return tell(client, &state)
        }
        let list = state.clients[client]?.list ?? .none
        if line == "command_list_ok_begin" {
            state.clients[client]?.list = .underWay
            return
        }
        if line == "command_list_end" {
            state.clients[client]?.list = .none
            return list == .underWay ? send("OK\n", to: client) : ()
        }
        if list == .refused { return }
        let fitting = state.answers.keys.filter { line == $0 || line.hasPrefix($0 + " ") }
        let word = String(line.prefix { $0 != " " })
        let found = fitting.max(by: { $0.count < $1.count }).flatMap { state.answers[$0] }
        if list == .underWay, !(found?.isAccepted ?? false) { state.clients[client]?.list = .refused }
        answer(word, found, list == .none ? "OK\n" : "list_OK\n", to: client)
    }

    /// - Parameter end: Ends a reply that is no refusal.
    private static func answer(_ word: String, _ answer: Answer?, _ end: String, to client: Int32) {
        switch answer {
        case .lines(let lines): send(lines.map { $0 + "\n" }.joined() + end, to: client)
        case .refusal(let code, let text): send("ACK [\(code)@0] {\(word)} \(text)\n", to: client)
        case .silence: break
        case .end: shutdown(client, Int32(SHUT_RDWR))
        case .late(let seconds, let answer):
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: seconds)
                Self.answer(word, answer, end, to: client)
            }
        case nil: send("ACK [5@0] {} unknown command \"\(word)\"\n", to: client)
        }
    }

    private static func tell(_ client: Int32, _ state: inout State) {
        guard let waiting = state.clients[client], let awaited = waiting.awaited else { return }
        let told = awaited.isEmpty ? [] : waiting.changed.intersection(awaited)
        guard !told.isEmpty else { return }
        state.clients[client]?.changed.subtract(told)
        state.clients[client]?.awaited = nil
        send(told.sorted().map { "changed: \($0)\n" }.joined() + "OK\n", to: client)
    }

    private static func send(_ text: String, to client: Int32) {
        let bytes = Array(text.utf8)
        _ = unsafe Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// The words of a request, without their quotes.
    private static func words(_ line: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        var isEscaped = false
        for character in line {
            if isEscaped {
                word?.append(character)
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
                word = word ?? ""
            } else if character == " ", !isQuoted {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
