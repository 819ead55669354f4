import DBus
import TestSupport
import TestThreads
import Testing

@testable import DesktopNotifications

/// With a real message bus.
@Suite(.blocking, .enabled("dbus is not installed") { MessageBus.missing.isEmpty })
struct DesktopNotifierTests {
    private final class Stage {
        let bus: MessageBus
        let thread = BusThread()
        let events = Watched<[DesktopNotifier.Event]>([])
        let notifier: DesktopNotifier

        init() async throws {
            bus = try await MessageBus()
            notifier = DesktopNotifier(BusAddress(bus.address), thread) { [events] event in
                events.withLock { $0.append(event) }
            }
        }

        deinit { notifier.close {} }

        func desktop(_ capabilities: [String] = ["actions", "body", "body-markup"]) throws -> TestDesktop {
            try TestDesktop(bus, thread, capabilities: capabilities)
        }

        func portal(opens: Bool = true) throws -> TestDesktop {
            try TestDesktop(bus, thread, name: TestDesktop.portal, opens: opens)
        }

        func show(_ key: String, _ body: String = "text", address: String? = "http://music/#/pick/p1") {
            notifier.show(
                DesktopNotification(summary: "a <b> & c", body: body, icon: "image-x-generic", address: address),
                as: key
            )
        }
    }

    @Test func itIsShownAndRemoved() async throws {
        let stage = try await Stage()
        let desktop = try stage.desktop()
        stage.show("p1", "<i>text</i> & \"more\"\nline")
        try wait(for: "the notification") { desktop.shown.count == 1 }
        let button = ["default", "Open", "open", "Open"]
        let body = "&lt;i&gt;text&lt;/i&gt; &amp; \"more\"\nline"
        #expect(desktop.shown == [.init(number: 11, summary: "a <b> & c", body: body, actions: button)])
        let arguments = try #require(desktop.calls("Notify").first)
        #expect(arguments[0] == .string("Segue") && arguments[2] == .string("image-x-generic"))
        #expect(arguments[6] == .properties(["urgency": .byte(1), "desktop-entry": .string("segue")]))
        #expect(arguments[7] == .int32(-1))
        stage.notifier.remove("p1")
        try wait(for: "its end") { desktop.shown.isEmpty }
        #expect(desktop.calls("CloseNotification") == [[.uint32(11)]])
    }

    /// A desktop is given only what it can show.
    @Test(arguments: [
        (["body"], "<i>text</i>\nhttp://music/#/pick/p1", []),
        (["body", "body-markup"], "&lt;i&gt;text&lt;/i&gt;\nhttp://music/#/pick/p1", []),
        (["body", "actions"], "<i>text</i>", ["default", "Open", "open", "Open"]),
    ])
    func desktopsThatCanDoLess(_ capabilities: [String], _ body: String, _ actions: [String]) async throws {
        let stage = try await Stage()
        let desktop = try stage.desktop(capabilities)
        stage.show("p1", "<i>text</i>")
        try wait(for: "the notification") { desktop.shown.count == 1 }
        #expect(desktop.shown.first?.body == body && desktop.shown.first?.actions == actions)
    }

    @Test func withoutAPageThereIsNoButton() async throws {
        let stage = try await Stage()
        let desktop = try stage.desktop()
        stage.show("p1", address: nil)
        try wait(for: "the notification") { desktop.shown.count == 1 }
        #expect(desktop.shown.first?.body == "text" && desktop.shown.first?.actions == [])
        // A desktop that tells of a press all the same opens nothing.
        let portal = try stage.portal()
        desktop.press(11)
        stage.show("p2")
        try wait(for: "the second") { desktop.shown.count == 2 }
        desktop.press(12)
        try wait(for: "the page") { !portal.calls("OpenURI").isEmpty }
        #expect(portal.calls("OpenURI").count == 1)
    }

