import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct SegmentPlanTests {
    private func list(
        _ numbers: ClosedRange<Int>,
        kind: MediaPlaylist.Kind = .live,
        duration: Double = 4,
        folder: String = "",
        discontinuities: Set<Int> = [],
        counted: Int = 0,
        firstDate: Double? = nil
    ) -> MediaPlaylist {
        var playlist = MediaPlaylist(kind: kind, targetDuration: 4, mediaSequence: numbers.lowerBound)
        var count = counted
        for number in numbers {
            if discontinuities.contains(number) { count += 1 }
            var segment = MediaSegment(uri: "\(folder)\(number).ts?token=\(number * 7)", duration: duration)
            segment.discontinuity = count
            segment.date = firstDate.map { $0 + Double(number - numbers.lowerBound) * duration }
            playlist.segments.append(segment)
        }
        return playlist
    }

    private func next(_ plan: SegmentPlan) -> Int? {
        if case .segment(let place) = plan.step { place.sequence } else { nil }
    }

    private func place(_ plan: SegmentPlan) throws -> SegmentPlan.Place {
        guard case .segment(let place) = plan.step else { throw SegmentError.noSegments }
        return place
    }

    /// The plan after playing all that is there.
    private func played(_ playlist: MediaPlaylist) -> SegmentPlan {
        var plan = SegmentPlan(playlist)
        while next(plan) != nil { plan.advance() }
        return plan
    }

    // MARK: Beginning

    @Test(arguments: [(10...19, 17), (10...11, 10), (10...12, 10), (0...0, 0)])
    func liveBeginsThreeTargetDurationsBeforeTheEnd(numbers: ClosedRange<Int>, expected: Int) throws {
        let plan = SegmentPlan(list(numbers))
        #expect(next(plan) == expected)
        #expect(try place(plan).start == 0)
        #expect(plan.firstSound == 0)
    }

    @Test func aServerMayWantMoreDistance() {
        var playlist = list(10...19)
        playlist.holdBack = 24
        #expect(next(SegmentPlan(playlist)) == 14)
        // Less than three target durations is not listened to.
        playlist.holdBack = 1
        #expect(next(SegmentPlan(playlist)) == 17)
    }

    @Test(arguments: [
        (MediaPlaylist.Kind.vod, 9.0, false, 2, 8.0), (.vod, 9, true, 2, 9), (.vod, -5, false, 8, 32),
        (.vod, -5, true, 8, 35), (.vod, 1000, false, 9, 36), (.vod, -1000, true, 0, 0), (.vod, 0, false, 0, 0),
    ])
    func theAuthorMaySayWhere(kind: MediaPlaylist.Kind, offset: Double, isPrecise: Bool, index: Int, sound: Double) {
        var playlist = list(0...9, kind: kind)
        playlist.start = PlaylistStart(offset: offset, isPrecise: isPrecise)
        let plan = SegmentPlan(playlist)
        #expect(next(plan) == index)
        #expect(plan.firstSound == sound)
    }

    @Test func liveTimeBeginsWithTheFirstSegmentPlayed() throws {
        var playlist = list(10...19)
        playlist.start = PlaylistStart(offset: -6, isPrecise: true)
        let plan = SegmentPlan(playlist)
        #expect(next(plan) == 18)
        #expect(try place(plan).start == 0)
        #expect(plan.firstSound == 2)
        #expect(plan.range == -32...8)
    }

    @Test func theTimeOfAnEventIsItsPlaylists() throws {
        let plan = SegmentPlan(list(0...9, kind: .event))
        #expect(next(plan) == 7)
        #expect(try place(plan).start == 28)
        #expect(plan.window == 0...28)
    }

    @Test func theServersWindowMayBeSought() {
        var plan = SegmentPlan(list(10...19))
        // What was before the first segment played has no time.
        #expect(plan.window == 0...0)
        _ = plan.update(list(14...23))
        #expect(plan.window == 0...16)
        _ = plan.update(list(20...29))
        #expect(plan.window == 12...40)
        #expect(plan.seek(to: 13) == 12)
        #expect(next(plan) == 20)
        #expect(plan.seekLive() == 40)
        #expect(next(plan) == 27)
        #expect(SegmentPlan(list(0...9, kind: .vod)).window == nil)
        #expect(SegmentPlan(MediaPlaylist()).window == nil)
    }

    // MARK: Playing on

    @Test func vodEndsAndLiveWaits() {
        #expect(played(list(0...3, kind: .vod)).step == .end)
        #expect(played(list(0...3)).step == .reload)
        #expect(played(list(0...3, kind: .event)).step == .reload)
        #expect(SegmentPlan(MediaPlaylist()).step == .reload)
    }

    @Test func newSegmentsFollow() throws {
        var plan = played(list(10...13))
        #expect(plan.update(list(10...13)) == .none)
        #expect(plan.update(list(12...15)) == .more)
        #expect(next(plan) == 14)
        #expect(try place(plan).start == 12)
        plan.advance()
        plan.advance()
        // An old copy from somewhere.
        #expect(plan.update(list(11...14)) == .none)
        #expect(plan.step == .reload)
        #expect(plan.update(list(13...16, kind: .vod)) == .more)
        #expect(next(plan) == 16)
        plan.advance()
        #expect(plan.step == .end)
    }

    @Test func anEndAloneIsNews() {
        var plan = played(list(10...13))
        #expect(plan.update(list(10...13, kind: .vod)) == .more)
        #expect(plan.step == .end)
        var other = played(list(10...13))
        #expect(other.update(MediaPlaylist(kind: .vod, targetDuration: 4)) == .more)
        #expect(other.step == .end)
    }

    @Test func whatLeftUnheardIsMissed() throws {
        var plan = played(list(10...13))
        // 14 to 19 are gone; the last three target durations are what a newcomer would hear.
        #expect(plan.update(list(20...29)) == .missed)
        #expect(next(plan) == 27)
        let place = try place(plan)
        // Since 11: 12 s to the end of 13, 24 s of what is missing, 28 s of what is passed over.
        #expect(place.start == 12 + 24 + 28)
        #expect(place.timeline == 0)
    }

    @Test func datesMeasureTheHole() throws {
        var plan = played(list(10...13, firstDate: 1000))
        #expect(plan.update(list(20...22, firstDate: 1100)) == .missed)
        // From 1016, where 13 ended, to 1100.
        #expect(try place(plan).start == 12 + 84)
    }

    @Test(arguments: [
        // Counting from the beginning, below, and within what was there.
        (0...3, ""), (10...12, "new/"), (0...20, "other-"),
    ])
    func aNewStreamBeginsAtItsEdge(numbers: ClosedRange<Int>, folder: String) throws {
        var plan = played(list(30...33))
        // What is below all that is known may be an old copy, until it goes on.
        let first = list(numbers.lowerBound...numbers.upperBound - 1, folder: folder)
        for _ in 0..<3 { #expect(plan.update(first, isPersistent: true) == .none) }
        #expect(plan.update(list(numbers, folder: folder)) == .restarted)
        let place = try place(plan)
        #expect(place.sequence == max(numbers.upperBound - 2, numbers.lowerBound))
        #expect(place.start == 12)
        #expect(place.timeline != 0)
    }

    @Test func otherNamesBelowAreAnotherStream() throws {
        var plan = played(list(10...13))
        var newer = list(10...12)
        for index in newer.segments.indices { newer.segments[index].uri = "restart\(index).ts" }
        #expect(plan.update(newer) == .restarted)
    }

    @Test(arguments: [10...12, 4...7]) func anOldCopyIsWaitedOut(numbers: ClosedRange<Int>) throws {
        var plan = played(list(10...13))
        for _ in 0..<5 { #expect(plan.update(list(numbers), isPersistent: true) == .none) }
        #expect(plan.step == .reload)
        #expect(plan.update(list(12...15)) == .more)
        #expect(next(plan) == 14)
        #expect(try place(plan).start == 12)
    }

    @Test func theSameNamesBelowAreAnotherStreamThatGoesOn() {
        var plan = played(list(10...13))
        #expect(plan.update(list(8...11)) == .none)
        // A server that is behind goes on as well, and is soon where we are.
        #expect(plan.update(list(9...12)) == .none)
        #expect(plan.update(list(10...13)) == .none)
        #expect(plan.update(list(8...11), isPersistent: true) == .none)
        #expect(plan.update(list(9...12), isPersistent: true) == .restarted)
    }

    @Test func anEndBelowIsAnotherStreams() {
        var plan = played(list(10...13))
        #expect(plan.update(list(0...1, kind: .vod)) == .restarted)
        #expect(next(plan) == 0)
    }

    @Test func laterDatesBelowAreAnotherStream() {
        var plan = played(list(10...13, firstDate: 1000))
        #expect(plan.update(list(10...12, firstDate: 900)) == .none)
        #expect(plan.update(list(10...12, firstDate: 2000)) == .restarted)
    }

    @Test func anEmptyBeginningWaitsForTheFirstSegments() throws {
        var plan = SegmentPlan(MediaPlaylist(targetDuration: 4))
        #expect(plan.update(MediaPlaylist(targetDuration: 4)) == .none)
        #expect(plan.update(list(5000...5009)) == .more)
        #expect(next(plan) == 5007)
        #expect(try place(plan).start == 0)
    }

    // MARK: Discontinuities

    @Test func discontinuitiesAreClocks() throws {
        let plan = SegmentPlan(list(0...3, kind: .vod, discontinuities: [2]))
        var copy = plan
        var timelines: [Int] = []
        while let place = try? place(copy) {
            timelines.append(place.timeline)
            copy.advance()
        }
        #expect(timelines == [0, 0, 1, 1])
    }

    @Test(arguments: [0, 1])
    func aServerMayForgetToCountThem(counted: Int) throws {
        var plan = played(list(10...13, discontinuities: [12]))
        // 12, which had the tag, has left the window.
        #expect(plan.update(list(13...15, counted: counted)) == .more)
        #expect(try place(plan).timeline == 1)
    }

    // MARK: Seeking

    @Test(arguments: [(-5.0, 0, 0.0), (0, 0, 0), (3.99, 0, 0), (4, 1, 4), (21, 5, 20), (39.9, 9, 36), (500, 9, 36)])
    func aSeekFindsItsSegment(seconds: Double, index: Int, start: Double) {
        var plan = SegmentPlan(list(0...9, kind: .vod))
        #expect(plan.seek(to: seconds) == start)
        #expect(next(plan) == index)
    }

    @Test func aLiveSeekStaysInTheWindow() {
        var plan = SegmentPlan(list(10...19))
        #expect(plan.seek(to: -1000) == -28)
        #expect(next(plan) == 10)
        #expect(plan.seek(to: 1000) == 8)
        #expect(next(plan) == 19)
    }

    // MARK: Variants

    @Test func anotherVariantGoesOnWhereTheLastEnded() throws {
        var plan = SegmentPlan(list(0...9, kind: .vod))
        for _ in 0..<5 { plan.advance() }
        // Cut alike, with lengths that are rounded otherwise.
        var alike = plan
        #expect(alike.change(to: list(0...9, kind: .vod, duration: 4.004), from: 20) == true)
        #expect(next(alike) == 5)
        // Cut otherwise: 18 to 24 s.
        var other = plan
        #expect(other.change(to: list(0...6, kind: .vod, duration: 6), from: 20) == true)
        #expect(try place(other).start == 18)
        // A rounding error is no reason to hear a segment again.
        var close = plan
        #expect(close.change(to: list(0...20, kind: .vod, duration: 2.01), from: 20) == true)
        #expect(next(close) == 10)
    }

    @Test func aLiveVariantCountsAlike() throws {
        var plan = played(list(10...13))
        #expect(plan.change(to: list(11...14, folder: "low/"), from: 12) == true)
        let found = try place(plan)
        #expect(found.sequence == 14)
        #expect(found.start == 12)
        // One that is a segment behind.
        var late = played(list(10...13))
        #expect(late.change(to: list(9...12, folder: "low/"), from: 12) == false)
        var waiting = played(list(10...13))
        #expect(waiting.change(to: list(10...13, folder: "low/"), from: 12) == true)
        #expect(waiting.step == .reload)
    }

    @Test func datesMatchLiveVariantsThatCountOtherwise() throws {
        var plan = played(list(10...13, firstDate: 1000))
        #expect(plan.change(to: list(510...515, folder: "low/", firstDate: 996), from: 12) == true)
        let found = try place(plan)
        #expect(found.sequence == 515)
        #expect(found.start == 12)
    }
}
