internal import AudioTypes
package import DBus
private import Synchronization

/// A media player of another program that was paused here.
package struct RemotePlayer: Sendable, Hashable {
    /// The name by which it is known, such as `org.mpris.MediaPlayer2.mpv`.
    package let name: String
    /// The name of its connection, which no later one gets.
    let connection: String

    package init(name: String, connection: String) {
        self.name = name
        self.connection = connection
    }
}

/// Pauses other programs' media players on the user's message bus, and has them play on unless a user has changed their
/// state since.
package final class RemotePlayers: BusPeer {
    private struct State {
        var connection: BusConnection?
        /// The players that are paused, by their connections, and whether they were touched since.
        var paused: [String: Bool] = [:]
        /// How many players are being told to play on.
        var playing = 0
        /// Called when they have ended.
        var closing: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    private static let prefix = "org.mpris.MediaPlayer2."
    private static let path = ObjectPath(known: "/org/mpris/MediaPlayer2")
    private static let player = "org.mpris.MediaPlayer2.Player"
    private static let bus = "org.freedesktop.DBus"
    /// How many players are looked at.
    private static let limit = 64

    package init(_ bus: BusAddress, _ thread: BusThread) {
        // With the lock held, because the bus's thread may be connected before this one goes on.
        state.withLock { $0.connection = thread.connect(BusPlan(bus), self) }
    }

    /// Leaves the bus, once the players that are to play on have been told.
    package func close(then done: @escaping @Sendable () -> Void) {
        let isBusy = state.withLock { state in
            state.closing = done
            return state.playing > 0
        }
        if !isBusy { leave() }
    }

    private func leave() {
        let (connection, done) = state.withLock { state in
            state.paused = [:]
            return (state.connection.take(), state.closing.take())
        }
        connection?.close()
        done?()
    }

    /// Pauses the player of the first of several processes that has one, if it is playing.
    ///
    /// - Parameter then: Called with the player once it has agreed, or with `nil`; on the bus's thread.
    package func pause(_ processes: [Int32], then: @escaping @Sendable (RemotePlayer?) -> Void) {
        find(processes) { [self] player in
            guard let player else { return then(nil) }
            watch(player, true)
            get("PlaybackStatus", of: player) { [self] status in
                guard status?.text == "Playing" else { return giveUp(player, then) }
                call("Pause", of: player) { [self] result in
                    if case .success = result { then(player) } else { giveUp(player, then) }
                }
            }
        }
    }

    /// Has a player play on that was paused here, unless it has done anything else since.
    package func play(_ player: RemotePlayer) {
        let isTouched = state.withLock { $0.paused[player.connection] ?? true }
        watch(player, false)
        guard !isTouched else { return }
        state.withLock { $0.playing += 1 }
        get("PlaybackStatus", of: player) { [self] status in
            guard status?.text == "Paused" else { return wasTold() }
            call("Play", of: player) { [self] _ in wasTold() }
        }
    }

    private func wasTold() {
        let isLast = state.withLock { state in
            state.playing -= 1
            return state.playing == 0 && state.closing != nil
        }
        if isLast { leave() }
    }

    /// Leaves a player as it is.
    package func forget(_ player: RemotePlayer) { watch(player, false) }

    private func giveUp(_ player: RemotePlayer, _ then: @Sendable (RemotePlayer?) -> Void) {
        watch(player, false)
        then(nil)
    }

    // MARK: Finding

    private func find(_ processes: [Int32], then: @escaping @Sendable (RemotePlayer?) -> Void) {
        guard !processes.isEmpty else { return then(nil) }
        ask("ListNames") { [self] values in
            let names = (values.first?.elements ?? []).compactMap(\.text).filter(Self.isForeign).sorted()
            examine(names.prefix(Self.limit), among: processes, best: nil, then: then)
        }
    }

    /// Whether a name is a player's, and not one of Segue's own.
    static func isForeign(_ name: String) -> Bool {
        let own = prefix + "segue"
        return name.hasPrefix(prefix) && name != own && !name.hasPrefix(own + ".")
    }

    /// Finds out whose the players are, one after another: whose process is nearest to the stream's is meant.
    private func examine(
        _ names: ArraySlice<String>,
        among processes: [Int32],
        best: (name: String, rank: Int)?,
        then: @escaping @Sendable (RemotePlayer?) -> Void
    ) {
        guard let name = names.first, best?.rank != 0 else {
            guard let best else { return then(nil) }
            return ask("GetNameOwner", [.string(best.name)]) { values in
                then(values.first?.text.map { RemotePlayer(name: best.name, connection: $0) })
            }
        }
        ask("GetConnectionUnixProcessID", [.string(name)]) { [self] values in
            var best = best
            if case .uint32(let process)? = values.first, let number = Int32(exactly: process),
                let rank = processes.firstIndex(of: number), rank < best?.rank ?? .max
            {
                best = (name, rank)
            }
            examine(names.dropFirst(), among: processes, best: best, then: then)
        }
    }

    // MARK: Watching

    private func watch(_ player: RemotePlayer, _ isOn: Bool) {
        let isNews = state.withLock { state in
            let wasOn = state.paused[player.connection] != nil
            state.paused[player.connection] = isOn ? false : nil
            return wasOn != isOn
        }
        guard isNews else { return }
        let rule =
            "type='signal',sender='\(player.connection)',path='\(Self.path)',"
            + "interface='\(BusInterface.properties.name)',member='PropertiesChanged'"
        ask(isOn ? "AddMatch" : "RemoveMatch", [.string(rule)]) { _ in }
    }

    package func receive(_ signal: BusSignal) {
        guard signal.arguments.count > 1, signal.arguments[0].text == Self.player else { return }
        let entries = signal.arguments[1].elements ?? []
        let isTouched = entries.contains { entry in
            guard case .entry(.string("PlaybackStatus"), .variant(let status)) = entry else { return false }
            return status.text != "Paused"
        }
        guard isTouched else { return }
        state.withLock { if $0.paused[signal.sender] != nil { $0.paused[signal.sender] = true } }
    }

    package func disconnected(_ reason: String) { state.withLock { $0.paused = [:] } }

    // MARK: Calls

    private func ask(_ member: String, _ arguments: [BusValue] = [], then: @escaping @Sendable ([BusValue]) -> Void) {
        let path = ObjectPath(known: "/org/freedesktop/DBus")
        send(MethodCall(member, of: Self.bus, at: path, Self.bus, arguments)) { then((try? $0.get()) ?? []) }
    }

    private func get(_ property: String, of player: RemotePlayer, then: @escaping @Sendable (BusValue?) -> Void) {
        let arguments = [Self.player, property].map(BusValue.string)
        let call = MethodCall("Get", of: BusInterface.properties.name, at: Self.path, player.connection, arguments)
        send(call) { then((try? $0.get())?.first?.unwrapped) }
    }

    private func call(
        _ member: String,
        of player: RemotePlayer,
        then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void
    ) {
        send(MethodCall(member, of: Self.player, at: Self.path, player.connection), then: then)
    }

    private func send(_ call: MethodCall, then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void) {
        guard let connection = state.withLock({ $0.connection }) else { return then(.failure(.disconnected)) }
        connection.call(call, then: then)
    }
}
