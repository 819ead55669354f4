package import TextEncodings

/// A message of a client: a call, or a batch of them (JSON-RPC 2.0, sections 4 and 6).
package enum RPCMessage: Sendable, Hashable {
    case call(RPCRequest)
    case batch([RPCRequest])

    /// - Throws: `RPCError`: the message is no JSON, an empty batch, or a batch of more than `mostCalls`.
    package init(parsing bytes: [UInt8], mostCalls: Int) throws(RPCError) {
        let json: JSON
        do throws(JSONError) {
            json = try JSON(parsing: bytes)
        } catch {
            throw RPCError(.noJSON, error.description)
        }
        guard case .array(let elements) = json else {
            self = .call(RPCRequest(json))
            return
        }
        if elements.isEmpty { throw RPCError(.noRequest, "the batch is empty") }
        if elements.count > mostCalls { throw RPCError(.noRequest, "the batch has more than \(mostCalls) calls") }
        self = .batch(elements.map { RPCRequest($0) })
    }
}

/// A call, or what is in the place of one.
package struct RPCRequest: Sendable, Hashable {
    /// A text, a number or `null`; `nil` for a notification, which gets no response.
    package let id: JSON?
    package let call: Result<RPCCall, RPCError>

    init(_ json: JSON) {
        let id = json["id"]
        switch id {
        case nil, .null, .string, .integer, .number:
            let call: Result<RPCCall, RPCError> = Result { () throws(RPCError) in try RPCCall(json) }
            // Faults are told, with `null` where the request has no id that could be repeated.
            if case .failure = call { self.id = id ?? .null } else { self.id = id }
            self.call = call
        default:
            self.id = .null
            call = .failure(RPCError(.noRequest, "'id' is a text or a number"))
        }
    }
}

/// A method and its arguments.
package struct RPCCall: Sendable, Hashable {
    package enum Arguments: Sendable, Hashable {
        case inOrder([JSON])
        case named([JSON.Field])
    }

    package let method: String
    package let arguments: Arguments

    fileprivate init(_ json: JSON) throws(RPCError) {
        guard case .object = json else { throw RPCError(.noRequest, "a request is an object") }
        guard json["jsonrpc"] == .string("2.0") else { throw RPCError(.noRequest, "'jsonrpc' is not \"2.0\"") }
        guard let method = json["method"]?.string else { throw RPCError(.noRequest, "'method' is not a text") }
        self.method = method
        switch json["params"] {
        case nil, .null?: arguments = .inOrder([])
        case .array(let elements)?: arguments = .inOrder(elements)
        case .object(let fields)?: arguments = .named(fields)
        default: throw RPCError(.noRequest, "'params' is neither an array nor an object")
        }
    }
}

/// A failure, as a response tells it (section 5.1).
package struct RPCError: Error, Sendable, Hashable {
    package enum Code: Int, Sendable {
        case noJSON = -32_700
        case noRequest = -32_600
        case noMethod = -32_601
        case badArguments = -32_602
        /// The command has failed; `data` has its code.
        case failed = -32_000
    }

    package let code: Code
    package let text: String
    package var data: JSON?

    package init(_ code: Code, _ text: String, data: JSON? = nil) {
        (self.code, self.text, self.data) = (code, text, data)
    }

    fileprivate var json: JSON {
        .compact([
            .init("code", .integer(code.rawValue)), .init("message", .string(text)), .init("data", data ?? .null),
        ])
    }
}

extension [UInt8] {
    /// Appends the beginning of a response, up to its result.
    package mutating func append(responseTo id: JSON) {
        append(contentsOf: #"{"jsonrpc":"2.0","id":"#.utf8)
        append(id)
        append(contentsOf: #","result":"#.utf8)
    }

    /// Appends the response to a call that has failed.
    package mutating func append(responseTo id: JSON, _ error: RPCError) {
        append(contentsOf: #"{"jsonrpc":"2.0","id":"#.utf8)
        append(id)
        append(contentsOf: #","error":"#.utf8)
        append(error.json)
        append(UInt8(ascii: "}"))
    }
}
