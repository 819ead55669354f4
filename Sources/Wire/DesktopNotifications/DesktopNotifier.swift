package import DBus
private import Synchronization

/// Shows notifications at the user's desktop (Desktop Notifications Specification 1.2), each with a button that opens its
/// page through the desktop's portal (org.freedesktop.portal.OpenURI).
///
/// Without a desktop nothing is shown. One that starts later shows those that were not removed before, and one that starts
/// again those that the user has not closed.
package final class DesktopNotifier: BusPeer {
    package enum Event: Sendable, Hashable {
        /// The desktop shows no more notifications, for this reason.
        case notShown(String)
        /// The desktop opens no pages, for this reason; notifications show their addresses from now on.
        case notOpened(String)
    }

    private struct Entry {
        enum Phase {
            /// For a desktop.
            case waiting
            /// The desktop has not answered yet.
            case sent
            /// Under the desktop's own number.
            case shown(UInt32)
            /// By the user, or after some time.
            case closed
        }

        /// Tells it from an earlier one of the same key.
        let serial: Int
        let notification: DesktopNotification
        var phase = Phase.waiting
        /// The token by which the desktop lets its page come to the front (XDG Activation); empty for none.
        var token = ""

        var number: UInt32? { if case .shown(let number) = phase { number } else { nil } }
    }

    private struct State {
        var connection: BusConnection?
        /// The bus name of the program that shows notifications; `nil` while none runs.
        var desktop: String?
        /// Its abilities, as `GetCapabilities` names them.
        var capabilities: Set<String> = []
        var opensPages = true
        var entries: [String: Entry] = [:]
        var lastSerial = 0
        /// Calls of `Notify` that were not answered yet.
        var sentCount = 0
        /// Called when they are, and all notifications are removed.
        var closing: (@Sendable () -> Void)?
        var lastEvent: Event?

        func key(of number: UInt32) -> String? { entries.first { $0.value.number == number }?.key }
    }

    private let state = Mutex(State())
    private let handler: @Sendable (Event) -> Void

    private static let name = BusName("org.freedesktop.Notifications")
    private static let path = ObjectPath(known: "/org/freedesktop/Notifications")
    private static let portal = "org.freedesktop.portal.Desktop"
    private static let portalPath = ObjectPath(known: "/org/freedesktop/portal/desktop")
    private static let signals = "type='signal',sender='\(name.text)',path='\(path)',interface='\(name.text)'"
    /// How many there may be; further ones are not shown.
    package static let capacity = 16

    /// - Parameters:
    ///   - bus: The user's.
    ///   - handler: Called on the bus's thread.
    package init(_ bus: BusAddress, _ thread: BusThread, handler: @escaping @Sendable (Event) -> Void) {
        self.handler = handler
        let plan = BusPlan(bus, matches: [Self.name.ownerChanges, Self.signals])
        // With the lock held, because the bus's thread may be connected before this one goes on.
        state.withLock { $0.connection = thread.connect(plan, self) }
    }

    /// Shows a notification under a key of the caller's, in place of the one before.
    package func show(_ notification: DesktopNotification, as key: String) {
        remove(key)
        let hasDesktop = state.withLock { state in
            guard state.entries.count < Self.capacity else { return true }
            state.lastSerial += 1
            state.entries[key] = Entry(serial: state.lastSerial, notification: notification)
            return state.desktop != nil
        }
        if hasDesktop { send(key) } else { findDesktop() }
    }

    package func remove(_ key: String) {
        let number = state.withLock { $0.entries.removeValue(forKey: key)?.number }
        if let number { close(number) }
    }

    /// Removes all, those too whose number the desktop has yet to say, and leaves the bus.
    ///
    /// - Parameter done: Called on any thread.
    package func close(then done: @escaping @Sendable () -> Void) {
        for key in state.withLock({ $0.entries.keys }) { remove(key) }
        state.withLock { $0.closing = done }
        leaveIfClosing()
    }

    private func leaveIfClosing() {
        let (connection, done) = state.withLock { state in
            guard state.closing != nil, state.sentCount == 0 else {
                return (nil as BusConnection?, nil as (@Sendable () -> Void)?)
            }
            return (state.connection.take(), state.closing.take())
        }
        guard let done else { return }
        guard let connection else { return done() }
        Task {
            await connection.finish()
            done()
        }
    }

    // MARK: On the bus's thread

    package func connected(as name: String?) { findDesktop() }

    package func disconnected(_ reason: String) { desktopEnded() }

    /// Asks for the program that shows notifications, and for its abilities; the bus starts one where that is installed.
    private func findDesktop() {
        call("GetCapabilities") { [self] result in
            switch result {
            case .failure: break
            case .success(let values):
                let words = values.first?.elements?.prefix(Self.mostCapabilities).compactMap(\.text) ?? []
                call(Self.name.whoIs) { [self] result in
                    if let owner = (try? result.get())?.first?.text { found(owner, Set(words)) }
                }
            }
        }
    }

    /// More are not looked at.
    private static let mostCapabilities = 64

    private func found(_ desktop: String, _ capabilities: Set<String>) {
        let keys = state.withLock { state in
            guard state.desktop != desktop else { return [] as [String] }
            (state.desktop, state.capabilities, state.opensPages) = (desktop, capabilities, true)
            return state.entries.sorted { $0.value.serial < $1.value.serial }.map(\.key)
        }
        for key in keys { send(key) }
    }

    private func desktopEnded() {
        state.withLock { state in
            state.desktop = nil
            for (key, entry) in state.entries {
                if case .closed = entry.phase { continue }
                state.entries[key]?.phase = .waiting
            }
        }
    }

    package func receive(_ signal: BusSignal) {
        if let owner = Self.name.owner(in: signal) {
            guard owner != state.withLock({ $0.desktop }) else { return }
            desktopEnded()
            if !owner.isEmpty { findDesktop() }
            return
        }
        guard signal.sender == state.withLock({ $0.desktop }), case .uint32(let number)? = signal.arguments.first else {
            return
        }
        switch signal.member {
        case "NotificationClosed": closed(number)
        case "ActivationToken": keep(signal.arguments.last?.text ?? "", for: number)
        case "ActionInvoked": open(number)
        default: break
        }
    }

    private func closed(_ number: UInt32) {
        state.withLock { state in
            if let key = state.key(of: number) { state.entries[key]?.phase = .closed }
        }
    }

    private func keep(_ token: String, for number: UInt32) {
        state.withLock { state in
            guard let key = state.key(of: number), token.utf8.count <= Self.longestToken else { return }
            state.entries[key]?.token = token
        }
    }

    /// In bytes.
    private static let longestToken = 1_000

    // MARK: Showing

    /// Has the desktop show a notification that waits for that.
    ///
    /// - Parameter number: That of the one whose place it takes; 0 for none.
    private func send(_ key: String, replacing number: UInt32 = 0) {
        let (request, desktop, serial) = state.withLock { state in
            guard let desktop = state.desktop, let entry = state.entries[key], case .waiting = entry.phase else {
                return (nil as [BusValue]?, "", 0)
            }
            state.entries[key]?.phase = .sent
            state.sentCount += 1
            return (Self.arguments(entry.notification, number, state), desktop, entry.serial)
        }
        guard let request else { return }
        call("Notify", request) { [self] result in shown(key, serial, desktop, result) }
    }

    private func shown(_ key: String, _ serial: Int, _ desktop: String, _ result: Result<[BusValue], BusError>) {
        defer {
            state.withLock { $0.sentCount -= 1 }
            leaveIfClosing()
        }
        switch result {
        case .failure(let error): if error != .disconnected { tell(.notShown(error.text)) }
        case .success(let values):
            guard case .uint32(let number)? = values.first else { return }
            let isWanted = state.withLock { state in
                guard state.desktop == desktop else { return true }
                guard state.entries[key]?.serial == serial else { return false }
                state.entries[key]?.phase = .shown(number)
                return true
            }
            if !isWanted { close(number) }
        }
    }

    private func close(_ number: UInt32) { call("CloseNotification", [.uint32(number)]) { _ in } }

    /// The arguments of `Notify`: the desktop decides how long it is shown.
    private static func arguments(
        _ notification: DesktopNotification,
        _ number: UInt32,
        _ state: State
    ) -> [BusValue] {
        let hasButton = notification.address != nil && state.opensPages && state.capabilities.contains("actions")
        var body = notification.body
        if let address = notification.address, !hasButton { body += "\n\(address)" }
        if state.capabilities.contains("body-markup") { body = escaped(body) }
        return [
            .string("Segue"), .uint32(number), .string(notification.icon), .string(notification.summary),
            .string(body), .strings(hasButton ? ["default", "Open", "open", "Open"] : []),
            // By its name among the desktop's programs, the user has a setting for its notifications.
            .properties(["urgency": .byte(1), "desktop-entry": .string("segue")]), .int32(-1),
        ]
    }

    /// A text as the specification's markup has it, so that nothing in it is taken for a tag.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    // MARK: Opening

    /// The user has pressed the button, or the notification itself.
    private func open(_ number: UInt32) {
        let (key, entry) = state.withLock { state in
            let key = state.key(of: number)
            return (key, key.flatMap { state.entries[$0] })
        }
        guard let key, let entry, let address = entry.notification.address else { return }
        let options = entry.token.isEmpty ? [:] : ["activation_token": BusValue.string(entry.token)]
        let request = MethodCall(
            "OpenURI",
            of: "org.freedesktop.portal.OpenURI",
            at: Self.portalPath,
            Self.portal,
            [.string(""), .string(address), .properties(options)]
        )
        call(request) { [self] result in
            guard case .failure(let error) = result else { return }
            let number = state.withLock { state in
                state.opensPages = false
                let number = state.entries[key]?.number
                state.entries[key]?.phase = .waiting
                return number
            }
            tell(.notOpened(error.text))
            send(key, replacing: number ?? 0)
        }
    }

    private func tell(_ event: Event) {
        let isNews = state.withLock { state in
            defer { state.lastEvent = event }
            return state.lastEvent != event
        }
        if isNews { handler(event) }
    }

    private func call(
        _ member: String,
        _ arguments: [BusValue] = [],
        then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        call(MethodCall(member, of: Self.name.text, at: Self.path, Self.name.text, arguments), then: then)
    }

    private func call(_ call: MethodCall, then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
        state.withLock { $0.connection }?.call(call, then: then)
    }
}
