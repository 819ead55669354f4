import AudioTypes
import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct ReloadScheduleTests {
    private let start = HostTime(nanoseconds: 1_000_000_000_000)

    @Test func aChangedPlaylistRestsAndAnUnchangedOneHalfAsLong() {
        var schedule = ReloadSchedule(targetDuration: 6, began: start)
        #expect(schedule.next == start + 6)
        schedule.loaded(isChanged: false, targetDuration: 6, began: start + 6)
        #expect(schedule.next == start + 9)
        schedule.loaded(isChanged: true, targetDuration: 4, began: start + 9)
        #expect(schedule.next == start + 13)
        schedule.failed(retryAt: start + 20)
        #expect(schedule.next == start + 20)
    }

    @Test func standingStillIsNoticed() {
        var schedule = ReloadSchedule(targetDuration: 6, began: start)
        #expect(schedule.standsStillSince(now: start + 18) == nil)
        #expect(schedule.standsStillSince(now: start + 18.1) == start)
        schedule.loaded(isChanged: true, targetDuration: 6, began: start + 19)
        #expect(schedule.standsStillSince(now: start + 30) == nil)
    }

    @Test func aPauseMakesItOutdated() {
        let schedule = ReloadSchedule(targetDuration: 6, began: start)
        #expect(!schedule.isOutdated(now: start + 11))
        #expect(schedule.isOutdated(now: start + 13))
    }
}
