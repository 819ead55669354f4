import ServerBasics
import Testing

@testable import CommandServer

/// A client hears of each change once, when it waits for it.
@Suite struct PendingChangesTests {
    @Test func aChangeEndsTheWait() {
        var changes = PendingChanges()
        #expect(changes.wait(for: [.player, .mixer]) == nil)
        #expect(changes.isIdle)
        #expect(changes.add(.playlist) == nil)
        #expect(changes.add([.mixer, .output]) == .mixer)
        #expect(!changes.isIdle)
    }

    /// As in MPD: a change made between two waits is told at once, and one that was told is not told again.
    @Test func changesAreKeptUntilTheyAreToldOf() {
        var changes = PendingChanges()
        #expect(changes.add([.player, .options]) == nil)
        #expect(changes.wait(for: .player) == .player)
        #expect(changes.wait(for: .player) == nil)
        #expect(changes.cancel() == true)
        #expect(changes.wait(for: [.player, .options]) == .options)
    }

    @Test func onlyAWaitCanBeCancelled() {
        var changes = PendingChanges()
        #expect(changes.cancel() == false)
        _ = changes.wait(for: .player)
        #expect(changes.cancel() == true)
        #expect(changes.cancel() == false)
        #expect(changes.add(.player) == nil)
    }
}
