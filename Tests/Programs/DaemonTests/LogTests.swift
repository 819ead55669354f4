import Foundation
import TestSupport
import TestThreads
import Testing

/// How the daemon says things.
@Suite(.blocking, .timeLimit(.minutes(5))) struct LogTests {
    @Test func aLineHasTimeAndLevel() async throws {
        let daemon = try Segued.start(in: try Place())
        let lines = try await daemon.terminate().errorText.split(separator: "\n")
        let listening = try #require(lines.first { $0.contains("listening at") })
        #expect(try #/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ info: listening at unix:.*/#.wholeMatch(in: listening) != nil)
    }

    @Test func jsonIsAnObjectOnEachLine() async throws {
        let daemon = try Segued.start(in: try Place(), ["--log-format", "json"])
        let lines = try await daemon.terminate().errorText.split(separator: "\n")
        #expect(!lines.isEmpty)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String]
            #expect(Set(try #require(object).keys) == ["time", "level", "message"])
        }
    }

    /// systemd.exec(5): the variable names the stream, because who inherits it may write elsewhere.
    @Test(arguments: [true, false])
    func theJournalGetsLevels(isJournal: Bool) async throws {
        let place = try Place()
        let file = place.folder.file("journal")
        let stream = isJournal ? "$(stat -c %d:%i '\(file)')" : "1:2"
        let daemon = try Segued(
            in: place,
            place.arguments,
            script: "exec 2>'\(file)'; export JOURNAL_STREAM=\(stream); exec \"$@\""
        )
        try daemon.waitUntilReady()
        _ = try await daemon.terminate()
        let text = String(decoding: try FileBytes.read(file), as: UTF8.self)
        #expect(text.contains("listening at"))
        #expect(text.hasPrefix("<6>") == isJournal)
    }

    @Test func whatIsLessImportantIsLeftOut() async throws {
        let daemon = try Segued.start(in: try Place(), ["--log-level", "error"])
        #expect(try await daemon.terminate().errorText == "")
    }
}
