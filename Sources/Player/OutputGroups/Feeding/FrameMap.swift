/// Maps a member's frames to the group's, at their two rates.
struct FrameMap: Sendable, Hashable {
    let groupRate: Int
    let memberRate: Int
    /// Two frames that are heard at the same moment.
    private(set) var groupOrigin = 0
    private(set) var memberOrigin = 0

    init(groupRate: Int, memberRate: Int) {
        self.groupRate = groupRate
        self.memberRate = memberRate
    }

    mutating func join(group: Int, member: Int) {
        groupOrigin = group
        memberOrigin = member
    }

    /// The member's first frame that is not heard before a frame of the group.
    func member(_ group: Int) -> Int {
        let product = (group - groupOrigin) * memberRate
        return memberOrigin + (product + (product > 0 ? groupRate - 1 : 0)) / groupRate
    }

    /// The group's frame that is heard with a frame of the member; not before the origin.
    func group(_ member: Double) -> Double {
        let offset = max(0, member - Double(memberOrigin))
        return Double(groupOrigin) + offset * Double(groupRate) / Double(memberRate)
    }

    /// The group's last frame at or before this one that falls exactly on a frame of the member.
    func common(before group: Int) -> Int {
        let step = groupRate / Self.divisor(groupRate, memberRate)
        return groupOrigin + max(0, group - groupOrigin) / step * step
    }

    private static func divisor(_ first: Int, _ second: Int) -> Int {
        second == 0 ? first : divisor(second, first % second)
    }
}
