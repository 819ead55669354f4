import AudioTypes
import CommandOptions
import Foreground
import Playback
import TerminalText
import Testing
import TextEncodings

@Suite struct PlayReporterTests {
    private let first = Sample.item(1, title: "One")
    private let second = Sample.item(2, title: "Two")
    private var failed: PlayerItem {
        var item = Sample.item(3, location: "bad.flac", isOpen: false)
        item.status = .failed("bad.flac: Invalid data")
        return item
    }

    @Test func anItemIsAnnouncedOnceWhenItIsKnown() {
        var reporter = PlayReporter()
        let opening = Sample.item(1, isOpen: false)
        let status = Sample.status(first, index: 0, count: 2)
        #expect(reporter.handle(.currentItemChanged(opening), status: status) == [])
        #expect(reporter.handle(.itemReady(first), status: status) == [.itemStarted(first, index: 0, count: 2)])
        #expect(reporter.handle(.itemReady(first), status: status) == [])
        let next = Sample.status(second, index: 1, count: 2)
        #expect(reporter.handle(.itemPlayedToEnd(first), status: next) == [.itemEnded(first)])
        #expect(
            reporter.handle(.currentItemChanged(second), status: next) == [.itemStarted(second, index: 1, count: 2)]
        )
        #expect(reporter.handle(.itemReady(second), status: next) == [])
        #expect(reporter.handle(.queueEnded, status: next) == [.finished])
        #expect(reporter.handle(.queueEnded, status: next) == [])
        #expect(reporter.playedCount == 1 && reporter.failedCount == 0)
    }

    /// Positions are told of the announced item only.
    @Test func positionsBelongToTheAnnouncedItem() {
        var reporter = PlayReporter()
        let status = Sample.status(first, index: 0, count: 1)
        #expect(reporter.announced == nil)
        _ = reporter.handle(.currentItemChanged(Sample.item(1, isOpen: false)), status: status)
        #expect(reporter.announced == nil)
        _ = reporter.handle(.itemReady(first), status: status)
        #expect(reporter.announced == first.id)
        _ = reporter.handle(.itemPlayedToEnd(first), status: status)
        #expect(reporter.announced == nil)
        // It is repeated.
        _ = reporter.handle(.timeJumped(.zero), status: status)
        #expect(reporter.announced == first.id)
        _ = reporter.handle(.currentItemChanged(nil), status: status)
        #expect(reporter.announced == nil)
    }

    @Test func aFailureIsToldAndCountedOnce() {
        var reporter = PlayReporter()
        let status = Sample.status(failed, count: 2)
        #expect(reporter.handle(.itemFailed(failed), status: status) == [.itemFailed(failed)])
        #expect(reporter.handle(.itemFailed(failed), status: status) == [])
        #expect(reporter.failedCount == 1)
    }

    @Test func nothingIsLeftWhenAllHaveFailed() {
        var reporter = PlayReporter()
        let status = Sample.status(failed, count: 1)
        #expect(reporter.handle(.itemFailed(failed), status: status) == [.itemFailed(failed), .finished])
    }

    /// A stream that broke off for good is heard as far as it came.
    @Test func whatCameOfTheLastItemIsHeard() {
        var reporter = PlayReporter()
        var broken = first
        broken.status = .failed("One: the server closed the connection")
        let status = Sample.status(broken, count: 1)
        #expect(reporter.handle(.itemFailed(broken), status: status) == [.itemFailed(broken)])
        #expect(reporter.handle(.queueEnded, status: status) == [.finished])
        #expect(reporter.failedCount == 1)
    }

    /// It is heard all the same, and what becomes of it then is told, too.
    @Test func aRecordingThatFailsIsToldOnce() {
        var reporter = PlayReporter()
        let status = Sample.status(first)
        let failure = { (domain: String) in
            let failure = StreamFailure(date: 0, uri: "a.xyz", domain: domain, comment: "cannot record", isFinal: true)
            return PlayerEvent.newErrorLogEntry(first, ErrorLog.Event(failure: failure, playbackSessionID: nil))
        }
        #expect(reporter.handle(failure("TCP"), status: status) == [])
        let notice = PlayNotice.recordingFailed(first, "a.xyz: cannot record")
        #expect(reporter.handle(failure("recording"), status: status) == [notice])
        #expect(reporter.handle(failure("recording"), status: status) == [])
        #expect(reporter.failedCount == 1)
        #expect(reporter.handle(.itemFailed(first), status: status).first == .itemFailed(first))
        #expect(reporter.failedCount == 1)
    }

    @Test func onlyVisibleChangesAreTold() {
        var reporter = PlayReporter()
        let playing = Sample.status()
        #expect(reporter.handle(.statusChanged(playing), status: playing) == [.statusChanged(playing)])
        let other = Sample.status { $0.itemCount = 9 }
        #expect(reporter.handle(.statusChanged(other), status: other) == [])
        let muted = Sample.status { $0.isMuted = true }
        #expect(reporter.handle(.statusChanged(muted), status: muted) == [.statusChanged(muted)])
    }

    @Test func aServerThatStaysAwayIsGivenUp() {
        var reporter = PlayReporter()
        let playing = Sample.status()
        let paused = Sample.status(first, .paused)
        _ = reporter.handle(.statusChanged(playing), status: playing)
        #expect(reporter.handle(.outputLost("gone"), status: playing) == [.outputLost("gone")])
        #expect(reporter.handle(.statusChanged(paused), status: paused) == [.statusChanged(paused)])
        #expect(reporter.handle(.outputGivenUp, status: paused) == [.outputGivenUp])
    }

    @Test func anOutageIsToldOnceForEachReasonAndAttempt() {
        var reporter = PlayReporter()
        let item = Sample.item(location: "http://u:p@h/x", duration: nil)
        let start = HostTime(nanoseconds: 0)
        func stream(_ connection: StreamStatus.Connection) -> StreamStatus {
            var stream = StreamStatus()
            stream.connection = connection
            return stream
        }
        func wait(_ reason: String, _ attempt: Int) -> StreamStatus.Reconnecting {
            .init(reason: reason, attempt: attempt, next: start + Double(attempt), since: start)
        }
        func tell(_ connection: StreamStatus.Connection, _ item: PlayerItem) -> [PlayNotice] {
            reporter.handle(
                .streamChanged(stream(connection)),
                status: Sample.status(item, count: 1),
                now: start + 12.4
            )
        }
        #expect(tell(.connected, item) == [])
        let first = wait("connection refused", 1)
        #expect(tell(.reconnecting(first), item) == [.reconnecting(item, first, isNews: true)])
        #expect(tell(.reconnecting(first), item) == [])
        let second = wait("connection refused", 2)
        #expect(tell(.reconnecting(second), item) == [.reconnecting(item, second, isNews: false)])
        let third = wait("503 Busy", 3)
        #expect(tell(.reconnecting(third), item) == [.reconnecting(item, third, isNews: true)])
        #expect(tell(.connected, item) == [.reconnected(item, after: 12.4)])
        #expect(tell(.complete, item) == [])
        // Another item's outage is its own.
        _ = tell(.reconnecting(first), item)
        #expect(tell(.connected, Sample.item(2)) == [])
        #expect(StreamText.lost(item, first) == "http://h/x: connection refused; trying again")
        #expect(StreamText.back(item, after: 12.4) == "http://h/x: back after 12 s")
    }

    @Test func aTitleIsToldWhenItChanges() {
        var reporter = PlayReporter()
        var tags = Tags()
        tags.set("title", to: "One")
        let status = Sample.status(first)
        #expect(reporter.handle(.timedMetadata(first, tags), status: status) == [.titleChanged(first, tags)])
        #expect(reporter.handle(.timedMetadata(first, tags), status: status) == [])
        var more = tags
        more.set("url", to: "http://h")
        #expect(reporter.handle(.timedMetadata(first, more), status: status) == [])
        #expect(reporter.handle(.timedMetadata(second, tags), status: status) == [.titleChanged(second, tags)])
        #expect(reporter.handle(.playbackStalled(first), status: status) == [.stalled(first)])
    }

    @Test(arguments: [(0.4, "0 s"), (99, "99 s"), (100, "2 min"), (3600, "1 h"), (3900, "1 h 5 min")])
    func waitsAreRounded(seconds: Double, text: String) {
        var wait = StreamStatus.Reconnecting(
            reason: "x",
            attempt: 1,
            next: HostTime(nanoseconds: 0) + seconds,
            since: HostTime(nanoseconds: 0)
        )
        #expect(StreamText.back(first, after: seconds).hasSuffix("back after \(text)"))
        wait.next = HostTime(nanoseconds: 0)
        #expect(StreamText.nextTry(wait, HostTime(nanoseconds: 1)) == "trying")
    }

    @Test func linesSayWhatIsPlayed() {
        let item = Sample.item(title: " So What ", artist: "Miles Davis")
        #expect(
            ItemText.started(item, index: 1, count: 5).plain
                == "Playing 2/5  Miles Davis - So What (3:21)  [FLAC 44.1 kHz stereo]"
        )
        let stream = Sample.item(location: "https://example.org/live", duration: nil)
        #expect(ItemText.started(stream, index: 0, count: 1).plain == "Playing live  [FLAC 44.1 kHz stereo]")
        var station = stream
        station.info?.tags.set("icy-name", to: "Radio X")
        #expect(ItemText.started(station, index: 0, count: 1).plain == "Playing Radio X  [FLAC 44.1 kHz stereo]")
        var onAir = Tags()
        onAir.set("title", to: "So What")
        station.timedTags = onAir
        #expect(
            ItemText.started(station, index: 0, count: 1).plain == "Playing Radio X: So What  [FLAC 44.1 kHz stereo]"
        )
        #expect(
            PlayEvents.event(for: .titleChanged(station, onAir), item: station, time: .zero)?.text
                .contains(#""station":"Radio X""#) == true
        )
        #expect(ItemText.failure(failed) == "bad.flac: Invalid data")
    }

    @Test func eventsAreThoseOfTheManual() throws {
        let status = Sample.status(first, .waitingToPlayAtSpecifiedRate(.outputUnavailable)) { $0.loopMode = .queue }
        var onAir = Tags()
        onAir.set("title", to: "T")
        let table: [(PlayNotice, String?)] = [
            (
                .itemStarted(first, index: 1, count: 5),
                """
                {"event":"item_started","id":1,"location":"music/a.flac","index":2,"count":5,"title":"One",\
                "duration":201.4,"container":"flac","codec":"flac","sample_rate":44100,"channels":2,"seekable":true}
                """
            ),
            (
                .itemFailed(failed),
                #"{"event":"item_failed","id":3,"location":"bad.flac","message":"bad.flac: Invalid data"}"#
            ),
            (
                .itemDamaged(first, "music/a.flac: ends early"),
                #"{"event":"item_damaged","id":1,"location":"music/a.flac","message":"music/a.flac: ends early"}"#
            ),
            (
                .recordingFailed(first, "a.xyz: cannot record"),
                #"{"event":"recording_failed","id":1,"location":"music/a.flac","message":"a.xyz: cannot record"}"#
            ),
            (.outputFailed("disk full"), #"{"event":"output_failed","message":"disk full"}"#),
            (.itemEnded(first), #"{"event":"item_ended","id":1,"location":"music/a.flac"}"#),
            (
                .statusChanged(status),
                """
                {"event":"status_changed","state":"waiting","reason":"no_sound_server","position":1.5,"speed":1,\
                "pitch":"keep","volume":100,"muted":false,"loop":"queue"}
                """
            ),
            (.jumped(MediaTime(seconds: 7)), #"{"event":"jumped","id":1,"position":7,"duration":201.4}"#),
            (.outputLost("gone"), #"{"event":"output_lost","message":"gone"}"#),
            (.routeLost("gone", pauses: true), #"{"event":"route_lost","message":"gone","pauses":true}"#),
            (.silenceRequested(false), #"{"event":"silence_requested","requested":false}"#),
            (.outputRestored, #"{"event":"output_restored"}"#),
            (.outputGivenUp, #"{"event":"output_given_up"}"#),
            (
                .reconnecting(
                    first,
                    .init(reason: "gone", attempt: 2, next: .init(nanoseconds: 0), since: .init(nanoseconds: 0)),
                    isNews: true
                ),
                #"{"event":"reconnecting","id":1,"location":"music/a.flac","message":"gone","attempt":2,"delay":0}"#
            ),
            (.reconnected(first, after: 3.5), #"{"event":"reconnected","id":1,"location":"music/a.flac","after":3.5}"#),
            (.stalled(first), #"{"event":"stalled","id":1,"position":1.5,"duration":201.4}"#),
            (.titleChanged(first, onAir), #"{"event":"title_changed","id":1,"location":"music/a.flac","title":"T"}"#),
            (.finished, nil),
        ]
        for (notice, text) in table {
            #expect(PlayEvents.event(for: notice, item: first, time: MediaTime(seconds: 1.5))?.text == text)
        }
        #expect(
            PlayEvents.finished(played: 1, failed: 2, exitStatus: 1).text
                == #"{"event":"finished","played":1,"failed":2,"exit_status":1}"#
        )
        #expect(
            PlayEvents.position(MediaTime(seconds: 2), of: first).text
                == #"{"event":"position","id":1,"position":2,"duration":201.4}"#
        )
    }

    @Test(arguments: [
        (1, 0, ChapterStep.seek(MediaTime(seconds: 60))),
        (1, 60, .seek(MediaTime(seconds: 120))),
        (1, 121, .nextItem),
        (-1, 3, .seek(.zero)),
        (-1, 62, .seek(.zero)),
        (-1, 66, .seek(MediaTime(seconds: 60))),
        (-1, 120, .seek(MediaTime(seconds: 60))),
    ])
    func chapters(step: Int, position: Double, expected: ChapterStep) {
        let chapters = [0.0, 60, 120].map {
            Chapter(title: nil, start: MediaTime(seconds: $0), end: MediaTime(seconds: $0 + 60))
        }
        #expect(ChapterStep.step(by: step, from: MediaTime(seconds: position), in: chapters) == expected)
        #expect(ChapterStep.step(by: 1, from: .zero, in: []) == .nextItem)
        #expect(ChapterStep.step(by: -1, from: .zero, in: []) == .none)
    }
}
