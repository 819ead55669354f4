internal import Songs

/// A song's date from ID3v2 frames: one frame since 2.4, several before (id3.org).
struct ID3v2Dates {
    private var years: [ArraySlice<UInt8>] = []
    private var originalYears: [ArraySlice<UInt8>] = []
    /// Day and month.
    private var day: [UInt8] = []
    /// Hours and minutes.
    private var time: [UInt8] = []

    /// Stores the value of one of the older frames.
    ///
    /// - Parameter values: Evaluated only then.
    mutating func add(_ frame: Int, _ values: () -> [ArraySlice<UInt8>]) -> Bool {
        switch frame {
        case fourCC("TYER"), fourCC("TYE"): Self.add(values(), to: &years)
        case fourCC("TORY"), fourCC("TOR"): Self.add(values(), to: &originalYears)
        case fourCC("TDAT"), fourCC("TDA"): day = Array(values().first ?? [])
        case fourCC("TIME"), fourCC("TIM"): time = Array(values().first ?? [])
        default: return false
        }
        return true
    }

    /// Adds a limited number of values, more than any song has.
    private static func add(_ values: [ArraySlice<UInt8>], to years: inout [ArraySlice<UInt8>]) {
        years += values.prefix(max(0, 16 - years.count)).map { Array($0)[...] }
    }

    /// Adds the date, unless newer frames have set it.
    func add(to tags: inout TagCollector, _ file: inout ScannedFile) {
        if !file.tags.contains(where: { $0.0 == .date }) {
            for year in years { tags.add(.date, whole(year), to: &file) }
        }
        if !file.tags.contains(where: { $0.0 == .originalDate }) {
            for year in originalYears { tags.add(.originalDate, year, to: &file) }
        }
    }

    /// A year with the day and the time, as far as they are valid.
    private func whole(_ year: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard years.count == 1, let date = Self.pair(day, 1...31, 1...12), year.count == 4,
            year.allSatisfy({ (0x30...0x39).contains($0) })
        else { return year }
        let hyphen = [UInt8(ascii: "-")]
        var text = Array(year) + hyphen + date.second + hyphen + date.first
        if let time = Self.pair(time, 0...23, 0...59) {
            text += [UInt8(ascii: "T")] + time.first + [UInt8(ascii: ":")] + time.second
        }
        return text[...]
    }

    /// Two numbers of two digits.
    private static func pair(
        _ text: [UInt8],
        _ first: ClosedRange<Int>,
        _ second: ClosedRange<Int>
    ) -> (first: ArraySlice<UInt8>, second: ArraySlice<UInt8>)? {
        guard text.count == 4, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let numbers = text.map { Int($0 - 0x30) }
        guard first.contains(numbers[0] * 10 + numbers[1]), second.contains(numbers[2] * 10 + numbers[3]) else {
            return nil
        }
        return (text[..<2], text[2...])
    }
}
