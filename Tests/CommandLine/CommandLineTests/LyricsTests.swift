import LineProtocol
import ProtocolClient
import TerminalText
import Testing

@testable import ClientVerbs

/// What `segue lyrics --follow` shows when.
@Suite struct LyricsTests {
    private let lyrics = LyricsBlock(
        Self.reply("synced: 1", "time: 1.000", "line: a", "time: 3.000", "line: ", "time: 4.500", "line: c")
    )

    @Test func linesAreFoundByTheirTimes() {
        let expected: [(Double, Int?)] = [(0, nil), (1, 0), (2.9, 0), (3, 1), (4.5, 2), (1e9, 2), (-1, nil)]
        for (elapsed, index) in expected { #expect(lyrics.index(at: elapsed) == index) }
        #expect(lyrics.lines.map(\.text) == ["a", "", "c"])
    }

    @Test func linesWithoutOrderHaveNoTimes() {
        #expect(!LyricsBlock(Self.reply("synced: 1", "time: 2", "line: a", "time: 1", "line: b")).isSynced)
        #expect(!LyricsBlock(Self.reply("synced: 1", "time: 2", "line: a", "line: b")).isSynced)
        #expect(!LyricsBlock(Self.reply("synced: 1", "time: nan", "line: a", "line: b")).isSynced)
        #expect(LyricsBlock(Self.reply()).index(at: 1) == nil)
    }

    @Test func theNextLineIsWaitedForAtTheSpeed() {
        let playing = place("state: play", "elapsed: 1.0", "speed: 2")
        #expect(playing.secondsToNextLine(lyrics, at: 100) == 1)
        #expect(playing.secondsToNextLine(lyrics, at: 100.5) == 0.5)
        #expect(playing.elapsed(at: 101) == 3)
        #expect(playing.secondsToNextLine(lyrics, at: 200) == nil)
        #expect(place("state: pause", "elapsed: 1.0").secondsToNextLine(lyrics, at: 100) == nil)
        #expect(place("state: play").secondsToNextLine(lyrics, at: 100) == 1)
    }

    @Test func linesWithoutTimesMoveOnEvenly() {
        let plain = LyricsBlock(Self.reply("synced: 0", "line: a", "line: b", "line: c", "line: d"))
        let place = place("state: play", "elapsed: 10", "duration: 40")
        #expect(place.plainIndex(plain, at: 100) == 1)
        #expect(place.secondsToNextLine(plain, at: 100) == 10)
        #expect(place.plainIndex(plain, at: 1e9) == 3)
        #expect(self.place("state: play", "elapsed: 10").plainIndex(plain, at: 100) == nil)
    }

    @Test func theCurrentLineIsInTheMiddle() {
        let page = LyricsPage(heading: "A Song", lines: (0..<20).map { "line \($0)" }, current: 9, middle: 9)
        let rows = page.render(width: 40, height: 7, isUnicode: true)
        #expect(rows.map(\.plain) == ["A Song", "", "line 7", "line 8", "line 9", "line 10", "line 11"])
        #expect(rows[4].pieces.map(\.style) == [.strong])
        #expect(rows[3].pieces.map(\.style) == [.faint] && rows[5].pieces.map(\.style) == [.plain])
        var marked = page
        marked.isMarked = true
        #expect(
            marked.render(width: 40, height: 5, isUnicode: true).suffix(2).map(\.plain) == ["> line 9", "  line 10"]
        )
        #expect(page.render(width: 40, height: 1, isUnicode: true).map(\.plain) == ["line 9"])
        #expect(page.render(width: 40, height: 100, isUnicode: true).count == 22)
    }

    @Test(arguments: [1, 2, 3, 5, 8, 20, 80])
    func rowsFitAnyWindow(width: Int) {
        let lines = ["one two three four five", "世界世界世界世界", "", String(repeating: "x", count: 50), "\u{1b}[31mred"]
        for height in [0, 1, 2, 3, 4, 24] {
            for index in lines.indices {
                var page = LyricsPage(heading: "heading", lines: lines, current: index, middle: index)
                page.isMarked = height % 2 == 0
                let rows = page.render(width: width, height: height, isUnicode: false)
                #expect(rows.count <= height)
                #expect(rows.allSatisfy { $0.width <= max(1, width - 1) && !$0.plain.contains("\u{1b}") })
            }
        }
    }

    @Test func longLinesAreWrapped() {
        #expect(DisplayText.wrapped("one two three", to: 7) == ["one two", "three"])
        #expect(DisplayText.wrapped("abcdefghij k", to: 4) == ["abcd", "efgh", "ij k"])
        #expect(DisplayText.wrapped("", to: 4) == [""])
    }

    private func place(_ lines: String...) -> SungPlace { SungPlace(ServerStatus(Self.reply(lines)), at: 100) }

    private static func reply(_ lines: String...) -> ServerReply { reply(lines) }

    private static func reply(_ lines: [String]) -> ServerReply {
        ServerReply(
            pairs: lines.map { line in
                let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return Pair(parts[0], parts.count > 1 ? parts[1] : "")
            }
        )
    }
}
