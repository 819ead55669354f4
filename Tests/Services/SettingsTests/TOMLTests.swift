import Foundation
import Testing

@testable import Settings

/// What of a document can be compared: types and texts, without lines.
private func plain(_ node: Node) -> String {
    switch node.value {
    case .text(let text): "\(text.debugDescription)"
    case .integer(let number): "i\(number)"
    case .number(let number): "f\(number)"
    case .truth(let truth): "\(truth)"
    case .date: "date"
    case .list(let nodes): "[" + nodes.map(plain).joined(separator: ",") + "]"
    case .table(let entries):
        "{" + entries.sorted { $0.key < $1.key }.map { "\($0.key)=\(plain($0.node))" }.joined(separator: ",") + "}"
    }
}

@Suite struct TOMLTests {
    @Test(arguments: [
        ("", "{}"), ("# only\r\n\r\n", "{}"), ("a=1", "{a=i1}"), ("a.b . 'c d' = true", "{a={b={c d=true}}}"),
        ("\"a.b\" = 1\n'' = 2", "{=i2,a.b=i1}"), ("1.2 = 3", "{1={2=i3}}"),
        ("a = +1_000\nb = -0\nc = 0xdead_BEEF\nd = 0o17\ne = 0b11", "{a=i1000,b=i0,c=i3735928559,d=i15,e=i3}"),
        (
            "a = 1.5\nb = -1e3\nc = 6.6e-2\nd = inf\ne = -inf\nf = nan",
            "{a=f1.5,b=f-1000.0,c=f0.066,d=finf,e=f-inf,f=fnan}"
        ),
        (#"a = "x\t\"\\\u00e9\U0001F600""#, "{a=\"x\\t\\\"\\\\é😀\"}"), (#"a = 'x\y'"#, #"{a="x\\y"}"#),
        ("a = \"\"\"\nx\ny\\\n   \n  z\"\"\"", #"{a="x\nyz"}"#), ("a = '''\nx''y'''''", #"{a="x\'\'y\'\'"}"#),
        ("a = [1, [2], # x\n\n 3,]", "{a=[i1,[i2],i3]}"), ("a = []\nb = {}", "{a=[],b={}}"),
        ("a = {b = 1, c.d = [{e = 2}]}", "{a={b=i1,c={d=[{e=i2}]}}}"),
        ("[a]\nb = 1\n[a.c]\nd = 2\n[x.y.z]\n[x]\nw = 1", "{a={b=i1,c={d=i2}},x={w=i1,y={z={}}}}"),
        ("[[a]]\nb = 1\n[a.c]\n[[a]]\n[[a.d]]\ne = 2", "{a=[{b=i1,c={}},{d=[{e=i2}]}]}"),
        ("a.b = 1\na.c = 2\n[a.d]\n", "{a={b=i1,c=i2,d={}}}"),
        (
            "a = 1979-05-27T07:32:00Z\nb = 1979-05-27 07:32:00\nc = 07:32:00.5\nd = 1979-05-27 # x",
            "{a=date,b=date,c=date,d=date}"
        ),
    ])
    func documentsAreRead(text: String, meaning: String) throws {
        #expect(plain(try TOMLParser.parse(text)) == meaning)
    }

    @Test(arguments: [
        ("a", 1), ("= 1", 1), ("a =", 1), ("a = \n1", 1), ("a = 1 b = 2", 1), ("\na = x", 2), ("a = 01", 1),
        ("a = 1__0", 1), ("a = _1", 1), ("a = .5", 1), ("a = 5.", 1), ("a = 0x", 1), ("a = +0x1", 1),
        ("a = 9223372036854775808", 1), ("a = \"x", 1), ("a = \"x\ny\"", 1), ("a = \"\\x\"", 1), ("a = \"\\ud800\"", 1),
        ("a = \"\"\"x", 1), ("a = [1 2]", 1), ("a = [\n1,\n", 1), ("a = [,]", 1), ("a = {b = 1,}", 1),
        ("a = {b = 1\n}", 1), ("a = 1\na = 2", 2), ("[a]\n[a]", 2), ("[a]\n[[a]]", 2), ("a = []\n[[a]]", 2),
        ("a = {}\n[a.b]", 2), ("a = {}\na.b = 1", 2), ("[a.b]\n[a]\nb.c = 1", 3), ("a.b = 1\n[a]", 2),
        ("[a", 1), ("[[a]", 1), ("[]", 1), ("[a] x", 1), ("a.\"b", 1), ("a = \u{1}", 1), ("# \u{1}", 1),
        ("a = True", 1),
        ("a\u{e9} = 1", 1), ("a = 'x\u{7f}'", 1), ("\"\"\"a\"\"\" = 1", 1), ("a = 1\r", 1), ("a = 1 \r2", 1),
    ])
    func whatIsNoTOMLIsRefused(text: String, line: Int) {
        let problem = #expect(throws: TOMLProblem.self) { try TOMLParser.parse(text) }
        #expect(problem?.line == line)
    }

    @Test func valuesKnowTheirLines() throws {
        let root = try TOMLParser.parse(
            "\n\na = [\n 1,\n {b = 2}\n]\nc = \"\"\"\n\n\"\"\"\nd = 1\n[[e]]\n\n[[e]]\nf.g = 1"
        )
        func lines(_ node: Node) -> [Int] {
            switch node.value {
            case .list(let nodes): [node.line] + nodes.flatMap(lines)
            case .table(let entries): [node.line] + entries.flatMap { lines($0.node) }
            default: [node.line]
            }
        }
        #expect(lines(root) == [1, 3, 4, 5, 5, 7, 10, 11, 11, 13, 14, 14])
    }

    /// Python's parser judges the same documents the same way.
    @Test func anotherParserAgrees() throws {
        var numbers = Numbers(state: 7)
        var documents: [String] = []
        for sample in [ListenerTests.everything, OutputTests.everything, Self.sample] {
            for _ in 0..<400 { documents.append(sample.mutated(&numbers)) }
        }
        guard let verdicts = try Self.judge(documents) else {
            print("Skipped: python3 with tomllib (3.11) is not here.")
            return
        }
        try #require(verdicts.count == documents.count)
        #expect(Set(verdicts) == [true, false])
        for (document, isValid) in zip(documents, verdicts) {
            #expect(((try? TOMLParser.parse(document)) != nil) == isValid, "\(document.debugDescription)")
        }
    }

    private static let sample = """
        a.b = [1, 2.5, {c = 'x', "d e" = "\\u00e9\\n"}]   # comment
        t = \"\"\"
        x \\
          y\"\"\"
        [f.g]
        h = true
        [[f.i]]
        k = 0x1F
        [[f.i]]
        l = -inf
        """

    /// Which documents Python takes; `nil` when it cannot be asked.
    private static func judge(_ documents: [String]) throws -> [Bool]? {
        let program = """
            import json, sys, tomllib
            def good(text):
                try: tomllib.loads(text)
                except (tomllib.TOMLDecodeError, RecursionError, ValueError): return False
                return True
            print(json.dumps([good(text) for text in json.load(sys.stdin)]))
            """
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", program]
        let scratch = try Scratch()
        let input = scratch.path + "/documents.json"
        try JSONEncoder().encode(documents).write(to: URL(filePath: input))
        process.standardInput = FileHandle(forReadingAtPath: input)
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return nil }
        let answer = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return process.terminationStatus == 0 ? try JSONDecoder().decode([Bool].self, from: answer) : nil
    }
}
