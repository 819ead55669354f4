import PictureValues
import PictureWorkers
import TerminalPictures
import Testing

struct TerminalRepliesTests {
    private func replies(_ texts: String...) -> TerminalReplies {
        var replies = TerminalReplies()
        for text in texts { replies.add(text.utf8) }
        return replies
    }

    @Test(arguments: [
        ("\u{1b}[?62;22c", TerminalCanvas.Graphics.symbols),
        ("\u{1b}[?62;4;22c", .sixel),
        ("\u{1b}[?4c", .symbols),
        ("\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[?62;4;22c", .kitty),
        ("\u{1b}_Gi=31;ENOTSUPPORTED\u{1b}\\\u{1b}[?62;c", .symbols),
        ("\u{1b}]1337;ReportCellSize=17.0;8.0;2.0\u{1b}\\\u{1b}[?62;4c", .iterm),
    ])
    func theBestThatTheTerminalAnswersIsTaken(text: String, graphics: TerminalCanvas.Graphics) {
        let whole = replies(text)
        #expect(whole.isComplete && whole.graphics == graphics)
        // Over a slow line, bytes come one by one, and keys between them.
        var parts = TerminalReplies()
        parts.add("q".utf8)
        for byte in text.utf8 {
            #expect(!parts.isComplete)
            parts.add([byte])
        }
        #expect(parts.isComplete && parts.graphics == graphics)
    }

    @Test func theSizeOfACellIsTold() {
        #expect(replies("\u{1b}[6;20;9t\u{1b}[?62c").cell == PixelSize(9, 20))
        #expect(replies("\u{1b}]1337;ReportCellSize=17.0;8.0;2.0\u{7}\u{1b}[?62c").cell == PixelSize(16, 34))
        #expect(replies("\u{1b}[6;0;-9t\u{1b}[?62c").cell == nil)
        #expect(replies("\u{1b}]1337;ReportCellSize=1e300;nan\u{7}\u{1b}[?62c").cell == nil)
    }

    @Test func coloursAreTheTerminalsElseTheEnvironments() {
        func colours(_ text: String, _ variables: [String: String]) -> TerminalCanvas.Colours {
            replies(text).colours { variables[$0] }
        }
        #expect(colours("\u{1b}P1$r0;48:2:1:2:3m\u{1b}\\\u{1b}[?62c", [:]) == .full)
        #expect(colours("\u{1b}P1$r48;2;1;2;3m\u{1b}\\\u{1b}[?62c", ["TERM": "xterm"]) == .full)
        #expect(colours("\u{1b}P1$r0;48;5;16m\u{1b}\\\u{1b}[?62c", ["TERM": "xterm-256color"]) == .palette256)
        #expect(colours("\u{1b}[?62c", ["TERM": "xterm"]) == .palette16)
        #expect(colours("\u{1b}[?62c", ["COLORTERM": "truecolor"]) == .full)
        #expect(colours("\u{1b}[?62c", ["COLORTERM": "truecolor", "NO_COLOR": "1"]) == .none)
    }

    @Test func whatNeverEndsIsBounded() {
        var replies = TerminalReplies()
        for _ in 0..<100_000 { replies.add("\u{1b}_Gxxxxxxxxxxxxxxxxxxxxxxxxxx".utf8) }
        replies.add([UInt8](repeating: UInt8(ascii: "t"), count: 100_000))
        #expect(!replies.isComplete && replies.graphics == .symbols)
    }
}
