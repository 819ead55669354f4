import Testing

@testable import Playback

/// When an output is notified of frames; it takes 1,000 before it plays, and is usually told of 5,000 at once.
struct FrameNoticeTests {
    /// The written frames, 100 at a time, at which it is notified.
    private static func notices(_ notice: inout FrameNotice, of count: Int) -> [Int] {
        (1...count / 100).map { $0 * 100 }.filter { _ in
            notice.add(100, lead: 1_000, stretch: 5_000) && notice.tell()
        }
    }

    @Test func usuallyTellsOfAStretch() {
        var notice = FrameNotice()
        #expect(Self.notices(&notice, of: 12_000) == [5_000, 10_000])
        #expect(notice.untold == 2_000)
    }

    @Test func aJumpIsHeardAsSoonAsItCanBe() {
        var notice = FrameNotice()
        _ = Self.notices(&notice, of: 900)
        notice.restart()
        #expect(notice.untold == 0)
        #expect(Self.notices(&notice, of: 7_000) == [1_000, 6_000])
        notice.land()
        #expect(Self.notices(&notice, of: 1_000) == [100], "900 were not told of")
    }

    @Test func replacementsAreToldOfAtOnce() {
        var notice = FrameNotice()
        notice.revise()
        notice.land()
        let isNews = notice.add(0, lead: 0, stretch: 0)
        #expect(!isNews, "nothing was written")
        #expect(Self.notices(&notice, of: 6_000) == [100, 5_100])
        notice.revise()
        notice.restart()
        #expect(Self.notices(&notice, of: 2_000) == [1_000])
    }

    @Test func nothingIsNoNews() {
        var notice = FrameNotice()
        var news = [notice.tell()]
        _ = notice.add(1, lead: 1_000, stretch: 5_000)
        news += [notice.tell(), notice.tell()]
        #expect(news == [false, true, false])
    }
}
