package import Announcements
import AudioTypes
package import ServerAnnouncements
import ServerRooms
import ServerSessions
import Settings
package import TestSupport
import Threads
package import Zones

/// An announcer for the zones of a test's sessions.
///
/// Belongs to `testLoop`.
package final class TestAnnouncer {
    /// What was told, for those who wait; reports are told on the test's loop.
    package struct Told: Sendable {
        package var ended: [Int] = []
        package var changes = 0
        /// The texts that were spoken.
        package var spoken: [String] = []
    }

    private final class Server: AnnouncementDelegate {
        let told: Watched<Told>
        let speak: Speak

        init(told: Watched<Told>, speak: @escaping Speak) { (self.told, self.speak) = (told, speak) }

        var resolve: @Sendable (MediaEntry) throws -> MediaEntry { { $0 } }
        func announcementsChanged() { told.withLock { $0.changes += 1 } }
        func announcementEnded(_ id: Int) { told.withLock { $0.ended.append(id) } }
    }

    private let server: Server
    package let sessions: TestSessions
    package let announcer: Announcer
    package let folder: TemporaryFolder
    package let told = Watched(Told())
    /// A quarter of a second of sound.
    package let sound: String

    /// - Parameter speak: Speaks a text into a file, given the folder for it.
    package init(
        _ sessions: TestSessions = TestSessions(),
        speak: @escaping @Sendable (_ text: String, _ path: String) throws -> Void = { _, path in
            try writeSound(to: path)
        }
    ) throws {
        self.sessions = sessions
        folder = try TemporaryFolder()
        sound = folder.file("sound.wav")
        try writeSound(to: sound)
        let (told, spoken) = (told, folder.file("spoken.wav"))
        server = Server(told: told) { text, _, _, _ in
            told.withLock { $0.spoken.append(text) }
            try speak(text, spoken)
            return spoken
        }
        announcer = Announcer(
            sessions.rooms.rooms,
            sessions.service,
            sessions.rooms.configuration,
            loop: sessions.loop,
            work: WorkThreads(),
            delegate: server
        )
        sessions.told.settle = { [unowned announcer] in announcer.settle($0, over: $1) }
        sessions.told.moved = { [unowned announcer] in announcer.zoneMoved($0, from: $1) }
    }

    /// A request for the sound.
    package func request(in zones: Zone..., owner: String = "uid 1") -> AnnounceRequest {
        AnnounceRequest(uri: sound, medium: MediaEntry(location: sound), zones: zones, owner: owner)
    }

    /// Waits until an announcement has ended, and says how.
    package func end(of id: Int) async throws -> AnnouncementState? {
        guard await told.wait(within: .patience, until: { $0.ended.contains(id) }) else {
            throw TestRooms.Missing(what: "the end of announcement \(id)")
        }
        return announcer.report(id)?.state
    }
}
