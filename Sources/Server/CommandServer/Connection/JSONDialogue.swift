internal import Authorization
internal import JSONRPC
internal import LineProtocol
internal import NIOCore
internal import Records
internal import ServerRequests
internal import TextEncodings

/// JSON-RPC 2.0, a message in a line: the commands of the table, with results in the shapes of segue-json(7).
final class JSONDialogue: Dialogue {
    private let client: Client
    private let owner: ConnectionOwner
    private var input: LineBuffer
    /// Whether a message without a response is answered by an empty line, as by HTTP.
    private let answersAll: Bool
    /// Bytes of the message that is being carried out.
    private var messageBytes = 0
    /// Whether all methods were described in response to a part of it.
    private var hasDescribed = false
    /// The calls of the message that is being carried out.
    private var calls: [RPCRequest] = []
    private var place = 0
    private var isBatch = false
    /// How many calls of a batch have been answered.
    private var responses = 0
    private(set) var request: ParsedLine?
    var hasRequest: Bool { request != nil }
    /// The command of the current call.
    private var command = ""
    private var encoder = ReplyEncoder(nil)
    /// Whether the response to the call has begun.
    private var hasBegun = false
    /// The place in the reply from where on it is what the command has written, and not JSON.
    private var mark = 0

    init(
        _ client: Client,
        _ owner: ConnectionOwner,
        after input: ByteBuffer = ByteBuffer(),
        answersAll: Bool = false
    ) {
        (self.client, self.owner, self.input) = (client, owner, LineBuffer(input))
        self.answersAll = answersAll
    }

    var size: Int { input.size + messageBytes }
    /// Those of messages behind the one that is being carried out.
    var waitingBytes: Int { input.size }
    var isInList: Bool { false }
    /// Shorter than a line's, because making JSON takes longer.
    let pieceSize = 16 * 1024
    let stepsPerLook = 1

    func append(_ bytes: ByteBuffer) { input.append(bytes) }

    func takeInput() -> ByteBuffer { input.takeAll() }

    func removeAll() {
        (calls, request, place, messageBytes) = ([], nil, 0, 0)
        input = LineBuffer()
    }

    func upcoming(_ commands: Set<String>) -> [String] { [] }

    func requestWaits() { request = nil }

    // MARK: Requests

    func read(_ limits: RequestLimits, isIdle: Bool, _ reply: inout Reply) -> DialogueEvent? {
        if place < calls.count {
            prepare(&reply)
            return request == nil ? .read : .request
        }
        let limit = limits.line
        guard let line = input.readLine() else {
            return input.size > limit.value ? .exceeded(what: "Line", limit) : nil
        }
        guard line.count <= limit.value else { return .exceeded(what: "Line", limit) }
        do throws(RPCError) {
            switch try RPCMessage(parsing: line, mostCalls: min(Self.mostCalls, limits.listLength.value)) {
            case .call(let call): (calls, isBatch) = ([call], false)
            case .batch(let batch): (calls, isBatch) = (batch, true)
            }
            (place, responses, messageBytes, hasDescribed) = (0, 0, line.count, false)
        } catch {
            reply.bytes.append(responseTo: .null, error)
            reply.bytes.append(0x0a)
        }
        return .read
    }

    /// Calls of one batch.
    private static let mostCalls = 1_000

    /// Makes the next call the current request, or answers it, if it names no command.
    private func prepare(_ reply: inout Reply) {
        do throws(RPCError) {
            let call = try calls[place].call.get()
            if call.method == "rpc.describe" || call.method == "rpc.discover" {
                let description = try describe(call.arguments)
                return answer(&reply) { $0 += description }
            }
            begin(call, of: try method(call.method), at: reply.bytes.count)
        } catch {
            answer(error, &reply)
        }
    }

    private func method(_ name: String) throws(RPCError) -> Method {
        guard let method = owner.table.method(name) else {
            throw RPCError(.noMethod, "there is no method \"\(name)\"", data: data(.unknownCommand, ""))
        }
        return method
    }

    /// Describes all methods, or the one of the argument `method`.
    private func describe(_ arguments: RPCCall.Arguments) throws(RPCError) -> [UInt8] {
        let names: [String]
        do throws(AckError) {
            let form = RequestForm(nil, [.optional("method")])
            names =
                switch arguments {
                case .named(let fields): try form.words(of: fields)
                case .inOrder(let values): try form.words(inOrder: values)
                }
        } catch {
            throw RPCError(error, data: data(error.code, ""))
        }
        if let name = names.first { return owner.description(of: [try method(name)]) }
        // It is long, and anybody may ask for it.
        guard !hasDescribed, !client.rights.isRestricted else {
            let error = AckError(
                .permission,
                "all methods are described once in a batch, and to none that is restricted"
            )
            throw RPCError(error, data: data(error.code, ""))
        }
        hasDescribed = true
        return owner.methodDescription
    }

