import LineProtocol
import NIOCore
import Settings
import Testing

@testable import CommandServer

/// Bytes become commands and lists, however they are cut into pieces, and nothing longer than its limit is kept.
@Suite struct RequestReaderTests {
    /// What came out of a reader, in words.
    private func events(
        _ pieces: [String],
        _ limits: Limits = Limits(),
        mayDoNothing: Bool = false,
        isIdle: Bool = false
    ) -> [String] {
        var reader = RequestReader()
        var words: [String] = []
        for piece in pieces {
            reader.append(ByteBuffer(string: piece))
            while let event = reader.next(RequestLimits(limits, mayDoNothing: mayDoNothing), isIdle: isIdle) {
                words.append(word(for: event))
                // The connection ends with that.
                if case .exceeded = event { return words }
            }
        }
        return words
    }

    private func word(for event: RequestReader.Event) -> String {
        switch event {
        case .run(var list):
            var commands: [String] = []
            while let request = list.current {
                if case .success(let line) = request { commands.append(line.command) } else { commands.append("?") }
                guard list.isList else { break }
                list.advance()
            }
            return commands.joined(separator: "+")
        case .collected: return "-"
        case .noIdle: return "noidle"
        case .noRequest: return "no request"
        case .exceeded(let what, let limit): return "\(what) > \(limit.name) = \(limit.value)"
        }
    }

    @Test func linesAreCommands() {
        #expect(events(["ping\nstatus \t\r\nadd \"a b\"\n"]) == ["ping", "status", "add"])
        #expect(events(["pi", "ng", "\nst", "atus\n"]) == ["ping", "status"])
        #expect(events(["ping"]) == [])
    }

    @Test func listsComeWhole() {
        #expect(events(["command_list_begin\nping\nstatus\n"]) == ["-", "-", "-"])
        #expect(
            events(["command_list_ok_begin\nping\nstatus\ncommand_list_end\nclose\n"])
                == ["-", "-", "-", "ping+status", "close"]
        )
        #expect(events(["command_list_begin\ncommand_list_end\n"]) == ["-", ""])
        #expect(events(["command_list_end\n"]) == ["command_list_end"], "an unknown command outside of a list")
    }

    @Test func whatIsNoRequestIsTold() {
        #expect(events(["GET / HTTP/1.1\n"]) == ["no request"])
        #expect(events(["\n"]) == ["no request"])
        #expect(events(["command_list_begin\n\u{16}\u{03}\u{01}\n"]) == ["-", "no request"])
    }

    /// A client that waits for changes may only stop that.
    @Test func onlyNoidleMayComeWhileIdle() {
        #expect(events(["noidle\n"], isIdle: true) == ["noidle"])
        #expect(events(["ping\n"], isIdle: true) == ["no request"])
        #expect(events(["command_list_begin\n"], isIdle: true) == ["no request"])
    }

    @Test func linesHaveALimit() {
        var limits = Limits()
        limits.maxLineBytes = 10
        #expect(events(["add \(String(repeating: "x", count: 6))\n"], limits) == ["add"])
        #expect(events(["add \(String(repeating: "x", count: 7))\n"], limits) == ["Line > max-line-size = 10"])
        // Also one that never ends.
        #expect(events([String(repeating: "x", count: 11)], limits) == ["Line > max-line-size = 10"])
    }

    @Test func listsHaveLimits() {
        var limits = Limits()
        limits.maxCommandListBytes = 10
        limits.maxCommandListLength = 3
        let begin = "command_list_begin\n"
        #expect(events([begin + "ping\nping\n"], limits) == ["-", "-", "-"])
        #expect(
            events([begin + "ping\nstatus\n"], limits)
                == ["-", "-", "Command list > max-command-list-size = 10"]
        )
        #expect(
            events([begin + "a\na\na\na\n"], limits).last == "Command list > max-command-list-length = 3"
        )
    }

    /// Before a client may do anything its requests are held to shorter limits.
    @Test func strangersHaveLowerLimits() {
        var limits = Limits()
        limits.maxLineBytesBeforePermission = 5
        limits.maxCommandListBytesBeforePermission = 8
        #expect(events(["status\n"], limits) == ["status"])
        #expect(
            events(["status\n"], limits, mayDoNothing: true)
                == ["Line > max-line-size-before-permission = 5"]
        )
    }

    @Test func sizeIsWhatWasSentAndNotCarriedOut() {
        let limits = RequestLimits(Limits(), mayDoNothing: false)
        var reader = RequestReader()
        reader.append(ByteBuffer(string: "command_list_begin\nping\nsta"))
        #expect(reader.size == 27)
        while reader.next(limits, isIdle: false) != nil {}
        #expect(reader.size == "ping\nsta".utf8.count)
        reader.append(ByteBuffer(string: "tus\ncommand_list_end\n"))
        while reader.next(limits, isIdle: false) != nil {}
        #expect(reader.size == 0)
    }
}
