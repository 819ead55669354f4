import AudioTypes
import Foreground
import Playback
import TerminalText
import Testing

@Suite struct ProgressLineTests {
    private func line(_ status: PlayerStatus, at seconds: Double = 83, width: Int = 79) -> String {
        ProgressLine(status: status, time: MediaTime(seconds: seconds)).render(width: width).plain
    }

    @Test(arguments: [
        (79, "▶ 1:23 / 3:21  Miles Davis - So What  2/5"),
        (41, "▶ 1:23 / 3:21  Miles Davis - So What  2/5"),
        (40, "▶ 1:23 / 3:21  Miles Dav… - So What  2/5"),
        (32, "▶ 1:23 / 3:21  So What  2/5"),
        (31, "▶ 1:23 / 3:21  So What"),
        (26, "▶ 1:23  Miles D… - So What"),
        (12, "▶ 1:23"),
        (6, "▶ 1:23"),
        (5, ""),
        (0, ""),
    ])
    func narrows(width: Int, text: String) {
        #expect(line(Sample.status(), width: width) == text)
    }

    @Test func wideCharactersAreCounted() {
        let status = Sample.status(Sample.item(title: "夜に駆ける", artist: "ヨアソビ"), count: 1)
        #expect(line(status) == "▶ 1:23 / 3:21  ヨアソビ - 夜に駆ける")
        #expect(line(status, width: 31) == "▶ 1:23 / 3:21  夜に駆ける")
        #expect(DisplayText.width(of: line(status, width: 31)) <= 31)
    }

    @Test(arguments: 0...90)
    func neverWraps(width: Int) {
        let item = Sample.item(title: "e\u{301}夜👨\u{200d}👩\u{200d}👧❤\u{fe0f} long enough to be cut", artist: "日本")
        let status = Sample.status(item) {
            $0.volume = Volume(percent: 50)
            $0.isMuted = true
            $0.loopMode = .queue
            $0.defaultRate = 1.25
        }
        #expect(DisplayText.width(of: line(status, width: width)) <= width)
    }

    @Test func tagsCannotCommandTheTerminal() {
        let status = Sample.status(Sample.item(title: "\u{1b}]0;x\u{7}\u{9b}31m\nx", artist: "\u{202e}a\r"), count: 1)
        let text = ProgressLine(status: status, time: .zero).render(width: 79)
        #expect(text.plain == "▶ 0:00 / 3:21  a - ]0;x 31m x")
        let escapes = text.coloured.split(separator: "\u{1b}").dropFirst()
        #expect(escapes.allSatisfy { $0.hasPrefix("[1m") || $0.hasPrefix("[0m") || $0.hasPrefix("[32m") })
    }

