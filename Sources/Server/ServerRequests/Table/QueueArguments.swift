package import LineProtocol

/// A range of queue positions, or a single one: `3`, `3:7`, `3:`.
package struct QueueRange: Sendable, Hashable {
    package var start: Int
    /// `nil` for the end of the queue.
    package var end: Int?
    /// Whether it is a single position, which must exist.
    package var isSingle = false

    package static let everything = QueueRange(start: 0)

    package init(start: Int, end: Int? = nil, isSingle: Bool = false) {
        self.start = start
        self.end = end
        self.isSingle = isSingle
    }

    package init(parsing word: String) throws(AckError) {
        let parts = word.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = Int(parts[0]) else { throw AckError(.badArgument, "Integer or range expected: \(word)") }
        // Old clients send -1 for the whole queue.
        if start == -1, parts.count == 1 {
            self = .everything
            return
        }
        try Self.check(start, word)
        guard parts.count == 2 else {
            self.init(start: start, end: start + 1, isSingle: true)
            return
        }
        guard !parts[1].isEmpty else {
            self.init(start: start)
            return
        }
        guard let end = Int(parts[1]) else { throw AckError(.badArgument, "Integer or range expected: \(word)") }
        try Self.check(end, word)
        guard end >= start else { throw AckError(.badArgument, "Malformed range: \(word)") }
        self.init(start: start, end: end)
    }

    private static func check(_ number: Int, _ word: String) throws(AckError) {
        if number < 0 { throw AckError(.badArgument, "Number is negative: \(word)") }
        if number > Int(Int32.max) { throw AckError(.badArgument, "Number too large: \(word)") }
    }

    /// The positions in a queue of `count` entries.
    ///
    /// - Throws: When a single position does not exist, or the range starts after the end.
    package func positions(of count: Int) throws(AckError) -> Range<Int> {
        guard isSingle ? start < count : start <= count else { throw AckError(.badArgument, "Bad song index") }
        return start..<max(start, min(end ?? count, count))
    }

    /// The positions, limited to those that exist.
    package func clamped(to count: Int) -> Range<Int> {
        let start = min(start, count)
        return start..<max(start, min(end ?? count, count))
    }
}

/// A position to insert at: `5`, or relative to the current song, `+0` right after it and `-0` right before it.
package enum InsertPosition: Sendable, Hashable {
    case absolute(Int)
    case afterCurrent(Int)
    case beforeCurrent(Int)

    package init(parsing word: String) throws(AckError) {
        let limit = Int(Int32.max)
        switch word.first {
        case "+": self = .afterCurrent(try parseInteger(String(word.dropFirst()), in: 0...limit))
        case "-": self = .beforeCurrent(try parseInteger(String(word.dropFirst()), in: 0...limit))
        default: self = .absolute(try parseInteger(word, in: 0...limit))
        }
    }

    /// The absolute position, from 0 to `limit`.
    package func position(current: Int?, through limit: Int) throws(AckError) -> Int {
        let position: Int
        switch self {
        case .absolute(let number):
            guard number <= limit else { throw tooLarge }
            return number
        case .afterCurrent(let offset):
            guard let current else { throw AckError(.notPlaying, "No current song") }
            position = current + 1 + offset
        case .beforeCurrent(let offset):
            guard let current else { throw AckError(.notPlaying, "No current song") }
            position = current - offset
        }
        guard (0...limit).contains(position) else { throw tooLarge }
        return position
    }

    /// The number without its sign.
    package var distance: Int {
        switch self {
        case .absolute(let number), .afterCurrent(let number), .beforeCurrent(let number): number
        }
    }

    /// MPD's refusal of a position beyond either end of the queue.
    package var tooLarge: AckError { AckError(.badArgument, "Number too large: \(distance)") }
}
