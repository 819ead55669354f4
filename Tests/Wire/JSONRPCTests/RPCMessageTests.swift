import JSONRPC
import Testing
import TextEncodings

/// The lines of a client as calls (JSON-RPC 2.0, sections 4 to 7).
@Suite struct RPCMessageTests {
    private func message(_ text: String, mostCalls: Int = 10) throws(RPCError) -> RPCMessage {
        try RPCMessage(parsing: Array(text.utf8), mostCalls: mostCalls)
    }

    private func only(_ text: String) throws -> RPCRequest {
        guard case .call(let request) = try message(text) else { throw Unexpected() }
        return request
    }

    private struct Unexpected: Error {}

    @Test func aCallHasAMethodAndArguments() throws {
        let words = try only(#"{"jsonrpc":"2.0","id":1,"method":"add","params":["a",2]}"#)
        #expect(words.id == .integer(1))
        #expect(try words.call.get().method == "add")
        #expect(try words.call.get().arguments == .inOrder([.string("a"), .integer(2)]))
        let named = try only(#"{"method":"add","jsonrpc":"2.0","id":"x","params":{"uri":"a","more":1}}"#)
        #expect(named.id == .string("x"))
        #expect(try named.call.get().arguments == .named([.init("uri", .string("a")), .init("more", .integer(1))]))
    }

    @Test func argumentsMayBeAbsent() throws {
        let null = try only(#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#)
        #expect(try null.call.get().arguments == .inOrder([]))
        #expect(try only(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).call.get().arguments == .inOrder([]))
    }

    /// A request without an id is a notification; `null` is an id.
    @Test func notificationsHaveNoID() throws {
        #expect(try only(#"{"jsonrpc":"2.0","method":"ping"}"#).id == nil)
        #expect(try only(#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#).id == .null)
    }

    /// The fault of each, and the id that its response repeats.
    @Test(arguments: [
        (#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#, JSON.integer(7)), (#"{"id":7,"method":"ping"}"#, .integer(7)),
        (#"{"jsonrpc":"2.0","id":7}"#, .integer(7)), (#"{"jsonrpc":"2.0","id":7,"method":1}"#, .integer(7)),
        (#"{"jsonrpc":"2.0","id":7,"method":"ping","params":1}"#, .integer(7)),
        (#"{"jsonrpc":"2.0","method":1}"#, .null), (#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, .null),
        (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, .null),
        (#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, .null),
        ("5", .null), (#""ping""#, .null), ("null", .null), ("{}", .null),
    ])
    func whatIsNoRequestIsAnswered(text: String, id: JSON) throws {
        let request = try only(text)
        #expect(request.id == id)
        #expect(throws: RPCError.self) { try request.call.get() }
        if case .failure(let error) = request.call { #expect(error.code == .noRequest) }
    }

    @Test(arguments: ["", " ", "{", "[1", "nonsense", #"{"id":1e999}"#, "[\u{7}]"]) func whatIsNoJSONIsAFault(
        text: String
    ) {
        #expect { try message(text) } throws: { ($0 as? RPCError)?.code == .noJSON }
    }

    @Test func batchesAreOfAtLeastOneAndAtMostSome() throws {
        guard case .batch(let requests) = try message(#"[{"jsonrpc":"2.0","id":1,"method":"a"},2]"#) else {
            throw Unexpected()
        }
        #expect(requests.map(\.id) == [.integer(1), .null])
        #expect { try message("[]") } throws: { ($0 as? RPCError)?.code == .noRequest }
        #expect { try message("[1,2,3]", mostCalls: 2) } throws: { ($0 as? RPCError)?.code == .noRequest }
        #expect(throws: Never.self) { try message("[1,2]", mostCalls: 2) }
    }

    @Test func responsesAreWritten() {
        var bytes: [UInt8] = []
        bytes.append(responseTo: .string("a\n"))
        bytes.append(.null)
        bytes.append(UInt8(ascii: "}"))
        #expect(String(decoding: bytes, as: UTF8.self) == #"{"jsonrpc":"2.0","id":"a\n","result":null}"#)
        bytes = []
        bytes.append(responseTo: .null, RPCError(.failed, "no", data: .object([.init("ack", .integer(50))])))
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"no","data":{"ack":50}}}"#
        )
    }
}
