internal import GRDB
internal import SongFilters
internal import Songs

/// Takes the songs of a window from songs that arrive in order.
struct WindowTaker {
    private(set) var numbers: [Int] = []
    /// Whether the limit of songs to check was exceeded.
    private(set) var hasGivenUp = false
    private let window: Range<Int>
    private let visible: VisibleSongs?
    private var place = 0
    private var matcher: SongMatcher?
    private var isWanted: ((Int) throws -> Bool)?
    /// How many songs may still be checked.
    private var left = Int.max

    /// - Parameter visible: The only songs that are taken; `nil` for all.
    init(_ window: Range<Int>, _ visible: VisibleSongs? = nil) { (self.window, self.visible) = (window, visible) }

    /// Takes only songs that match a filter, and checks at most `patience` songs.
    init(
        _ window: Range<Int>,
        _ visible: VisibleSongs?,
        _ db: Database,
        _ filter: SongFilter,
        patience: Int
    ) throws {
        (self.window, self.visible) = (window, visible)
        left = patience
        let matcher = filter.matcher()
        self.matcher = matcher
        let lines = try Query(db, "SELECT lines FROM block WHERE id = ?")
        var maker = SongMaker()
        isWanted = { number in
            lines.bind(1, number)
            return try lines.first { unsafe $0.withBytes(0) { unsafe matcher.matches(maker.song($0)) } } ?? false
        }
    }

    /// Throws if a regular expression has taken too long, in which case songs may have been missed.
    func check() throws { try matcher?.check() }

    var isFull: Bool { place >= window.upperBound || hasGivenUp }

    /// Takes from songs that all match.
    mutating func append(_ songs: [Int]) {
        let songs = visible.map { visible in songs.filter(visible.contains(number:)) } ?? songs
        let wanted = window.clamped(to: place..<place + songs.count)
        numbers += songs[wanted.lowerBound - place..<wanted.upperBound - place]
        place += songs.count
    }

    /// Takes from songs whose numbers a query returns.
    mutating func append(_ query: Query) throws {
        if isFull { return }
        try query.whileWanted { row in
            let number = row.int(0)
            if visible?.contains(number: number) == false { return true }
            if let isWanted {
                left -= 1
                hasGivenUp = left < 0
                if hasGivenUp { return false }
                guard try isWanted(number) else { return true }
            }
            if window.contains(place) { numbers.append(number) }
            place += 1
            return !isFull
        }
    }
}
