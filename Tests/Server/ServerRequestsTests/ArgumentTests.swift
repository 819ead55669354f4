import AudioTypes
import LineProtocol
import ServerBasics
import ServerRequests
import Testing

/// Arguments are taken and refused in mpd's words, as 0.23.12 says them.
@Suite struct ArgumentTests {
    private func badArgument(_ text: String) -> AckError { AckError(.badArgument, text) }

    // MARK: Numbers

    @Test(arguments: [("0", 0), ("7", 7), ("+5", 5), ("007", 7), ("2147483647", 2_147_483_647)])
    func numbers(_ word: String, _ number: Int) throws {
        #expect(try parseInteger(word, in: 0...Int(Int32.max)) == number)
    }

    @Test(arguments: [
        ("a", "Integer expected: a"), ("", "Integer expected: "), ("1.5", "Integer expected: 1.5"),
        ("0x1", "Integer expected: 0x1"), ("+", "Integer expected: +"), ("1 ", "Integer expected: 1 "),
        ("-1", "Number too large: -1"), ("101", "Number too large: 101"),
        ("99999999999999999999", "Number too large: 99999999999999999999"),
        ("-99999999999999999999", "Number too large: -99999999999999999999"),
    ])
    func numbersThatAreNone(_ word: String, _ text: String) {
        #expect(throws: badArgument(text)) { try parseInteger(word, in: 0...100) }
    }

    @Test func limitsBelowZero() throws {
        #expect(try parseInteger("-100", in: -100...100) == -100)
        #expect(throws: badArgument("Number too large: -200")) { try parseInteger("-200", in: -100...100) }
    }

    @Test(arguments: [("1", 1), ("-1.5", -1.5), (".5", 0.5), ("1e3", 1_000), ("+2", 2)])
    func fractions(_ word: String, _ number: Double) throws {
        #expect(try parseNumber(word) == number)
    }

    @Test(arguments: ["", "x", "1,5", "1 2", "--1"])
    func fractionsThatAreNone(_ word: String) {
        #expect(throws: badArgument("Float expected: \(word)")) { try parseNumber(word) }
    }

    @Test(arguments: [
        ("-1", "Negative value not allowed: -1"), ("-0.001", "Negative value not allowed: -0.001"),
        ("nan", "Float expected: nan"),
        ("inf", "Number too large: inf (it is from 0 to 10000000000 seconds)"),
        ("1e300", "Number too large: 1e300 (it is from 0 to 10000000000 seconds)"),
    ])
    func timesHaveBounds(_ word: String, _ text: String) throws {
        #expect(throws: badArgument(text)) { try read(.time(), word) }
        #expect(try read(.time(), "-0") == .zero)
    }

    @Test func boundsOfOursAreTold() throws {
        let crossfade = Argument<Int>.number("SECONDS", 0...60, unit: "seconds")
        #expect(try read(crossfade, "60") == 60)
        for word in ["61", "-1", "2147483647"] {
            let text = "Number too large: \(word) (it is from 0 to 60 seconds)"
            #expect(throws: badArgument(text)) { try read(crossfade, word) }
        }
        let threshold = Argument<Double>.number("DECIBELS", -200...200, unit: "dB")
        for word in ["nan", "-inf", "1e300", "200.5"] {
            let text = "Number too large: \(word) (it is from -200 to 200 dB)"
            #expect(throws: badArgument(text)) { try read(threshold, word) }
        }
    }

    @Test func booleans() throws {
        #expect(try parseBoolean("1"))
        #expect(try !parseBoolean("0"))
        for word in ["2", "x", "", "true", "01"] {
            #expect(throws: badArgument("Boolean (0/1) expected: \(word)")) { try parseBoolean(word) }
        }
    }

    private func read<Value>(_ argument: Argument<Value>, _ words: String...) throws -> Value {
        var cursor = ArgumentCursor(words)
        return try argument.read(&cursor)
    }

    @Test func whatMayBeLeftOut() throws {
        #expect(try read(.optional(.text("X"))) == nil)
        #expect(try read(.optional(.text("X")), "a") == "a")
        #expect(try read(.rest("X"), "a", "b") == ["a", "b"])
        #expect(try read(.rest("X")) == [])
        #expect(try read(.id(), "4294967295") == .max)
        #expect(throws: badArgument("Number too large: 4294967296")) { try read(.id(), "4294967296") }
    }

    // MARK: Ranges

    @Test(arguments: [
        ("0", QueueRange(start: 0, end: 1, isSingle: true)), ("7", QueueRange(start: 7, end: 8, isSingle: true)),
        ("3:7", QueueRange(start: 3, end: 7)), ("3:3", QueueRange(start: 3, end: 3)), ("3:", QueueRange(start: 3)),
        ("0:+1", QueueRange(start: 0, end: 1)), ("-1", .everything),
    ])
    func ranges(_ word: String, _ range: QueueRange) throws {
        #expect(try QueueRange(parsing: word) == range)
    }

