import Records
import Testing
import TextEncodings

/// Replies that come in pieces become JSON.
@Suite struct ReplyEncoderTests {
    /// The reply in pieces of some length.
    private func encoded(_ shape: RecordShape?, _ reply: [UInt8], pieces: Int = .max) -> String {
        var encoder = ReplyEncoder(shape)
        var json: [UInt8] = []
        var rest = reply[...]
        while !rest.isEmpty {
            encoder.encode(rest.prefix(pieces), into: &json)
            rest = rest.dropFirst(pieces)
        }
        encoder.end(&json)
        return String(decoding: json, as: UTF8.self)
    }

    private static let many = RecordShape("a", fields: [.integer("a"), .text("b")])
    private static let one = RecordShape(fields: [.integer("a"), .flag("b", or: false)])

    @Test(
        arguments: [
            ("list", many, "a: 1\nb: x\na: 2\n", #"[{"a":1,"b":"x"},{"a":2}]"#), ("none", many, "", "[]"),
            ("single", many.single, "a: 1\na: 2\n", #"{"a":1}"#), ("no single", many.single, "", "null"),
            ("whole", one, "a: 1\nb: 1\n", #"{"a":1,"b":true}"#), ("empty", one, "", #"{"b":false}"#),
            ("nothing", nil, "", "null"), ("unknown", nil, "a: 1\n", "null"),
            ("early", many, "b: x\na: 1\n", #"[{"a":1}]"#),
            ("odd", one, "nonsense\n: x\na: 7\n", #"{"a":7,"b":false}"#),
            (
                "headings", .values(of: "Album", groupedBy: ["Date"]), "Date: 1\nAlbum: x\nAlbum: y\n",
                #"[{"album":"x","date":"1"},{"album":"y","date":"1"}]"#
            ),
        ] as [(String, RecordShape?, String, String)]
    )
    func aReply(_ name: String, shape: RecordShape?, text: String, json: String) {
        for pieces in [Int.max, 1, 2, 3, 7] { #expect(encoded(shape, Array(text.utf8), pieces: pieces) == json) }
    }

    /// Bytes between lines are base64, whatever they look like.
    @Test(arguments: [0, 1, 2, 5, 600]) func binaryData(count: Int) {
        let data = (0..<count).map { $0 % 5 == 0 ? 0x0a : UInt8(truncatingIfNeeded: $0 * 37) }
        let reply = Array("size: 600\ntype: image/png\nbinary: \(count)\n".utf8) + data + [0x0a]
        let base64 = String(decoding: Base64.encoded(data), as: UTF8.self)
        for pieces in [Int.max, 1, 3, 64] {
            #expect(
                encoded(.picture, reply, pieces: pieces)
                    == #"{"size":600,"type":"image/png","binary":\#(count),"data":"\#(base64)"}"#
            )
        }
    }

    /// A record is written when the next one begins, and no earlier.
    @Test func recordsComeOneByOne() {
        var encoder = ReplyEncoder(Self.many)
        var json: [UInt8] = []
        encoder.encode(Array("a: 1\nb: x\n".utf8)[...], into: &json)
        #expect(json.isEmpty && !encoder.hasBegun)
        encoder.encode(Array("a: 2".utf8)[...], into: &json)
        #expect(json.isEmpty)
        encoder.encode(Array("\n".utf8)[...], into: &json)
        #expect(String(decoding: json, as: UTF8.self) == #"[{"a":1,"b":"x"}"# && encoder.hasBegun)
    }
}
