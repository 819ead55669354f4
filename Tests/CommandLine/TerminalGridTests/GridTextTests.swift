import AudioTypes
import Files
import PictureWorkers
import TerminalGrid
import TerminalText
import TestSupport
import TestThreads
import Testing
import Threads

struct GridTextTests {
    private func screen(_ text: [UInt8]) -> TerminalScreen {
        var screen = TerminalScreen(columns: 20, rows: 6)
        screen.receive(text)
        return screen
    }

    @Test func captionsFillTheirColumns() {
        func caption(_ text: String, _ order: Int?, isUnicode: Bool = true) -> String {
            GridText.caption(text, .init(order: order, hasFocus: false), columns: 8, isUnicode: isUnicode)
                .replacing(/\u{1b}\[\d*m/, with: "")
        }
        #expect(caption("a.jpg", nil) == "a.jpg   ")
        #expect(caption("a.jpg", 2) == "●2 a.jpg")
        #expect(caption("long name.jpg", 12) == "●12 lon…")
        #expect(caption("long name.jpg", nil, isUnicode: false) == "long... ")
        // Control characters in a file's name do nothing to the terminal.
        #expect(caption("a\u{1b}[2J\nb", nil) == "a [2J b ")
        #expect(caption("日本語の写真", nil).reduce(0) { $0 + DisplayText.width(of: String($1)) } == 8)
    }

    @Test func theFocusIsSeenWithoutColours() {
        let mark = GridText.Mark(order: nil, hasFocus: true)
        #expect(GridText.caption("a", mark, columns: 3, isUnicode: true) == "\u{1b}[7ma  \u{1b}[0m")
    }

    @Test func picturesAreInTheMiddle() {
        let picture = TerminalPicture(columns: 2, rows: 2, text: Array("ab\ncd".utf8))
        let text = GridText.picture(picture, at: .init(row: 1, column: 3), columns: 6, rows: 4, isOfCharacters: true)
        #expect(screen(text).lines == ["", "    ab", "    cd", "", "", ""])
        let pixels = GridText.picture(picture, at: .init(row: 1, column: 3), columns: 6, rows: 4, isOfCharacters: false)
        #expect(pixels == Array("\u{1b}[2;5Hab\ncd".utf8))
    }
}

@Suite(.blocking) struct TileLoaderTests {
    @Test func theMostUrgentComeFirst() {
        let (begun, gate) = (Watched<[Int]>([]), Watched(false))
        let loader = TileLoader<Int, Int>(threads: 1) {
            { number in
                begun.withLock { $0.append(number) }
                _ = gate.waitBlocking(within: .patience) { $0 }
                return number * 10
            }
        }
        loader.want([1, 2, 3])
        #expect(begun.waitBlocking(within: .patience) { $0 == [1] })
        // Those that are not wanted any more are not made, and what is in work is not made twice.
        loader.want([5, 1, 2])
        gate.withLock { $0 = true }
        #expect(begun.waitBlocking(within: .patience) { $0.count == 3 })
        var made: [Int: Int] = [:]
        while made.count < 3 {
            #expect(Readiness.readable(loader.descriptor).wait(until: .now + Duration.patience.seconds))
            for (key, value) in loader.take() { made[key] = value }
        }
        #expect(begun.current == [1, 5, 2] && made == [1: 10, 5: 50, 2: 20])
        #expect(!Readiness.readable(loader.descriptor).wait(until: .now), "all has been taken")
    }

    @Test func severalAreMadeAtOnce() {
        let begun = Watched(0)
        let loader = TileLoader<Int, Bool>(threads: 2) {
            { _ in
                begun.withLock { $0 += 1 }
                return begun.waitBlocking(within: .patience) { $0 >= 2 }
            }
        }
        loader.want([1, 2])
        #expect(begun.waitBlocking(within: .patience) { $0 == 2 })
        withExtendedLifetime(loader) {}
    }

    /// Nothing is left behind: the threads end with it.
    @Test func theThreadsEnd() {
        let ended = Watched(0)
        final class Farewell: Sendable {
            let ended: Watched<Int>
            init(_ ended: Watched<Int>) { self.ended = ended }
            deinit { ended.withLock { $0 += 1 } }
        }
        do {
            let loader = TileLoader<Int, Int>(threads: 3) {
                let farewell = Farewell(ended)
                return { number in withExtendedLifetime(farewell) { number } }
            }
            loader.want([1])
        }
        #expect(ended.waitBlocking(within: .patience) { $0 == 3 })
    }
}
