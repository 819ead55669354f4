import AudioSessions
import Testing

/// Section 2.2: what an activation of B does to an active A, as the specification's table has it.
///
/// `INT` interrupts, `DUCK` ducks, `MUTE` makes inaudible, `-` does nothing, `!pri` refuses B; `+h` adds a hint to A,
/// who is in the foreground.
private let table = """
    A                    B1     B2      B3  B4    B5   B6    B7
    A1-playing           INT    INT     -   DUCK  -    DUCK  INT
    A1-paused            INT    INT     -   DUCK  -    DUCK  INT
    A2-playing           INT    INT     -   DUCK  INT  INT   INT
    A2-paused            INT    INT     -   DUCK  -    -     INT
    A3-playing           -+h    MUTE+h  -   DUCK  -    DUCK  INT
    A3-paused            -+h    MUTE+h  -   DUCK  -    DUCK  INT
    A4-playing           -+h    MUTE+h  -   DUCK  INT  INT   INT
    A4-paused            -+h    MUTE+h  -   DUCK  -    -     INT
    A5-playing           -+h    MUTE+h  -   DUCK  -    DUCK  INT
    A6-recording         INT    INT     -   DUCK  -    DUCK  INT
    A7-call              -      !pri    -   -     -    -     -
    """

private typealias Setting = (SessionCategory, SessionMode, SessionOptions)

/// The sessions that stand for a row.
private let rows: [String: [Setting]] = [
    "A1": [
        (.playback, .default, []), (.soloAmbient, .default, []), (.playAndRecord, .default, []),
        (.multiRoute, .default, []), (.playback, .moviePlayback, []),
    ],
    "A2": [(.playback, .spokenAudio, []), (.soloAmbient, .spokenAudio, []), (.playAndRecord, .spokenAudio, [])],
    "A3": [
        (.playback, .default, .mixWithOthers), (.ambient, .default, []),
        (.playback, .default, .interruptSpokenAudioAndMixWithOthers), (.playAndRecord, .default, .mixWithOthers),
    ],
    "A4": [(.playback, .spokenAudio, .mixWithOthers), (.ambient, .spokenAudio, [])],
    "A5": [(.playback, .default, .duckOthers), (.ambient, .default, .duckOthers)],
    "A6": [(.record, .default, []), (.playAndRecord, .default, [])],
]

/// The sessions that stand for a column.
private let columns: [String: [Setting]] = [
    "B1": [
        (.playback, .default, []), (.playAndRecord, .default, []), (.soloAmbient, .default, []),
        (.multiRoute, .default, []), (.playback, .spokenAudio, []),
    ],
    "B2": [(.record, .default, [])],
    "B3": [(.ambient, .default, []), (.playback, .default, .mixWithOthers), (.playback, .voicePrompt, .mixWithOthers)],
    "B4": [
        (.playback, .default, .duckOthers), (.ambient, .default, .duckOthers), (.playAndRecord, .default, .duckOthers),
    ],
    "B5": [(.playback, .default, .interruptSpokenAudioAndMixWithOthers)],
    "B6": [(.playback, .voicePrompt, [.interruptSpokenAudioAndMixWithOthers, .duckOthers])],
]

/// One cell, with one of the sessions that stand for its row and one of those for its column.
struct Cell: CustomTestStringConvertible, Sendable {
    let row: String
    let column: String
    let wanted: String
    let variant: (a: Int, b: Int)

    var testDescription: String { "\(row) × \(column) (\(variant.a), \(variant.b)): \(wanted)" }

    static let all: [Cell] = {
        let lines = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return lines.dropFirst().flatMap { line in
            zip(lines[0], line).dropFirst().flatMap { column, wanted in
                let rowCount = rows[String(line[0].prefix(2))]?.count ?? 1
                let columnCount = columns[column]?.count ?? 3
                return (0..<rowCount).flatMap { a in
                    (0..<columnCount).map {
                        Cell(row: line[0], column: column, wanted: wanted, variant: (a, $0))
                    }
                }
            }
        }
    }()
}

@Suite struct ArbitrationTableTests {
    @Test func theTableIsWhole() {
        let lines = table.split(separator: "\n")
        #expect(Set(lines.dropFirst().map { $0.prefix(2) }).count == 7)
        #expect(lines.allSatisfy { $0.split(separator: " ").count == 8 })
        #expect(Cell.all.count > 250)
    }

