import Foundation
import ServerCommands
import ServerRequests
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// Messages of JSON-RPC by chance, whole ones and damaged ones, for every method.
///
/// `SEGUE_FUZZ_SECONDS` sets how long that goes on, `SEGUE_FUZZ_SEED` where chance begins.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct JSONFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["SEGUE_FUZZ_SECONDS"].flatMap(Double.init) ?? 5
    private static let seed = environment["SEGUE_FUZZ_SEED"].flatMap(UInt64.init) ?? 17

    /// Left out: methods that end the connection or the server, or wait for another client.
    private static let left: Set = [
        "close", "kill", "password", "pair.wait", "pair.token", "pair.prove", "pair.invitation",
    ]

    private static let methods = CommandTable.standard.methods.filter { !left.contains($0.name) }

    private static let pieces = [
        "{", "}", "[", "]", ",", ":", "\"", "\\u0000", "\\ud800", "null", "1e999", "-", "[[[[[[[[", "{\"\":", "\u{7f}",
        "\\",
        "99999999999999999999", "\"jsonrpc\":\"2.0\"", "\"id\":", "\n", "true",
    ].map { Array($0.utf8) }

    private static let values = [
        #""one.flac""#, #""Blue""#, #""""#, "1", "0", "-1", "2.5", "1e300", "9223372036854775807", "true", "false",
        "null",
        #""07:00""#, #""daily""#, #""(title == 'One')""#, #""default""#, #""song""#, #"["a","b"]"#, "[]", "{}", "[[1]]",
        #""+1""#, #""a\nb""#, #""\u0000""#, #""read""#, #""\ud83d\ude00""#, "100", "[1,2,3]", #""list""#,
    ]

    @Test(.timeLimit(.minutes(60))) func whateverIsAsked() async throws {
        var generator = SplitMix(state: Self.seed)
        let server = try await Segued.start()
        let watch = try server.connect()
        var client = try server.connectJSON()
        let deadline = ContinuousClock.now + .seconds(Self.seconds)
        var (number, results, failures, closures) = (0, 0, 0, 0)
        while ContinuousClock.now < deadline {
            number += 1
            var message = Array(Self.message(&generator).utf8)
            if generator.isOne(in: 3) { for _ in 0...3 { generator.mutate(&message, with: Self.pieces) } }
            client.lines.send(message + [0x0a])
            client.lines.send(#"{"jsonrpc":"2.0","id":"end \#(number)","method":"ping"}"# + "\n")
            while true {
                let line = client.lines.line()
                if line == "<closed>" {
                    closures += 1
                    client = try server.connectJSON()
                    break
                }
                guard line != "<silence>", let response = try? JSON(parsing: Array(line.utf8)) else {
                    Issue.record(
                        "\(line.prefix(300)) after \(String(decoding: message, as: UTF8.self)), seed \(Self.seed)"
                    )
                    return
                }
                if response["id"] == .string("end \(number)") { break }
                // It has called 'watch'.
                if response["method"] == .string("changed"), response["params"]?["topic"] != nil { continue }
                for one in response.elements.isEmpty ? [response] : response.elements {
                    #expect(one["jsonrpc"] == .string("2.0") && one["id"] != nil)
                    #expect((one["result"] != nil) != (one["error"] != nil), "\(line.prefix(300))")
                    if one["error"] == nil { results += 1 } else { failures += 1 }
                }
            }
            if number.isMultiple(of: 50) { #expect(watch.ask("ping") == ["OK"]) }
        }
        print("seed \(Self.seed): \(results) results, \(failures) failures, \(closures) connections closed")
        #expect(results > number / 20 && closures <= number / 10)
        #expect(watch.ask("status").last == "OK")
        try await server.stop()
    }

    private static func message(_ generator: inout SplitMix) -> String {
        guard generator.isOne(in: 10) else { return call(&generator) }
        return "[" + (0..<Int.random(in: 0...6, using: &generator)).map { _ in call(&generator) }.joined(separator: ",")
            + "]"
    }

    private static func call(_ generator: inout SplitMix) -> String {
        guard let method = methods.randomElement(using: &generator) else { return "" }
        var names = method.form?.parameters.flatMap { $0.name.split(separator: "|").map(String.init) } ?? []
        if generator.isOne(in: 3) { names += ["count", "offset", "limit", "start", "zone", "title"] }
        let value = { (generator: inout SplitMix) in values.randomElement(using: &generator) ?? "null" }
        var params: [String] = []
        if generator.isOne(in: 4) {
            for _ in names { params.append(value(&generator)) }
        } else {
            for name in names where !generator.isOne(in: 5) { params.append("\"\(name)\":\(value(&generator))") }
        }
        let isNamed = params.allSatisfy { $0.hasPrefix("\"") && $0.contains("\":") }
        let id = generator.isOne(in: 10) ? "" : #""id":\#(generator.isOne(in: 2) ? "7" : #""x""#),"#
        let text = params.joined(separator: ",")
        return #"{"jsonrpc":"2.0",\#(id)"method":"\#(method.name)","params":\#(isNamed ? "{\(text)}" : "[\(text)]")}"#
    }
}
