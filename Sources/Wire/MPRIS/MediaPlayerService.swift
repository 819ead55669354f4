internal import AudioTypes
package import DBus
private import Synchronization

/// A player on the bus: answers reads by itself, on the bus's thread, and hands commands to the player.
package final class MediaPlayerService: BusPeer {
    /// Carries out a command; the answer may be given later.
    ///
    /// Called on the bus's thread.
    package typealias Perform = @Sendable (MediaPlayerCommand, BusAnswer) -> Void

    private struct State {
        var object: MediaPlayerObject
        /// Reads the seconds that are heard now.
        var elapsed: (@Sendable () -> Double?)?
        var connection: BusConnection?
    }

    private let state: Mutex<State>
    private let perform: Perform
    private let named: @Sendable (String?) -> Void

    /// - Parameters:
    ///   - names: See ``MediaPlayerName``.
    ///   - named: Called on the bus's thread with the name that the player has got, and with `nil` when the bus is lost.
    package init(
        _ plan: BusPlan,
        _ thread: BusThread,
        _ player: MediaPlayerState,
        _ position: PlayerPosition,
        named: @escaping @Sendable (String?) -> Void = { _ in },
        perform: @escaping Perform
    ) {
        state = Mutex(State(object: MediaPlayerObject(player, position)))
        self.perform = perform
        self.named = named
        // With the lock held, because the bus's thread may be connected before this one goes on.
        state.withLock { $0.connection = thread.connect(plan, self) }
    }

    /// Takes over a newer state, and tells the bus what has changed.
    ///
    /// - Parameter elapsed: Reads the seconds that are heard, from any thread; without it, or when it is `nil`, they are
    ///   reckoned from `position`.
    package func update(
        _ player: MediaPlayerState,
        _ position: PlayerPosition,
        elapsed: (@Sendable () -> Double?)? = nil
    ) {
        // With the lock held, so that signals go out in the order of the states.
        state.withLock { state in
            state.elapsed = elapsed
            let signals = state.object.update(player, position)
            state.connection?.emit(signals)
        }
    }

    package func close() { state.withLock { $0.connection.take() }?.close() }

    /// The same, and returns when the answers that were given are sent.
    package func finish() async { await state.withLock { $0.connection.take() }?.finish() }

    // MARK: On the bus's thread

    package func receive(_ call: MethodCall, _ answer: BusAnswer) {
        let (object, reader) = state.withLock { ($0.object, $0.elapsed) }
        do {
            let elapsed = reader?() ?? object.position.elapsed(at: .now)
            switch try object.answer(call, elapsed: elapsed) {
            case .values(let values): answer(.success(values))
            case .command(let command): perform(command, answer)
            }
        } catch {
            answer(.failure(error))
        }
    }

    package func connected(as name: String?) { named(name) }
    package func disconnected(_ reason: String) { named(nil) }
}

/// The names of players on the bus.
package enum MediaPlayerName {
    private static let base = "org.mpris.MediaPlayer2.segue"

    /// A daemon's player that commands go to: one name in a session, and another for each further daemon.
    package static func daemon(process: Int32) -> [String] { [base, "\(base).instance\(process)"] }

    /// A daemon's zone.
    package static func zone(_ name: String, process: Int32) -> [String] {
        let name = "\(base).zone_\(element(name))"
        return [name, "\(name).instance\(process)"]
    }

    /// A player in the foreground.
    package static func instance(process: Int32) -> [String] { ["\(base).instance\(process)"] }

    /// A name as a part of a bus name, in which letters, digits, `_` and `-` may stand.
    private static func element(_ name: String) -> String {
        name.utf8.reduce(into: "") { result, byte in
            let isPlain = byte == 0x2d || byte == 0x5f || pathElement(String(Unicode.Scalar(byte))).utf8.count == 1
            result += isPlain && byte < 0x80 ? String(Unicode.Scalar(byte)) : "_" + String(byte, radix: 16)
        }
    }
}
