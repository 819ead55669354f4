import Announcements
import AudioTypes
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import TestSupport
import Threads
import Zones

@testable import CommandServer

/// An announcer for the zones of a test's desk.
///
/// Belongs to `testLoop`.
final class TestAnnouncer {
    /// What was told, for those who wait; reports are told on the test's loop.
    struct Told: Sendable {
        var ended: [Int] = []
        var changes = 0
        /// The texts that were spoken.
        var spoken: [String] = []
    }

    let desk: TestDesk
    let announcer: Announcer
    let folder: TemporaryFolder
    let told = Watched(Told())
    /// A quarter of a second of sound.
    let sound: String

    /// - Parameter speak: Speaks a text into a file, given the folder for it.
    init(
        _ desk: TestDesk = TestDesk(),
        speak: @escaping @Sendable (_ text: String, _ path: String) throws -> Void = { _, path in
            try writeSound(to: path)
        }
    ) throws {
        self.desk = desk
        folder = try TemporaryFolder()
        sound = folder.file("sound.wav")
        try writeSound(to: sound)
        let (told, spoken) = (told, folder.file("spoken.wav"))
        announcer = Announcer(
            desk.rooms.rooms,
            desk.desk,
            desk.rooms.configuration,
            loop: desk.loop,
            work: WorkThreads(),
            AnnouncementSurroundings(
                changed: { told.withLock { $0.changes += 1 } },
                ended: { id in told.withLock { $0.ended.append(id) } },
                resolve: { $0 },
                speak: { text, _, _, _ in
                    told.withLock { $0.spoken.append(text) }
                    try speak(text, spoken)
                    return spoken
                }
            )
        )
        desk.told.settle = { [unowned announcer] in announcer.settle($0, over: $1) }
        desk.told.moved = { [unowned announcer] in announcer.zoneMoved($0, from: $1) }
    }

    /// A request for the sound.
    func request(in zones: Zone..., owner: String = "uid 1") -> AnnounceRequest {
        AnnounceRequest(uri: sound, medium: MediaEntry(location: sound), zones: zones, owner: owner)
    }

    /// Waits until an announcement has ended, and says how.
    func end(of id: Int) async throws -> AnnouncementState? {
        guard await told.wait(within: .patience, until: { $0.ended.contains(id) }) else {
            throw TestRooms.Missing(what: "the end of announcement \(id)")
        }
        return announcer.report(id)?.state
    }
}
