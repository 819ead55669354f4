/// A long list in a grid: the items that are known, the one that has the focus, and the part that is visible.
///
/// Items are fetched in pages when they become visible, so they need not be counted.
package struct ItemGrid<Item: Sendable>: Sendable {
    /// A move of the focus.
    package enum Step: Sendable, Hashable, CaseIterable {
        case left, right, up, down, pageUp, pageDown, home, end
    }

    package private(set) var layout: GridLayout
    /// The item that keys are about.
    package private(set) var focus = 0
    private var firstRow = 0
    /// By their first index.
    private var pages: [Int: [Item]] = [:]
    /// How many items there are at least, and at most.
    private var least = 0
    private var most: Int?

    package static var pageSize: Int { 64 }
    /// Pages farther away from the focus are forgotten.
    private static var pagesKept: Int { 8 }

    package init(_ layout: GridLayout) { self.layout = layout }

    /// How many items there are; `nil` until the last one was seen.
    package var count: Int? { most == least ? least : nil }

    /// The indices that are visible.
    package var visible: Range<Int> {
        let start = firstRow * layout.columns
        return start..<max(start, min(start + layout.count, most ?? .max))
    }

    package subscript(index: Int) -> Item? {
        guard let page = pages[Self.start(ofPageWith: index)] else { return nil }
        let place = index % Self.pageSize
        return page.indices.contains(place) ? page[place] : nil
    }

    private static func start(ofPageWith index: Int) -> Int { index / pageSize * pageSize }

    // MARK: Fetching

    /// A page that is to be fetched for what is visible; `nil` when all of that is known.
    package var missing: Range<Int>? {
        let (first, last) = (visible.lowerBound, max(visible.lowerBound, visible.upperBound - 1))
        let start = stride(from: Self.start(ofPageWith: first), through: last, by: Self.pageSize)
            .first { pages[$0] == nil && $0 < most ?? .max }
        return start.map { $0..<$0 + Self.pageSize }
    }

    /// An index of which it is to be asked whether there is such an item, to find the last one; `nil` when that is known.
    package var probe: Int? {
        if let most { return most == least ? nil : (least + most) / 2 }
        return max(Self.pageSize, 2 * least)
    }

    /// Keeps what was fetched.
    ///
    /// - Parameters:
    ///   - items: Fewer than the range has where it reaches beyond the last item.
    ///   - range: A page, or a single index.
    package mutating func keep(_ items: [Item], of range: Range<Int>) {
        let end = range.lowerBound + items.count
        if items.count < range.count {
            most = items.isEmpty ? min(most ?? end, end) : end
            // Items may have gone meanwhile.
            least = min(least, end)
        } else if let most, most < end {
            self.most = nil
        }
        if !items.isEmpty { least = max(least, end) }
        if range.count == Self.pageSize { pages[range.lowerBound] = items }
        settle()
        let near = Self.start(ofPageWith: focus)
        pages = pages.filter { start, _ in
            abs(start - near) <= Self.pagesKept * Self.pageSize
                || (start..<start + Self.pageSize).overlaps(visible)
        }
    }

    // MARK: Changes

    /// Moves the focus; `end` needs ``probe`` to be `nil`.
    package mutating func move(_ step: Step) {
        let target =
            switch step {
            case .left: focus - 1
            case .right: focus + 1
            case .up: focus - layout.columns
            case .down: focus + layout.columns
            case .pageUp: focus - layout.count
            case .pageDown: focus + layout.count
            case .home: 0
            case .end: least - 1
            }
        switch step {
        // There is nothing above the first row, nor below the last one.
        case .up where target < 0: return
        case .down where isInLastRow: return
        default: focus = max(0, target)
        }
        settle()
    }

    private var isInLastRow: Bool {
        most.map { focus / layout.columns == max(0, $0 - 1) / layout.columns } ?? false
    }

    package mutating func setLayout(_ layout: GridLayout) {
        self.layout = layout
        settle()
    }

    /// Begins a new list.
    ///
    /// - Parameter focus: An index in it, or behind its end.
    package mutating func reset(focus: Int = 0) {
        self = Self(layout)
        self.focus = focus
        settle()
    }

    /// Keeps the focus within the list, and visible.
    private mutating func settle() {
        if let most { focus = min(focus, max(0, most - 1)) }
        let row = focus / layout.columns
        firstRow = min(row, max(firstRow, row - layout.rows + 1))
        // No rows stay empty at the end.
        if let count { firstRow = min(firstRow, max(0, (count + layout.columns - 1) / layout.columns - layout.rows)) }
    }
}
