import Testing

@testable import OutputGroups

/// Frames at two rates that are heard together.
struct FrameMapTests {
    @Test(arguments: [(44_100, 48_000), (48_000, 44_100), (44_100, 44_100), (96_000, 44_100), (8_000, 192_000)])
    func mapsThereAndBack(_ groupRate: Int, _ memberRate: Int) {
        var map = FrameMap(groupRate: groupRate, memberRate: memberRate)
        map.join(group: 12_345, member: 777)
        for offset in [0, 1, 2, 146, 147, 148, 1_000_003] {
            let member = map.member(12_345 + offset)
            let group = map.group(Double(member))
            // The first member frame that is not before: less than one of its frames later.
            #expect(group > Double(12_345 + offset) - 1e-6)
            #expect(group < Double(12_345 + offset) + Double(groupRate) / Double(memberRate) + 1e-6)
            let common = map.common(before: 12_345 + offset)
            #expect(common <= 12_345 + offset && common >= 12_345)
            #expect((common - 12_345) * memberRate % groupRate == 0)
            #expect(map.group(Double(map.member(common))) == Double(common))
        }
        // Nothing lies before the origin.
        #expect(map.group(0) == 12_345 && map.common(before: 0) == 12_345)
    }
}
