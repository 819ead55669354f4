import AudioTypes
import Testing

@testable import Outputs

/// What a stream to a sound server knows, without a server.
struct StreamStateTests {
    // MARK: Where frames lie

    /// A stream in which 1000 frames of 4 bytes were sent.
    private var sending: SendCursor {
        var cursor = SendCursor(bytesPerFrame: 4)
        cursor.openStream()
        cursor.sent(1_000)
        cursor.fill()
        return cursor
    }

    @Test func framesFollowEachOther() {
        var cursor = sending
        #expect(cursor.position == FramePosition(1_000) && !cursor.replaces && !cursor.isFlushed)
        #expect(cursor.frame(at: 400) == 100)
        cursor.sent(24)
        #expect(cursor.position == FramePosition(1_024))
        #expect(cursor.audible(-5) == 0 && cursor.audible(17.5) == 17.5 && cursor.audible(3_000) == 1_024)
    }

    /// What is far enough from being heard is written over where it lies.
    @Test func sentFramesAreWrittenOver() {
        var cursor = sending
        let first = cursor.rewind(to: FramePosition(1_000), heard: 10, margin: 0)
        #expect(first == .nothing)
        let second = cursor.rewind(to: FramePosition(600), heard: 400, margin: 100)
        #expect(second == .overwriting)
        #expect(cursor.position == FramePosition(600) && cursor.rewriteIndex == 2_400)
        cursor.sent(50)
        #expect(cursor.position == FramePosition(650) && !cursor.replaces)
        cursor.overwrite(from: FramePosition(700))
        #expect(cursor.position == FramePosition(650) && cursor.rewriteIndex == 2_600)
    }

    /// What is about to be heard, or lies in an unknown place, takes a flush, and what was not heard yet comes again.
    @Test func aLateRewindFlushes() {
        var cursor = sending
        let first = cursor.rewind(to: FramePosition(480), heard: 400.5, margin: 100)
        #expect(first == .flushing)
        #expect(cursor.position == FramePosition(400) && cursor.firstAudible == FramePosition(400))
        cursor = sending
        cursor.flush()
        let second = cursor.rewind(to: FramePosition(900), heard: 100, margin: 0)
        #expect(second == .flushing)
        #expect(cursor.position == FramePosition(100))
    }

    /// After a flush the server says where frames lie; an overwriting that was due is none any more.
    @Test func aFlushForgetsWhereFramesLie() {
        var cursor = sending
        let first = cursor.rewind(to: FramePosition(600), heard: 0, margin: 0)
        #expect(first == .overwriting)
        cursor.flush()
        #expect(cursor.isFlushed && !cursor.isPlaced && !cursor.replaces && cursor.frame(at: 0) == nil)
        cursor.jump(to: FramePosition(5_000))
        cursor.sent(100)
        // 100 frames were written since the flush, at byte 4000.
        cursor.place(writeIndex: 4_400)
        #expect(cursor.frame(at: 4_000) == 5_000)
        // Only the first answer counts.
        cursor.place(writeIndex: 0)
        #expect(cursor.frame(at: 4_040) == 5_010)
        #expect(cursor.audible(4_990) == 5_000)
    }

    @Test func aNewStreamCountsFromTheNextFrame() {
        var cursor = sending
        cursor.jump(to: FramePosition(300))
        cursor.openStream()
        #expect(cursor.isFlushed && cursor.frame(at: 0) == 300)
        cursor.attach(at: FramePosition(50))
        #expect(cursor.position == FramePosition(50) && cursor.frame(at: 0) == 50)
        cursor.flush()
        cursor.attach(at: .zero)
        #expect(!cursor.isPlaced)
    }

    // MARK: Time

    private let start = HostTime(nanoseconds: 1_000_000_000)

    @Test func theClockStandsWhereFramesEnd() {
        var clock = StreamClock()
        clock.set(0, at: start, rate: 1_000, limit: FramePosition(500))
        #expect(clock.isMoving && clock.heard(at: start + 0.25) == 250 && clock.heard(at: start + 2) == 500)
        #expect(clock.reading(at: start + 0.25).rate == 1_000)
        let standing = clock.reading(at: start + 2)
        #expect(standing == OutputClock(frame: 500, time: start + 2, rate: 0))
        #expect(clock.time(of: FramePosition(100)) == start + 0.1)
        clock.shorten(to: FramePosition(200))
        #expect(clock.heard(at: start + 0.25) == 200)
    }

    /// A clock that stood stays there until the server has told when it continued.
    @Test func moreFramesMoveNoClockThatStood() {
        var clock = StreamClock()
        clock.set(0, at: start, rate: 1_000, limit: FramePosition(500))
        let stoodEarly = clock.extend(to: FramePosition(1_000), at: start + 0.4)
        #expect(!stoodEarly)
        #expect(clock.heard(at: start + 0.6) == 600)
        let stoodLate = clock.extend(to: FramePosition(2_000), at: start + 1.5)
        #expect(stoodLate && !clock.isMoving && clock.heard(at: start + 9) == 1_000)
    }

    /// The sink takes frames every two seconds, and none may be replaced just then.
    @Test(arguments: [-4.0, -2, 0, 2, 6]) func nothingIsReplacedWhileTheSinkTakesFrames(_ turn: Double) throws {
        var guarded = RenderGuard()
        #expect(guarded.delay(at: start, period: 2) == nil)
        let render = start + 10
        guarded.renderTime = render
        let moment = render + turn
        #expect(guarded.delay(at: moment + -0.02, period: 2) == nil)
        #expect(abs(try #require(guarded.delay(at: moment + -0.01, period: 2)) - 0.015) < 1e-6)
        #expect(abs(try #require(guarded.delay(at: moment, period: 2)) - 0.005) < 1e-6)
        #expect(guarded.delay(at: moment + 0.006, period: 2) == nil)
        guarded.isOff = true
        #expect(guarded.delay(at: moment, period: 2) == nil)
    }

    @Test func attemptsComeFurtherApart() {
        var backoff = Backoff(from: 0.05, to: 0.3)
        let delays = (0..<5).map { _ in backoff.next() }
        #expect(delays == [0.05, 0.1, 0.2, 0.3, 0.3])
        backoff.reset()
        let again = backoff.next()
        #expect(again == 0.05)
    }
}