    /// 2.2, each cell, and with it rows 4, 16 to 21, 24 to 27 and 42.
    @Test(arguments: Cell.all)
    func cell(_ cell: Cell) throws {
        var scene = Scene()
        let a = try standA(cell, in: &scene)
        let wasRunning = scene.arbiter[a]?.isPlaying ?? false
        let b = SessionID(99)
        guard let effects = try standB(cell, as: b, in: &scene) else { return }

        let parts = cell.wanted.split(separator: "+")
        switch parts[0] {
        case "INT":
            #expect(scene.acts(effects, on: a).first == "interrupt")
            #expect(scene.notices(effects, of: a).suffix(2) == ["inactive system 0", "began 0"])
            #expect(scene.state(a) == .interrupted)
            #expect(scene.arbiter[a]?.isPlaying == false)
            #expect(scene.arbiter[a]?.interruptedBy == [b])
            let began = effects.firstIndex(of: .notice(a, .interruptionBegan(.default))) ?? .max
            let sounds = effects.firstIndex(of: .notice(b, .didBecomeActive)) ?? .min
            #expect(began < sounds, "A is silent and told so before B may sound")
        case "DUCK":
            #expect(scene.acts(effects, on: a) == ["duck"])
            #expect(scene.notices(effects, of: a) == ["ducked"])
            #expect(scene.arbiter[a]?.isDucked == true)
        case "MUTE":
            #expect(scene.acts(effects, on: a) == ["mute"])
            #expect(scene.arbiter[a]?.isMuted == true)
        default:
            #expect(scene.acts(effects, on: a) == [])
        }
        if parts[0] != "INT" {
            #expect(scene.state(a) == .active)
            #expect(scene.arbiter[a]?.isPlaying == wasRunning)
        }
        let sound = cell.column == "B1" ? try scene.send(.playing(b, true)) : []
        #expect(scene.notices(effects + sound, of: a).contains("hintBegan") == (parts.last == "h"))
    }

    private func standA(_ cell: Cell, in scene: inout Scene) throws -> SessionID {
        let place = String(cell.row.prefix(2))
        guard let (category, mode, options) = rows[place]?[cell.variant.a] else {
            return try scene.begin("A", .call)
        }
        let a = try scene.open("A", category, options, mode: mode)
        try scene.send(.activate(a))
        if cell.row.hasSuffix("playing") { try scene.send(.playing(a, true)) }
        if cell.row.hasSuffix("recording"), category != .record { try scene.send(.recording(a, true)) }
        return a
    }

    /// Activates B; `nil` when it was refused as it had to be.
    private func standB(_ cell: Cell, as b: SessionID, in scene: inout Scene) throws -> [SessionEffect]? {
        guard let (category, mode, options) = columns[cell.column]?[cell.variant.b] else {
            let sessionClass = [SessionClass.call, .alarm, .assistant][cell.variant.b]
            return try scene.send(.beginSystemInterruption(b, SystemInterruption(sessionClass, name: "B")))
        }
        let configuration = try SessionConfiguration(category: category, mode: mode, options: options)
        try scene.send(.open(b, name: "B", kind: .client, configuration: configuration))
        // Beside a call, what needs the microphone is refused, and all else is admitted.
        let needsInput = category == .record || category == .playAndRecord
        if cell.row == "A7-call", needsInput {
            #expect(scene.refuse(.activate(b)) == .insufficientPriority)
            return nil
        }
        #expect(cell.wanted != "!pri")
        return try scene.send(.activate(b))
    }

    /// A is inactive: nothing, ever.
    @Test(arguments: ["B1", "B2", "B3", "B4", "B5", "B6"])
    func anInactiveSessionIsLeftAlone(column: String) throws {
        for (category, mode, options) in columns[column] ?? [] {
            var scene = Scene()
            let a = try scene.open("A", mode: .spokenAudio)
            let b = try scene.open("B", category, options, mode: mode)
            let effects = try scene.send(.activate(b))
            #expect(scene.notices(effects, of: a) == [] && scene.acts(effects, on: a) == [])
        }
    }

    /// A5 × B4: the newest ducker wins, and third parties are ducked once.
    @Test func theNewestDuckerWins() throws {
        var scene = Scene()
        let music = try scene.play("music")
        let older = try scene.open("older", .playback, .duckOthers)
        #expect(scene.notices(try scene.send(.activate(older))) == ["music ducked", "older active"])
        let newer = try scene.open("newer", .playback, .duckOthers)
        #expect(scene.notices(try scene.send(.activate(newer))) == ["older ducked", "newer active"])
        #expect(scene.arbiter[newer]?.isDucked == false)
        let causes: [SessionCause] = [.ducked(by: newer, since: scene.now), .ducked(by: older, since: scene.now - 2)]
        #expect(scene.arbiter.causes(for: music) == causes)
        let newest = try scene.open("newest", .playback, .duckOthers)
        try scene.send(.activate(newest))
        #expect(scene.arbiter.causes(for: newer) == [.ducked(by: newest, since: scene.now)])
        try scene.send(.close(newest))
        let effects = try scene.send(.deactivate(newer, notifyOthers: true))
        #expect(scene.notices(effects) == ["newer inactive app", "older unducked"])
        #expect(
            scene.notices(try scene.send(.deactivate(older, notifyOthers: false))) == [
                "older inactive app", "music unducked",
            ]
        )
    }

    /// Section 2.2, "also": an activation of what is active is nothing.
    @Test func activatingTwiceIsOnce() throws {
        var scene = Scene()
        _ = try scene.play("A")
        let b = try scene.open("B")
        try scene.send(.activate(b))
        #expect(try scene.send(.activate(b)) == [])
    }
}
