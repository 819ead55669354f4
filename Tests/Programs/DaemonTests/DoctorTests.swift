import TestSupport
import Testing

/// What `segue doctor` finds out about the daemon.
@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
    /// Without a sound server nothing will be heard, also when nobody has tried yet.
    @Test func aMissingSoundServerIsNamed() async throws {
        let place = try Place()
        let address = "unix:\(place.folder.file("nothing"))"
        let words = place.arguments.dropLast() + ["pulse"]
        let daemon = try Segued(in: place, Array(words), environment: ["PULSE_SERVER": address])
        try daemon.waitUntilReady()
        let result = try await place.segue("doctor")
        #expect(result.status == .code(1))
        let line = try #require(result.outputText.split(separator: "\n").first { $0.contains("sound server") })
        #expect(
            line.hasPrefix("problem: sound server: no sound will be heard: no sound server answers at \(address) (")
        )
        // An option that only `segue play` has.
        #expect(!line.contains("--server"))
    }

    @Test func whatNeedsNoSoundServerHasNone() async throws {
        let daemon = try Segued.start(in: try Place())
        let result = try await daemon.place.segue("doctor")
        #expect(result.status == .code(0))
        #expect(!result.outputText.contains("sound server:"))
    }
}