    @Test func onlyWhatIsUnusualIsSaid() {
        let status = Sample.status {
            $0.defaultRate = 1.1
            $0.volume = Volume(percent: 80)
            $0.isMuted = true
            $0.loopMode = .item
        }
        #expect(
            line(status, width: 100)
                == "▶ 1:23 / 3:21  Miles Davis - So What  2/5  speed 1.1  volume 80%  muted  looping this item"
        )
    }

    @Test(arguments: [
        (TimeControlStatus.paused, "‖ 1:23 / 3:21  Miles Davis - So What"),
        (.waitingToPlayAtSpecifiedRate(.toMinimizeStalls), "⋯ 1:23 / 3:21  Miles Davis - So What  buffering"),
        (
            .waitingToPlayAtSpecifiedRate(.outputUnavailable),
            "⋯ 1:23 / 3:21  Miles Davis - So What  waiting for the sound server"
        ),
        (.waitingToPlayAtSpecifiedRate(.evaluatingBufferingRate), "⋯ 1:23 / 3:21  Miles Davis - So What"),
    ])
    func states(state: TimeControlStatus, text: String) {
        #expect(line(Sample.status(Sample.item(title: "So What", artist: "Miles Davis"), state, count: 1)) == text)
    }

    @Test func streamsAndLongMedia() {
        let stream = Sample.item(location: "https://example.org/live%20one", duration: nil)
        #expect(line(Sample.status(stream, count: 1)) == "▶ 1:23  live one")
        let book = Sample.item(title: "Book", duration: 7384)
        #expect(line(Sample.status(book, count: 1)) == "▶ 0:01:23 / 2:03:04  Book")
        #expect(line(Sample.status(nil, .paused, count: 0), at: 0) == "‖ 0:00")
        let opening = Sample.item(isOpen: false)
        let waiting = TimeControlStatus.waitingToPlayAtSpecifiedRate(.evaluatingBufferingRate)
        #expect(line(Sample.status(opening, waiting, count: 1), at: 0) == "⋯ 0:00  a.flac  opening")
    }

    private static let now = HostTime(nanoseconds: 1_000_000_000_000)
    private static let lost = StreamStatus.Connection.reconnecting(
        .init(reason: "connection refused", attempt: 4, next: now + 2.3, since: now + -9)
    )

    /// A connection, seconds ahead, why it waits, whether anything has come, and what is said.
    @Test(
        arguments: [
            (.connected, 0.437, .toMinimizeStalls, true, ["buffering 43%", "buffering"]),
            (.connected, 3, .toMinimizeStalls, true, ["buffering 99%", "buffering"]),
            (.connected, 9, nil, true, []),
            (.connecting, 0, .evaluatingBufferingRate, false, ["connecting"]),
            (.connected, 0, .evaluatingBufferingRate, false, []),
            (
                lost, 7, nil, true,
                [
                    "reconnecting: connection refused, next try in 3 s (attempt 4)", "reconnecting, next try in 3 s",
                    "reconnecting",
                ]
            ),
            (
                lost, 0, .toMinimizeStalls, false,
                [
                    "waiting for the network: connection refused, next try in 3 s (attempt 4)",
                    "waiting for the network, next try in 3 s", "waiting for the network",
                ]
            ),
        ] as [(StreamStatus.Connection, Double, WaitingReason?, Bool, [String])]
    )
    func streamsSayWhatTheyWaitFor(
        connection: StreamStatus.Connection,
        ahead: Double,
        waiting: WaitingReason?,
        isOpen: Bool,
        texts: [String]
    ) {
        var stream = StreamStatus()
        stream.connection = connection
        stream.bufferedDuration = ahead
        #expect(StreamText.state(stream, waiting: waiting, isOpen: isOpen, now: Self.now) == texts)
    }

    /// At two thirds of what it takes, a third of eighteen seconds has to be there.
    @Test func theLessComesInTimeTheMoreIsWaitedFor() {
        var stream = StreamStatus()
        (stream.throughput, stream.bitRate, stream.bufferedDuration) = (80_000, 120_000, 3.01)
        let texts = StreamText.state(stream, waiting: .toMinimizeStalls, isOpen: true, now: Self.now)
        #expect(texts == ["connecting"])
        stream.connection = .connected
        #expect(
            StreamText.state(stream, waiting: .toMinimizeStalls, isOpen: true, now: Self.now).first == "buffering 50%"
        )
    }

    @Test(arguments: [
        (120, "⋯ 1:23  Radio  1/2  reconnecting: connection refused, next try in 3 s (attempt 4)  42 s ahead"),
        (90, "⋯ 1:23  Radio  1/2  reconnecting: connection refused, next try in 3 s (attempt 4)"),
        (76, "⋯ 1:23  Radio  reconnecting: connection refused, next try in 3 s (attempt 4)"),
        (75, "⋯ 1:23  Radio  1/2  reconnecting, next try in 3 s"),
        (35, "⋯ 1:23  Radio  1/2  reconnecting"),
        (20, "⋯ 1:23  reconnecting"),
        (10, "⋯ 1:23"),
    ])
    func whyNothingIsHeardStaysToTheLast(width: Int, text: String) {
        var stream = StreamStatus()
        stream.connection = Self.lost
        stream.bufferedDuration = 42.7
        stream.isLive = true
        var item = Sample.item(location: "http://u:p@h/x", duration: nil)
        item.timedTags.set("title", to: "Radio")
        let status = Sample.status(item, .waitingToPlayAtSpecifiedRate(.toMinimizeStalls), index: 0, count: 2)
        let line = ProgressLine(
            status: status,
            time: MediaTime(seconds: 83),
            stream: .init(stream, now: Self.now)
        )
        #expect(line.render(width: width).plain == text)
    }

    @Test func aStreamShowsWhatIsOnAirElseItsName() {
        var item = Sample.item(location: "http://user:secret@host", duration: nil)
        #expect(line(Sample.status(item, count: 1)) == "▶ 1:23  host")
        item.info?.tags.set("icy-name", to: "Radio X")
        #expect(line(Sample.status(item, count: 1)) == "▶ 1:23  Radio X")
        var onAir = Tags()
        onAir.set("title", to: "So What\u{1b}")
        item.timedTags = onAir
        #expect(ItemText.heading(item) == "So What")
        onAir.set("artist", to: "Miles")
        #expect(StreamText.onAir(onAir).plain == "On air  Miles - So What")
        onAir.set("title", to: " ")
        #expect(StreamText.onAir(onAir).plain == "")
    }

    @Test func asciiWhereNothingElseIsShown() {
        let line = ProgressLine(status: Sample.status(), time: .zero, isUnicode: false)
        #expect(line.render(width: 40).plain == "> 0:00 / 3:21  Miles D... - So What  2/5")
    }

    @Test func theChapterIsNamed() {
        var item = Sample.item(title: "So What", duration: 600)
        item.info?.chapters = [
            Chapter(title: "Calm", start: .zero, end: MediaTime(seconds: 60)),
            Chapter(title: "The\u{1b}[2J Storm", start: MediaTime(seconds: 60), end: MediaTime(seconds: 600)),
        ]
        func line(_ seconds: Double, width: Int = 79) -> String {
            ProgressLine(status: Sample.status(item, count: 1), time: MediaTime(seconds: seconds)).render(width: width)
                .plain
        }
        #expect(line(59) == "▶ 0:59 / 10:00  So What  1/2 Calm")
        #expect(line(60) == "▶ 1:00 / 10:00  So What  2/2 The [2J Storm")
        #expect(line(60, width: 30) == "▶ 1:00 / 10:00  So What")
    }

    @Test func rowsBelowArePaintedWithTheLine() {
        var painter = Painter()
        let both = "\u{1b}[?7lline\u{1b}[J\none\ntwo\u{1b}[?7h\r\u{1b}[2A"
        #expect(painter.show("line", above: ["one", "two"]) == "\r" + both)
        #expect(painter.show("line", above: ["one", "two"]) == nil)
        #expect(painter.printing(["a"]) == "\r\u{1b}[K\u{1b}[Ja\n" + both)
        #expect(painter.show("line") == "\r\u{1b}[?7lline\u{1b}[J\u{1b}[?7h\r")
        #expect(painter.clear() == "\r\u{1b}[K\u{1b}[J")
        #expect(painter.clear() == nil)
    }

    @Test func subtitlesFitTheWindow() {
        #expect(SubtitleRows.render(["one two three", "\u{1b}[2J"], width: 9) == ["  one two", "  three", "  [2J"])
        #expect(SubtitleRows.render(["one"], width: 2) == [])
        #expect(SubtitleRows.render(Array(repeating: "x", count: 50), width: 80).count == 6)
    }

    @Test func paintsOnceAndInOnePiece() {
        var painter = Painter()
        #expect(painter.printing(["a"]) == "a\n")
        let line = "\u{1b}[?7lline\u{1b}[J\u{1b}[?7h\r"
        #expect(painter.show("line") == "\r" + line)
        #expect(painter.show("line") == nil)
        #expect(painter.printing(["a", "b"]) == "\r\u{1b}[K\u{1b}[Ja\nb\n" + line)
        #expect(painter.repaint("line") == "\r" + line)
        #expect(painter.clear() == "\r\u{1b}[K\u{1b}[J")
        #expect(painter.clear() == nil)
    }
}
