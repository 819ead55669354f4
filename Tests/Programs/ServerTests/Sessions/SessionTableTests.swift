import TestSupport
import TestThreads
import Testing

/// The reference's section 2.2 through the protocol: what B's activation does to an active A of another connection.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct SessionTableTests {
    /// Of each cell what becomes of A: interrupted, ducked, muted, or nothing; or what B is refused with.
    private static let table = """
        A            B1   B2    B3  B4    B5   B6    B7
        A1-playing   INT  INT   -   DUCK  -    DUCK  INT
        A1-paused    INT  INT   -   DUCK  -    DUCK  INT
        A2-playing   INT  INT   -   DUCK  INT  INT   INT
        A2-paused    INT  INT   -   DUCK  -    -     INT
        A3-playing   -    MUTE  -   DUCK  -    DUCK  INT
        A4-playing   -    MUTE  -   DUCK  INT  INT   INT
        A4-paused    -    MUTE  -   DUCK  -    -     INT
        A5-playing   -    MUTE  -   DUCK  -    DUCK  INT
        A6-playing   INT  INT   -   DUCK  -    DUCK  INT
        A7-call      -    !pri  -   -     -    -     -
        """

    private static let sessions = [
        "A1": "playback", "A2": "playback mode spokenAudio", "A3": "ambient",
        "A4": "playback mode spokenAudio options mixWithOthers", "A5": "playback options duckOthers",
        "A6": "playAndRecord",
        "B1": "playback", "B2": "record", "B3": "ambient", "B4": "playback options duckOthers",
        "B5": "playback options interruptSpokenAudioAndMixWithOthers",
        "B6": "playback mode voicePrompt options interruptSpokenAudioAndMixWithOthers,duckOthers",
    ]

    @Test func everyCellIsAsTheReferenceHasIt() async throws {
        let server = try await Segued.start()
        let rows = Self.table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        for row in rows.dropFirst() {
            for (column, wanted) in zip(rows[0], row).dropFirst() {
                let outcome = try outcome(row[0], column, on: server)
                #expect(outcome == wanted, "\(row[0]) and \(column)")
            }
        }
    }

    /// Each cell has its own connections, whose end leaves nothing behind.
    private func outcome(_ row: String, _ column: String, on server: Segued) throws -> String {
        let (first, second) = (try server.connect(), try server.connect())
        var a: String
        if row == "A7-call" {
            a = try first.values("session interrupt begin call")["session"] ?? ""
        } else {
            a = try first.openSession(
                "a",
                Self.sessions[String(row.prefix(2))] ?? "",
                playing: row.hasSuffix("playing")
            )
        }
        let since = try first.newestEvent()
        var call: String?
        if column == "B7" {
            call = try second.values("session interrupt begin call")["session"]
        } else {
            let b = try second.openSession("b", Self.sessions[column] ?? "")
            let reply = second.ask("session activate \(b)")
            if reply != ["OK"] {
                #expect(reply.last?.hasPrefix("ACK [52@0] {session} insufficientPriority: ") == true, "\(reply)")
                _ = first.ask("session interrupt end \(a)")
                return "!pri"
            }
        }
        defer {
            if let call { _ = second.ask("session interrupt end \(call)") }
            if row == "A7-call" { _ = first.ask("session interrupt end \(a)") }
        }
        let info = try first.session(a)
        let events = try first.events(after: since, of: a)
        if info["state"] == "interrupted" {
            #expect(
                events.filter { !$0.hasPrefix("hint") && !$0.hasSuffix("ducked") }
                    == ["didBecomeInactive source=system reason=0 default", "interruptionBegan reason=0 default"]
            )
            return "INT"
        }
        #expect(info["state"] == "active")
        #expect(!events.contains { $0.hasPrefix("interruption") }, "\(events)")
        if info["muted"] == "1" { return "MUTE" }
        return info["ducked"] == "1" ? "DUCK" : "-"
    }
}
