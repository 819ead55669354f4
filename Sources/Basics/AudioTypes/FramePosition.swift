/// A position in the endless stream of frames that one player renders: frame 0 is the first one ever rendered.
///
/// The stream never restarts: a seek or a skip makes the reader jump forward to where new audio begins, so a position
/// identifies one frame for good.
package struct FramePosition: Sendable, Hashable, Comparable {
    package var index: Int

    package init(_ index: Int) { self.index = index }

    package static let zero = FramePosition(0)

    package static func < (left: Self, right: Self) -> Bool { left.index < right.index }
    package static func + (position: Self, frames: Int) -> Self { Self(position.index.adding(saturating: frames)) }
    package static func - (position: Self, frames: Int) -> Self { Self(position.index.subtracting(saturating: frames)) }
    /// The number of frames from `right` to `left`.
    package static func - (left: Self, right: Self) -> Int { left.index.subtracting(saturating: right.index) }
    package static func += (position: inout Self, frames: Int) { position = position + frames }
}
