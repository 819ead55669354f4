import Testing

@testable import ServerArtwork

/// Which artwork is made ready, and when clients are told.
@Suite struct ArtworkPlanTests {
    private var plan = ArtworkPlan()

    private mutating func want(_ current: String?, _ next: String? = nil) -> ArtworkPlan.Step {
        plan.want(current, next: next)
    }

    private mutating func end() -> ArtworkPlan.Step { plan.end() }
    private mutating func found(_ source: String?) -> Bool { plan.found(source) == true }

    @Test mutating func whatPlaysAndWhatFollowsIsMadeOnce() {
        #expect(want(nil) == .nothing)
        #expect(want("a", "b") == .make(["a", "b"]))
        #expect(want("a", "b") == .nothing)
        #expect(found("1"))
        #expect(end() == .nothing)
        #expect(want("a", "b") == .nothing)
        #expect(plan.source == "1")
        #expect(want("b", "c") == .make(["b", "c"]))
        // Not that of the song before.
        #expect(plan.source == nil)
        // The same picture is not told again.
        #expect(!found("1"))
        #expect(plan.source == "1")
        #expect(end() == .nothing)
        #expect(want(nil) == .nothing)
        #expect(want("b", "c") == .nothing)
    }

    @Test mutating func anotherSongCancelsWhatIsMade() {
        #expect(want("a", "b") == .make(["a", "b"]))
        // Another next song does not: it is made afterwards.
        #expect(want("a", "c") == .nothing)
        #expect(want("d") == .cancel)
        #expect(!found("1"))
        #expect(end() == .make(["d"]))
        #expect(found("2"))
        #expect(want("d", "e") == .nothing)
        #expect(end() == .make(["d", "e"]))
        #expect(!found("2"))
    }

    @Test mutating func coversThatChangeAreTold() {
        #expect(want("a") == .make(["a"]))
        #expect(!found(nil))
        #expect(end() == .nothing)
        plan.lookAgain()
        #expect(want("a") == .make(["a"]))
        #expect(found("1"))
        plan.lookAgain()
        #expect(want("a") == .cancel)
        #expect(end() == .make(["a"]))
        #expect(found(nil))
        #expect(end() == .nothing)
    }

    @Test mutating func nothingIsMadeOnceAllHasStopped() {
        #expect(want("a", "b") == .make(["a", "b"]))
        #expect(want(nil) == .nothing)
        #expect(end() == .nothing)
    }
}