    @Test(arguments: [
        ("a", "Integer or range expected: a"), ("", "Integer or range expected: "),
        (":", "Integer or range expected: :"), (":5", "Integer or range expected: :5"),
        ("1:x", "Integer or range expected: 1:x"), ("1:2:3", "Integer or range expected: 1:2:3"),
        ("1.5", "Integer or range expected: 1.5"), ("1:0", "Malformed range: 1:0"), ("-5", "Number is negative: -5"),
        ("-1:3", "Number is negative: -1:3"), ("0:-1", "Number is negative: 0:-1"),
        ("99999999999", "Number too large: 99999999999"), ("0:99999999999", "Number too large: 0:99999999999"),
    ])
    func rangesThatAreNone(_ word: String, _ text: String) {
        #expect(throws: badArgument(text)) { try QueueRange(parsing: word) }
    }

    /// What a range means in a queue of five; `nil` when mpd refuses it.
    @Test(
        arguments: [
            ("0", 0..<1), ("4", 4..<5), ("5", nil), ("0:5", 0..<5), ("0:99", 0..<5), ("2:", 2..<5), ("5:", 5..<5),
            ("5:9", 5..<5), ("6:9", nil), ("6:", nil), ("3:3", 3..<3), ("-1", 0..<5),
        ] as [(String, Range<Int>?)]
    )
    func positions(_ word: String, _ positions: Range<Int>?) throws {
        let range = try QueueRange(parsing: word)
        if let positions {
            #expect(try range.positions(of: 5) == positions)
            #expect(range.clamped(to: 5) == positions)
        } else {
            #expect(throws: badArgument("Bad song index")) { try range.positions(of: 5) }
            #expect(range.clamped(to: 5) == 5..<5)
        }
    }

    @Test func positionsInAnEmptyQueue() throws {
        #expect(try QueueRange.everything.positions(of: 0) == 0..<0)
        #expect(throws: badArgument("Bad song index")) { try QueueRange(parsing: "0").positions(of: 0) }
    }

    // MARK: Where songs go

    @Test(
        arguments: [
            ("0", .absolute(0)), ("5", .absolute(5)), ("+0", .afterCurrent(0)), ("+3", .afterCurrent(3)),
            ("-0", .beforeCurrent(0)), ("-3", .beforeCurrent(3)),
        ] as [(String, InsertPosition)]
    )
    func insertPositions(_ word: String, _ position: InsertPosition) throws {
        #expect(try InsertPosition(parsing: word) == position)
    }

    @Test(arguments: [
        ("x", "Integer expected: x"), ("", "Integer expected: "), ("+x", "Integer expected: x"),
        ("99999999999", "Number too large: 99999999999"), ("1:2", "Integer expected: 1:2"),
    ])
    func insertPositionsThatAreNone(_ word: String, _ text: String) {
        #expect(throws: badArgument(text)) { try InsertPosition(parsing: word) }
    }

    /// In a queue of five whose third song is current.
    @Test(
        arguments: [
            ("0", 0), ("5", 5), ("6", nil), ("+0", 3), ("+2", 5), ("+3", nil), ("-0", 2), ("-2", 0), ("-3", nil),
        ] as [(String, Int?)]
    )
    func placesInTheQueue(_ word: String, _ place: Int?) throws {
        let position = try InsertPosition(parsing: word)
        if let place {
            #expect(try position.position(current: 2, through: 5) == place)
        } else {
            let number = word.drop { $0 == "+" || $0 == "-" }
            #expect(throws: badArgument("Number too large: \(number)")) {
                try position.position(current: 2, through: 5)
            }
        }
    }

    @Test(arguments: ["+0", "-0"])
    func nothingIsRelativeToNoSong(_ word: String) throws {
        let position = try InsertPosition(parsing: word)
        #expect(throws: AckError(.notPlaying, "No current song")) { try position.position(current: nil, through: 5) }
    }

    // MARK: Idle's names

    @Test func subsystemsHaveNames() {
        for (subsystem, name) in Subsystems.names {
            #expect(Subsystems(name: name) == subsystem)
            #expect(Subsystems(name: name.uppercased()) == subsystem)
        }
        #expect(Subsystems(name: "foo") == nil)
        let mpds = """
            database stored_playlist playlist player mixer output options sticker update subscription message \
            neighbor mount partition
            """.split(separator: " ").compactMap { Subsystems(name: String($0)) }
        #expect(mpds.count == 14)
        // libmpdclient takes a name of ours for nothing, so only those who ask for it are told.
        #expect(Subsystems.all == Subsystems(mpds))
    }
}
