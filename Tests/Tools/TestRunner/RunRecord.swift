import Foundation

/// What one process told of its tests, by the event stream of Swift Testing (ABI version 0).
struct RunRecord {
    struct Test {
        enum State {
            case waiting, running, ended
            case skipped(String)
        }

        var state = State.waiting
        /// What failed, with its place.
        var issues: [String] = []
        /// Seconds since 1970.
        var start = 0.0
        var end = 0.0
    }

    private(set) var tests: [TestID: Test] = [:]
    /// Issues that belong to no test, such as those of a task that outlived its own.
    private(set) var looseIssues: [String] = []
    /// Whether the process came to its end; a crash takes it away.
    private(set) var isComplete = false

    /// Tests that ran when the process crashed.
    var interrupted: [TestID] { ids { if case .running = $0.state { true } else { false } } }
    /// Tests that the process did not come to.
    var waiting: [TestID] { ids { if case .waiting = $0.state { true } else { false } } }
    var failed: [TestID] { ids { !$0.issues.isEmpty } }
    var skipped: [(id: TestID, reason: String)] {
        tests.compactMap { id, test in
            if case .skipped(let reason) = test.state { (id, reason) } else { nil }
        }
        .sorted { $0.0 < $1.0 }
    }

    private func ids(_ isMeant: (Test) -> Bool) -> [TestID] { tests.filter { isMeant($0.value) }.keys.sorted() }

    init() {}

    /// - Parameter stream: What the process wrote; its last line may be cut off.
    init(stream: Data) {
        let decoder = JSONDecoder()
        for line in stream.split(separator: UInt8(ascii: "\n")) {
            guard let line = try? decoder.decode(EventLine.self, from: line) else { continue }
            if line.kind == "test" { discover(line.payload) } else { take(line.payload) }
        }
    }

    private mutating func discover(_ payload: EventLine.Payload) {
        guard payload.kind == "function", let id = payload.id.map(TestID.init) else { return }
        if tests[id] == nil { tests[id] = Test() }
    }

    private mutating func take(_ event: EventLine.Payload) {
        if event.kind == "runEnded" { isComplete = true }
        let moment = event.instant?.since1970 ?? 0
        let text = event.messages?.map(\.text).joined(separator: "\n") ?? ""
        if event.kind == "issueRecorded", event.issue?.isKnown != true {
            if let id = event.testID.map(TestID.init), tests[id] != nil {
                tests[id]?.issues.append(text)
            } else {
                looseIssues.append(text)
            }
            return
        }
        guard let id = event.testID.map(TestID.init), tests[id] != nil else { return }
        switch event.kind {
        case "testStarted":
            tests[id]?.state = .running
            tests[id]?.start = moment
        case "testEnded":
            tests[id]?.state = .ended
            tests[id]?.end = moment
        case "testSkipped": tests[id]?.state = .skipped(text)
        default: break
        }
    }
}

private struct EventLine: Decodable {
    struct Payload: Decodable {
        struct Instant: Decodable { let since1970: Double }
        struct Message: Decodable { let text: String }
        struct Issue: Decodable { let isKnown: Bool? }

        let kind: String?
        let id: String?
        let testID: String?
        let instant: Instant?
        let issue: Issue?
        let messages: [Message]?
    }

    let kind: String
    let payload: Payload
}