    @Test func aPressOpensThePage() async throws {
        let stage = try await Stage()
        let (desktop, portal) = (try stage.desktop(), try stage.portal())
        stage.show("p1")
        stage.show("p2", address: "http://music/#/pick/p2")
        try wait(for: "the notifications") { desktop.shown.count == 2 }
        // Of one that is not there.
        desktop.press(9)
        desktop.press(12, token: "token 1")
        try wait(for: "the page") { !portal.calls("OpenURI").isEmpty }
        desktop.press(11)
        try wait(for: "the other page") { portal.calls("OpenURI").count == 2 }
        #expect(
            portal.calls("OpenURI") == [
                [
                    .string(""), .string("http://music/#/pick/p2"),
                    .properties(["activation_token": .string("token 1")]),
                ],
                [.string(""), .string("http://music/#/pick/p1"), .properties([:])],
            ]
        )
        #expect(stage.events.current == [])
    }

    /// A desktop without a browser, or without a portal, shows the address in place of a button, whether or not the press
    /// has closed the notification.
    @Test(arguments: [true, false]) func aPageThatIsNotOpened(closes: Bool) async throws {
        let stage = try await Stage()
        let (desktop, portal) = (try stage.desktop(), try stage.portal(opens: false))
        stage.show("p1")
        try wait(for: "the notification") { desktop.shown.count == 1 }
        portal.hold()
        desktop.press(11)
        if closes { desktop.close(11) }
        try wait(for: "the page") { portal.heldCount == 1 }
        portal.letGo()
        let body = "text\nhttp://music/#/pick/p1"
        try wait(for: "the address") { desktop.shown.last?.body == body }
        #expect(desktop.shown.count == 1 && desktop.shown.first?.actions == [] && !portal.calls("OpenURI").isEmpty)
        #expect(stage.events.current == [.notOpened("there is no browser")])
        stage.show("p2")
        try wait(for: "the second") { desktop.shown.count == 2 }
        #expect(desktop.shown.last?.actions == [])
    }

    /// A desktop that is started later, and again.
    @Test func desktopsComeAndGo() async throws {
        let stage = try await Stage()
        for key in ["p1", "p2", "p3"] { stage.show(key, key) }
        stage.notifier.remove("p2")
        let first = try stage.desktop()
        try wait(for: "the notifications") { first.shown.map(\.body) == ["p1", "p3"] }
        first.close(11)
        stage.show("p4", "p4")
        try wait(for: "another") { first.shown.map(\.body) == ["p3", "p4"] }
        first.end()
        let other = try TestDesktop(stage.bus, stage.thread, name: "org.segue.Other")
        try wait(for: "the end of the first") { try !other.isOwned(TestDesktop.name) }
        let second = try stage.desktop()
        // The user has closed one of them.
        try wait(for: "the others") { second.shown.map(\.body) == ["p3", "p4"] }
        stage.notifier.remove("p3")
        try wait(for: "its end") { second.shown.map(\.body) == ["p4"] }
        #expect(second.calls("Notify").count == 2)
    }

    /// A desktop that could not be started is tried again with the next notification.
    @Test func aDesktopThatFailed() async throws {
        let stage = try await Stage()
        let desktop = try TestDesktop(stage.bus, stage.thread, isStarting: true)
        stage.show("p1", "p1")
        try wait(for: "the failure") { !desktop.calls("GetCapabilities").isEmpty }
        desktop.start()
        stage.show("p2", "p2")
        try wait(for: "both") { desktop.shown.map(\.body).sorted() == ["p1", "p2"] }
    }

    /// One that is removed before the desktop has said how it calls it is closed then.
    @Test func removedBeforeItsAnswer() async throws {
        let stage = try await Stage()
        let desktop = try stage.desktop()
        stage.show("p0", "p0")
        try wait(for: "a notification") { desktop.shown.count == 1 }
        desktop.hold()
        stage.show("p1", "p1")
        try wait(for: "the call") { desktop.heldCount == 1 }
        stage.notifier.remove("p1")
        stage.show("p1", "new")
        try wait(for: "the second call") { desktop.heldCount == 2 }
        desktop.letGo()
        try wait(for: "the end of the first") { desktop.shown.map(\.body) == ["p0", "new"] }
        stage.notifier.remove("p1")
        try wait(for: "the end of the second") { desktop.shown.map(\.body) == ["p0"] }
    }

    /// Any program may send signals; those of others press no buttons, and take nobody's place.
    @Test func othersAreNotBelieved() async throws {
        let stage = try await Stage()
        let (desktop, portal) = (try stage.desktop(), try stage.portal())
        stage.show("p1")
        stage.show("p2", address: "http://music/#/pick/p2")
        try wait(for: "the notifications") { desktop.shown.count == 2 }
        let bus = ObjectPath(known: "/org/freedesktop/DBus")
        let taken = [BusValue.string(TestDesktop.name), .string(""), .string(":1.99")]
        for sender in [":1.99", ""] {
            for var signal in [
                BusSignal("ActionInvoked", of: TestDesktop.name, at: TestDesktop.path, [.uint32(11), .string("open")]),
                BusSignal("NotificationClosed", of: TestDesktop.name, at: TestDesktop.path, [.uint32(12), .uint32(2)]),
                BusSignal("NameOwnerChanged", of: "org.freedesktop.DBus", at: bus, taken),
            ] {
                signal.sender = sender
                stage.notifier.receive(signal)
            }
        }
        desktop.press(12)
        try wait(for: "the page") { !portal.calls("OpenURI").isEmpty }
        #expect(portal.calls("OpenURI").map { $0[1] } == [.string("http://music/#/pick/p2")])
        #expect(desktop.calls("Notify").count == 2)
    }

    /// Signals whose arguments are not those of the specification.
    @Test func signalsThatAreBroken() async throws {
        let stage = try await Stage()
        let (desktop, portal) = (try stage.desktop(), try stage.portal())
        stage.show("p1")
        try wait(for: "the notification") { desktop.shown.count == 1 }
        let broken: [[BusValue]] = [[], [.string("11")], [.int32(11)], [.uint32(.max)], [.strings([])]]
        for arguments in broken {
            for member in ["ActionInvoked", "NotificationClosed", "ActivationToken", "x"] {
                desktop.emit(member, arguments)
            }
        }
        desktop.press(11, token: String(repeating: "x", count: 1_001))
        try wait(for: "the page") { !portal.calls("OpenURI").isEmpty }
        #expect(portal.calls("OpenURI").map { $0[2] } == [.properties([:])])
    }

    @Test func nothingIsLeftAtTheEnd() async throws {
        let stage = try await Stage()
        let desktop = try stage.desktop()
        for key in 0..<3 { stage.show("\(key)") }
        try wait(for: "the notifications") { desktop.shown.count == 3 }
        // One that the desktop has not answered yet.
        desktop.hold()
        stage.show("late")
        try wait(for: "the call") { desktop.heldCount == 1 }
        let isDone = Watched(false)
        stage.notifier.close { isDone.withLock { $0 = true } }
        try wait(for: "the end of the others") { desktop.shown.count == 1 }
        #expect(!isDone.current)
        desktop.letGo()
        try wait(for: "their end") { isDone.current && desktop.shown.isEmpty }
    }

    @Test func thereIsRoomForSoMany() async throws {
        let stage = try await Stage()
        let desktop = try stage.desktop()
        for key in 0..<100 { stage.show("\(key)", "\(key)") }
        try wait(for: "the notifications") { desktop.shown.count == DesktopNotifier.capacity }
        stage.notifier.remove("0")
        stage.show("last", "last")
        // The first may not be closed before the desktop has said how it calls it.
        try wait(for: "the last") {
            desktop.shown.contains { $0.body == "last" } && desktop.shown.count == DesktopNotifier.capacity
        }
    }
}
