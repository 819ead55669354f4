import PictureValues
import TerminalGrid
import TestSupport
import Testing

/// Lists of numbers, whose pages are fetched when the grid wants them.
struct ItemGridTests {
    private static let cell = TerminalCanvas.usualCell

    /// A grid, and the list that it shows.
    private struct Stage {
        var grid: ItemGrid<Int>
        var count: Int
        var fetches = 0

        init(_ count: Int, columns: Int = 80, rows: Int = 24, _ form: GridLayout.Form = .tiles(zoom: 1)) {
            grid = ItemGrid(GridLayout(form, columns: columns, rows: rows, top: 1, cell: ItemGridTests.cell))
            self.count = count
            load()
        }

        mutating func fetch(_ range: Range<Int>) {
            fetches += 1
            grid.keep(Array(range.clamped(to: 0..<max(0, count))), of: range)
        }

        mutating func load() { while let range = grid.missing { fetch(range) } }

        mutating func move(_ steps: ItemGrid<Int>.Step...) {
            for step in steps {
                if step == .end { while let index = grid.probe { fetch(index..<index + 1) } }
                grid.move(step)
                load()
            }
        }

        /// Whether the focus is a visible item, and all that is visible is known.
        var isSound: Bool {
            guard count > 0 else { return grid.visible.isEmpty && grid.count == 0 }
            return grid.visible.contains(grid.focus) && grid.focus < count && grid.visible.upperBound <= max(count, 1)
                && grid.visible.allSatisfy { grid[$0] == $0 }
        }
    }

    @Test(arguments: [0, 1, 5, 6, 63, 64, 65, 128, 1_000, 10_000])
    func theLastItemIsFound(_ count: Int) {
        var stage = Stage(count)
        stage.move(.end)
        #expect(stage.grid.count == count && stage.grid.focus == max(0, count - 1) && stage.isSound)
        // Of ten thousand items, few are fetched.
        #expect(stage.fetches < 40)
        stage.move(.home)
        #expect(stage.grid.focus == 0 && stage.isSound)
    }

    @Test func nothingIsFetchedBeforeItIsVisible() {
        var stage = Stage(10_000, columns: 12, rows: 6)
        #expect(stage.fetches == 1 && stage.grid.count == nil)
        for _ in 0..<63 { stage.move(.right) }
        #expect(stage.fetches == 1 && stage.grid.focus == 63)
        stage.move(.right)
        #expect(stage.fetches == 2 && stage.grid[64] == 64)
    }

    @Test func rowsEndAtTheEdges() {
        // Five tiles in a row, three of them in the last one.
        var stage = Stage(13, columns: 70, rows: 18)
        #expect(stage.grid.layout.columns == 5 && stage.grid.layout.rows == 3)
        stage.move(.up, .left)
        #expect(stage.grid.focus == 0)
        stage.move(.right, .right, .right, .right, .down)
        #expect(stage.grid.focus == 9)
        // There is none below it in the last row, so the last one has the focus.
        stage.move(.down)
        #expect(stage.grid.focus == 12)
        stage.move(.down, .right)
        #expect(stage.grid.focus == 12)
        stage.move(.up)
        #expect(stage.grid.focus == 7)
        stage.move(.pageDown)
        #expect(stage.grid.focus == 12)
        stage.move(.pageUp)
        #expect(stage.grid.focus == 0)
    }

    /// Whatever is pressed, and however the terminal is resized.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func theFocusIsVisible(_ seed: UInt64) {
        var generator = SplitMix(state: seed)
        var stage = Stage([0, 3, 64, 65, 500, 5_000][Int(seed) % 6])
        for _ in 0..<400 {
            switch Int.random(in: 0..<12, using: &generator) {
            case 0:
                let form: GridLayout.Form =
                    Bool.random(using: &generator) ? .lines : .tiles(zoom: .random(in: -1..<10, using: &generator))
                stage.grid.setLayout(
                    GridLayout(
                        form,
                        columns: .random(in: 1..<400, using: &generator),
                        rows: .random(in: 1..<200, using: &generator),
                        top: 1,
                        cell: Self.cell
                    )
                )
                stage.load()
            case 1: stage.move(.end)
            default: stage.move(ItemGrid<Int>.Step.allCases.randomElement(using: &generator) ?? .down)
            }
            #expect(stage.isSound, "seed \(seed)")
        }
    }

    /// Items go and come while they are looked at.
    @Test func aListThatChanges() {
        var stage = Stage(100)
        stage.move(.end)
        stage.count = 10
        stage.grid.keep(Array(0..<10), of: 0..<64)
        stage.load()
        #expect(stage.grid.count == 10 && stage.grid.focus == 9 && stage.isSound)
        stage.count = 0
        stage.grid.keep([], of: 0..<64)
        stage.load()
        #expect(stage.grid.count == 0 && stage.isSound)
        stage.move(.right, .down, .end, .pageDown)
        #expect(stage.grid.focus == 0)
        stage.count = 70
        stage.grid.keep(Array(0..<64), of: 0..<64)
        stage.load()
        stage.move(.end)
        #expect(stage.grid.focus == 69 && stage.isSound)
    }

    /// A list of which an item was taken out begins anew where it was.
    @Test func aNewListKeepsTheFocus() {
        var stage = Stage(20, .lines)
        stage.move(.end)
        stage.count = 19
        stage.grid.reset(focus: stage.grid.focus)
        stage.load()
        #expect(stage.grid.focus == 18 && stage.isSound)
    }

    // MARK: Layout

    @Test(arguments: [(80, 21), (100, 26), (200, 50), (40, 10), (300, 80)])
    func aboutTwelveAreVisible(_ columns: Int, _ rows: Int) {
        let zoom = GridLayout.usualZoom(columns: columns, rows: rows, cell: Self.cell)
        let layout = GridLayout(.tiles(zoom: zoom), columns: columns, rows: rows, top: 1, cell: Self.cell)
        #expect((8...18).contains(layout.count), "\(layout)")
    }

    @Test(arguments: 0..<GridLayout.widths.count, [(1, 1), (8, 3), (80, 21), (1_000, 300)])
    func tilesAreOnTheScreen(_ zoom: Int, _ size: (columns: Int, rows: Int)) {
        let layout = GridLayout(.tiles(zoom: zoom), columns: size.columns, rows: size.rows, top: 3, cell: Self.cell)
        var cells: Set<[Int]> = []
        for slot in 0..<min(layout.count, 200) {
            let place = layout.place(of: slot)
            #expect(place.column >= 1 && place.column + layout.tileColumns - 1 <= size.columns)
            #expect(place.row >= 3 && (size.rows < 3 || place.row + layout.tileRows < 3 + size.rows))
            #expect(cells.insert([place.row, place.column]).inserted)
        }
    }
}
