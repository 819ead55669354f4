import TestSupport
import Testing

/// The screen that tests read what programs show from; whatever these send, it must not end the tests.
struct TerminalScreenTests {
    /// A program that has not heard of the new size yet draws, and goes back, to places that are gone.
    @Test func whatWasDrawnForALargerWindowIsShownInASmallerOne() {
        var screen = TerminalScreen(columns: 80, rows: 24)
        screen.receive(Array("\u{1b}[24;80H\u{1b}7\u{1b}[?1049h\u{1b}[24;70H".utf8))
        screen.resize(columns: 20, rows: 3)
        screen.receive(Array("low\u{1b}8\u{1b}[Kx\u{1b}[?1049l\u{1b}[Ky".utf8))
        #expect(screen.cursor.row < 3)
        #expect(screen.lines.count == 3)
    }

    @Test(arguments: 0..<64 as Range<UInt64>)
    func anyBytesAreShownSomehow(seed: UInt64) {
        var random = SplitMix(state: seed)
        let pieces: [String] = [
            "\u{1b}[", "\u{1b}7", "\u{1b}8", "99999999999999999999", "9223372036854775807", "-9223372036854775808", ";",
            "A",
            "B", "C", "D", "G", "H", "K", "J", "m", "r", "1K", "2;1r", "?1049h", "?1049l", "38;2;1;2;3m", "\u{1b}_G",
            "a=T,f=24,s=1048576,v=1048576,m=0;", "f=32,s=1,v=1,m=0;AAAA", "o=z,f=24,s=2,v=2,m=0;eJw", "\u{1b}\\",
            "\u{1b}P", "q", "\"1;1;3;3", "\"1;1;1048576;1048576", "#1;2;100;0;9223372036854775807", "#1",
            "!999999999999",
            "~", "-", "$", "\n", "\r", "text", "\u{1b}]0;title\u{7}", "é", "\u{1f600}",
        ]
        var screen = TerminalScreen(columns: 40, rows: 12)
        var bytes: [UInt8] = []
        for _ in 0..<400 {
            bytes += Array((pieces.randomElement(using: &random) ?? "").utf8)
            random.mutate(&bytes, with: pieces.map { Array($0.utf8) })
            if Int.random(in: 0..<20, using: &random) == 0 {
                screen.resize(columns: .random(in: 1...60, using: &random), rows: .random(in: 1...20, using: &random))
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                screen.receive(bytes)
                bytes = []
            }
        }
        screen.receive(bytes)
        #expect(screen.lines.count == screen.rows)
        #expect(screen.lines.indices.contains(screen.cursor.row))
        _ = screen.halfBlocks(rows: 0..<40, columns: 0..<80)
    }

    /// A program that has ended will show nothing more: the test fails at once, and says what was shown.
    @Test func aProgramThatHasEndedIsNotWaitedFor() async throws {
        let terminal = try TerminalProcess("sh", ["-c", "echo shown"])
        try await terminal.waitForText("shown")
        await #expect { try await terminal.waitForText("0:01") } throws: { hasEnded($0) }
        let program = try ChildProcess("sh", ["-c", "echo written"])
        try await program.waitForOutput("written")
        await #expect { try await program.waitForOutput("0:01") } throws: { hasEnded($0) }
    }

    /// Whether it was not the deadline that ended the wait.
    private func hasEnded(_ error: any Error) -> Bool {
        if case .ended? = error as? ChildProcessError { true } else { false }
    }
}
