import Authorization
import DesktopNotifications
import LibraryIndex
import NIOCore
import ServerBasics
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import ServerPicker

/// Requests at a desktop, by minutes that the test lets pass.
@Suite actor PickerNotificationsTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Desktop: DesktopPresenter {
        struct Shown: Sendable, Equatable {
            let key: String
            let notification: DesktopNotification
        }

        private let state = Watched<(shown: [Shown], count: Int)>(([], 0))

        var shown: [Shown] { state.current.shown }
        /// Those that have appeared, with those that are gone.
        var count: Int { state.current.count }

        func show(_ notification: DesktopNotification, as key: String) {
            state.withLock { $0 = ($0.shown + [Shown(key: key, notification: notification)], $0.count + 1) }
        }

        func remove(_ key: String) { state.withLock { $0.shown.removeAll { $0.key == key } } }

        func close(then done: @escaping @Sendable () -> Void) {
            state.withLock { $0.shown = [] }
            done()
        }
    }

    private final class Stage: PickerDelegate, PickerNotificationsDelegate {
        let loop = TestLoop()
        let desktop = Desktop()
        let configuration = CurrentConfiguration(Configuration(defaultsFor: .process))
        private(set) lazy var picker = PickerService(loop: loop, delegate: self)
        private(set) lazy var notifications = PickerNotifications(picker, configuration, loop: loop, delegate: self)
        var hasPage = true
        var hasBus = true
        /// How many presenters were made.
        var made = 0

        var log: @Sendable (LogLevel, String) -> Void { { _, _ in } }

        func pickerRequestsChanged() { notifications.update() }

        func extendLibrary(
            of client: PrincipalID,
            askedBy holder: PickerRequest.Holder,
            by parts: [LibraryScope.Part],
            _ who: String
        ) throws {}

        func pageAddress(for request: PickerID) -> String? { hasPage ? "http://music/#/pick/\(request)" : nil }

        func makeDesktopPresenter() -> (any DesktopPresenter)? {
            made += 1
            return hasBus ? desktop : nil
        }

        @discardableResult func open(_ connection: Int) throws -> PickerID {
            try picker.open(PickerConfiguration(), for: .frame(connection)).id
        }

        var keys: [String] { desktop.shown.map(\.key) }
    }

    @Test func whoAsksForWhat() throws {
        let stage = Stage()
        let guest = PickerRequest.Asker(
            connection: 1,
            name: "guest",
            party: .named(try #require(ClientName("guest"))),
            isLimited: true
        )
        let prompt = try #require(PickerPrompt("To dance"))
        let videos = PickerConfiguration.Kind.media(.videos, .videos)
        _ = try stage.picker.open(PickerConfiguration(.songs(nil), .extend, limit: 3, prompt: prompt), for: guest)
        _ = try stage.picker.open(PickerConfiguration(videos, limit: 0), for: guest)
        stage.hasPage = false
        _ = try stage.picker.open(PickerConfiguration(), for: guest)
        #expect(
            stage.desktop.shown.map(\.notification) == [
                DesktopNotification(
                    summary: "guest asks for up to 3 songs for its library",
                    body: "“To dance”\nIt sees what you choose from now on.",
                    icon: "audio-x-generic",
                    address: "http://music/#/pick/p1"
                ),
                DesktopNotification(
                    summary: "guest asks for up to 1000 videos",
                    body: "It will see only what you choose.",
                    icon: "video-x-generic",
                    address: "http://music/#/pick/p2"
                ),
                DesktopNotification(
                    summary: "guest asks for 1 picture",
                    body: "It will see only what you choose.\nTo answer: segue pick --for p3",
                    icon: "image-x-generic"
                ),
            ]
        )
    }

    /// It is there for as long as the request waits, and does not come again when the owner gives the request back.
    @Test func onceOfEach() throws {
        let stage = Stage()
        #expect(stage.made == 0)
        let (first, second) = (try stage.open(1), try stage.open(2))
        #expect(stage.keys == ["p1", "p2"] && stage.made == 1)
        _ = try stage.picker.take(first, 7)
        #expect(stage.keys == ["p2"])
        try stage.picker.release(first, 7)
        #expect(stage.keys == ["p2"])
        stage.picker.withdraw(second)
        #expect(stage.keys == [])
        try stage.open(3)
        stage.loop.pass(301)
        #expect(stage.keys == [] && stage.desktop.count == 3)
    }

    /// Those for which there is no room appear when there is.
    @Test func fewAtATime() throws {
        let stage = Stage()
        let requests = try (1...6).map { try stage.open($0) }
        #expect(stage.keys == ["p1", "p2", "p3", "p4"])
        stage.picker.withdraw(requests[1])
        #expect(stage.keys == ["p1", "p3", "p4", "p5"])
    }

    /// Whoever asks and withdraws again and again does not keep the desktop busy.
    @Test func fewInAMinute() throws {
        let stage = Stage()
        for connection in 1...20 { stage.picker.withdraw(try stage.open(connection)) }
        #expect(stage.desktop.count == PickerNotifications.mostInAMinute)
        try stage.open(1)
        #expect(stage.keys == [])
        stage.loop.pass(62)
        #expect(stage.keys == ["p21"])
    }

    @Test func theOwnerTurnsThemOff() throws {
        let stage = Stage()
        try stage.open(1)
        stage.configuration.value.showsNotifications = false
        stage.notifications.update()
        #expect(stage.keys == [])
        try stage.open(2)
        #expect(stage.keys == [])
        stage.configuration.value.showsNotifications = true
        stage.notifications.update()
        #expect(stage.keys == ["p2"])
    }

    @Test func withoutABus() throws {
        let stage = Stage()
        stage.hasBus = false
        try stage.open(1)
        #expect(stage.desktop.count == 0)
    }

    /// At the server's end clients go one after another, and what they have asked with them.
    @Test func theEnd() throws {
        let stage = Stage()
        for connection in 1...6 { try stage.open(connection) }
        let isDone = Watched(false)
        stage.notifications.close { isDone.withLock { $0 = true } }
        #expect(isDone.current && stage.keys == [])
        for connection in 1...6 { stage.picker.disconnected(connection) }
        #expect(stage.desktop.count == 4 && stage.made == 1)
    }
}