    private func begin(_ call: RPCCall, of method: Method, at mark: Int) {
        (command, hasBegun, self.mark) = (method.command.name, false, mark)
        do throws(AckError) {
            let arguments = try method.words(call.arguments)
            request = .success(RequestLine(command: command, arguments: arguments))
            encoder = ReplyEncoder(method.command.reply.shape(arguments))
        } catch {
            request = .failure(BadLine(error: refusal(of: method) ?? error, isNoRequest: false))
        }
    }

    /// The reason why the client may not call a method, whatever the arguments; `nil` if it may.
    private func refusal(of method: Method) -> AckError? {
        do throws(AckError) {
            let words = method.form?.verbWords ?? []
            try client.require(method.command, with: words, client.rights, in: owner.common.rooms)
            return nil
        } catch {
            return error
        }
    }

    // MARK: Responses

    func requestEnded(_ reply: inout Reply) {
        encode(&reply)
        if let id = calls[place].id {
            if !hasBegun { begin(id, &reply) }
            encoder.end(&reply.bytes)
            reply.bytes.append(UInt8(ascii: "}"))
        }
        callEnded(&reply)
    }

    /// The request has been carried out, with a result that is not made of lines.
    func requestEnded(with result: [UInt8], _ reply: inout Reply) { answer(&reply) { $0 += result } }

    /// Whether the client has nothing of a line but its end: a message of the server may come.
    var isBetweenLines: Bool { calls.isEmpty || !hasBegun && responses == 0 }

    func requestCloses(_ reply: inout Reply) {
        removeLaterCalls()
        requestEnded(&reply)
    }

    func requestFailed(_ error: AckError, _: String, isLast: Bool, _ reply: inout Reply) -> Bool {
        guard !hasBegun else { return false }
        if isLast { removeLaterCalls() }
        reply.bytes.removeSubrange(mark...)
        answer(RPCError(error, data: data(error.code, command)), &reply)
        return true
    }

    private func removeLaterCalls() { calls.removeSubrange((place + 1)...) }

    func refuse(_ error: AckError, _ reply: inout Reply) {
        reply.bytes.append(responseTo: .null, RPCError(.noRequest, error.text))
        reply.bytes.append(0x0a)
    }

    func willSend(_ reply: inout Reply) {
        if request != nil { encode(&reply) }
        mark = 0
    }

    /// Replaces the lines that the command has written by JSON, as far as records are complete.
    private func encode(_ reply: inout Reply) {
        var json: [UInt8] = []
        encoder.encode(reply.bytes[mark...], into: &json)
        reply.bytes.removeSubrange(mark...)
        defer { mark = reply.bytes.count }
        guard let id = calls[place].id, !json.isEmpty else { return }
        if !hasBegun { begin(id, &reply) }
        reply.bytes += json
    }

    private func begin(_ id: JSON, _ reply: inout Reply) {
        hasBegun = true
        separate(&reply)
        reply.bytes.append(responseTo: id)
    }

    /// Answers the current call.
    private func answer(_ reply: inout Reply, _ write: (inout [UInt8]) -> Void) {
        if let id = calls[place].id {
            begin(id, &reply)
            write(&reply.bytes)
            reply.bytes.append(UInt8(ascii: "}"))
        }
        callEnded(&reply)
    }

    private func answer(_ error: RPCError, _ reply: inout Reply) {
        if let id = calls[place].id {
            separate(&reply)
            reply.bytes.append(responseTo: id, error)
        }
        callEnded(&reply)
    }

    private func separate(_ reply: inout Reply) {
        if isBatch { reply.bytes.append(UInt8(ascii: responses == 0 ? "[" : ",")) }
        responses += 1
    }

    /// Goes on behind the current call.
    private func callEnded(_ reply: inout Reply) {
        request = nil
        place += 1
        guard place == calls.count else { return }
        if isBatch, responses > 0 { reply.bytes.append(UInt8(ascii: "]")) }
        // Notifications have no response.
        if responses > 0 || answersAll { reply.bytes.append(0x0a) }
        (calls, place, messageBytes) = ([], 0, 0)
    }

    private func data(_ code: AckCode, _ command: String) -> JSON {
        .object([
            .init("ack", .integer(code.rawValue)), .init("command", .string(command)), .init("index", .integer(place)),
        ])
    }
}

extension RPCError {
    fileprivate init(_ error: AckError, data: JSON) {
        let code: Code =
            switch error.code {
            case .badArgument: .badArguments
            default: .failed
            }
        self.init(code, error.text, data: data)
    }
}
