package import Songs
package import TextPatterns

/// A client's filter for songs, in either of MPD's syntaxes: `artist A title B`, or expressions in parentheses.
///
/// A value; `matcher()` makes a matcher for songs from it.
package struct SongFilter: Sendable {
    /// The filter's condition, for an index that finds songs without checking all of them.
    package let condition: Condition
    package private(set) var patterns: [Pattern]

    /// The comparison mode of a command.
    package enum Mode: Sendable, Hashable {
        /// `find`: exactly.
        case exact
        /// `search`: words in the old syntax match anywhere, with folding.
        case folded(Folding)

        fileprivate var folding: Folding {
            switch self {
            case .exact: .none
            case .folded(let folding): folding
            }
        }
    }

    /// A line of a client has room for thousands, and each song may be compared with all of them.
    private static let mostConditions = 256

    /// - Parameter arguments: The complete filter; several conditions are combined by AND.
    package init(_ arguments: some Collection<String>, _ mode: Mode) throws(SongFilterError) {
        var arguments = arguments[...]
        var conditions: [Condition] = []
        var patterns: [Pattern] = []
        if arguments.isEmpty { throw SongFilterError("Incorrect number of filter arguments") }
        while let first = arguments.popFirst() {
            if first.utf8.first == UInt8(ascii: "(") {
                let insensitive = mode.folding == .none ? Folding.all : mode.folding
                var parser = ExpressionParser(first, mode.folding, insensitive: insensitive, patterns: patterns)
                conditions.append(try parser.parse())
                patterns = parser.patterns
            } else {
                guard let value = arguments.popFirst() else {
                    throw SongFilterError("Incorrect number of filter arguments")
                }
                conditions.append(try Self.condition(first, value, mode))
            }
        }
        condition = conditions.count == 1 ? conditions[0] : .all(conditions)
        guard condition.count <= Self.mostConditions else {
            throw SongFilterError("Too many conditions in the filter: at most \(Self.mostConditions)")
        }
        self.patterns = patterns
    }

    /// A pair in the old syntax.
    private static func condition(_ name: String, _ value: String, _ mode: Mode) throws(SongFilterError) -> Condition {
        switch name.lowercased() {
        case "base":
            guard isLocalPath(value) else { throw SongFilterError("Bad URI") }
            return .base(value)
        case "modified-since": return .modifiedSince(try parseDate(value))
        case "added-since": return .addedSince(try parseDate(value))
        case "audioformat": return .format(try FormatMask(value, allowsWildcards: false))
        default:
            guard let field = Condition.Field(name: name) else { throw SongFilterError("Unknown filter type") }
            return .text(field, TextMatch(value, mode == .exact ? .whole : .anywhere, mode.folding), isNegated: false)
        }
    }

    /// A matcher for immediate use on the same thread: regular expressions have a limited time.
    package func matcher() -> SongMatcher {
        let deadline = ContinuousClock.now + PatternSearch.patience
        return SongMatcher(condition, patterns.map { $0.search(until: deadline) })
    }

    /// Whether the filter contains regular expressions.
    ///
    /// These may take long: such a filter belongs on a thread that nothing else waits for.
    package var hasPatterns: Bool { !patterns.isEmpty }

    /// The same filter, whose regular expressions are aborted when `isCancelled` returns `true`.
    package func cancelled(when isCancelled: @escaping @Sendable () -> Bool) -> SongFilter {
        var filter = self
        for index in patterns.indices { filter.patterns[index].isCancelled = isCancelled }
        return filter
    }

    /// The directory that contains all matching songs, or the only matching song, if the filter restricts to one.
    package var base: String? { condition.base }
}

extension Condition {
    fileprivate var count: Int {
        switch self {
        case .not(let condition): condition.count
        case .all(let conditions): conditions.reduce(0) { $0 + $1.count }
        default: 1
        }
    }

    fileprivate var base: String? {
        switch self {
        case .base(let base): base
        case .all(let conditions): conditions.firstNonNil(\.base)
        default: nil
        }
    }
}

/// Checks whether songs match a filter.
///
/// Allocates no strings for ASCII tags.
package struct SongMatcher {
    private let condition: Condition
    private let patterns: [PatternSearch]

    fileprivate init(_ condition: Condition, _ patterns: [PatternSearch]) {
        self.condition = condition
        self.patterns = patterns
    }

    /// Throws if a regular expression has taken too long, in which case matching songs may have been missed.
    package func check() throws(PatternError) {
        for pattern in patterns { try pattern.check() }
    }

    /// - Parameter priority: The song's priority in the queue; 0 elsewhere.
    package func matches(_ song: Song, priority: Int = 0) -> Bool { matches(song, priority, condition) }

    private func matches(_ song: Song, _ priority: Int, _ condition: Condition) -> Bool {
        switch condition {
        case .text(let field, let text, let isNegated):
            return isMatch(field.search(song, for: text.matches), field, whenAbsent: text.isEmpty) != isNegated
        case .pattern(let field, let index, let isNegated):
            let result = field.search(song, for: patterns[index].matches)
            return (result == .matched) != isNegated
        case .base(let base):
            if base.isEmpty { return true }
            let base = base.utf8.last == UInt8(ascii: "/") ? base.utf8.dropLast() : base.utf8[...]
            let uri = withoutCredentials(song.uri)
            guard uri.utf8.starts(with: base) else { return false }
            let rest = uri.utf8.dropFirst(base.count)
            return rest.isEmpty || rest.first == UInt8(ascii: "/")
        case .modifiedSince(let date): return song.lastModified.map { $0 >= date } ?? false
        case .addedSince(let date): return song.added.map { $0 >= date } ?? false
        case .format(let mask): return mask.matches(song.format)
        case .priority(let least): return priority >= least
        case .not(let condition): return !matches(song, priority, condition)
        case .all(let conditions): return conditions.allSatisfy { matches(song, priority, $0) }
        }
    }

    /// An empty text means that the tag is absent.
    private func isMatch(_ result: Song.ValueSearch, _ field: Condition.Field, whenAbsent: Bool) -> Bool {
        switch (result, field) {
        case (.matched, _): true
        case (.absent, .tag): whenAbsent
        case (.absent, _), (.mismatched, _): false
        }
    }
}
