package import AudioSessions
package import AudioTypes
package import Mixers
internal import Playback
private import Synchronization

/// An announcement that is playing at a place: its session, and its own player on the zone's mixer.
///
/// Calls to the player are queued in order, and do not block.
package final class Voice: Sendable {
    package let session: SessionID
    /// The name of the zone whose mixer it plays on.
    package let zone: String
    private let orders: AsyncStream<@Sendable (isolated Player) async -> Void>.Continuation

    /// How the announcement ended.
    package enum End: Sendable, Hashable {
        /// The last sample was heard.
        case heard
        case failed(String)
        /// No output worked.
        case unheard
    }

    /// Starts playing.
    ///
    /// - Parameters:
    ///   - wait: Seconds until other sessions are silent.
    ///   - patience: Seconds to wait for a working output.
    ///   - resolve: Resolves a medium, on a thread that may block on the disk.
    ///   - began: Called once, when it is heard.
    ///   - ended: Called once.
    package init(
        of session: SessionID,
        in zone: String,
        _ media: [MediaEntry],
        on mixer: Mixer,
        volume: Volume,
        after wait: Double,
        patience: Double,
        resolve: @escaping @Sendable (MediaEntry) throws -> MediaEntry,
        began: @escaping @Sendable () -> Void = {},
        ended: @escaping @Sendable (End) -> Void
    ) {
        self.session = session
        self.zone = zone
        var configuration = PlayerConfiguration()
        // An announcement that comes much too late is of no use.
        configuration.stream.reconnectLimit = 2
        configuration.outputPatience = patience
        configuration.routePatience = patience
        configuration.resolve = resolve
        let player = Player(voiceOn: mixer, configuration: configuration)
        let (stream, orders) = AsyncStream.makeStream(of: (@Sendable (isolated Player) async -> Void).self)
        self.orders = orders
        Task {
            for await order in stream { await Self.carryOut(order, player) }
            await player.close()
        }
        send { player in player.setVolume(volume) }
        Task {
            let events = await player.events()
            let items = await player.append(media)
            if wait > 0 { try? await Task.sleep(for: .seconds(saturating: wait)) }
            self.send { player in player.play() }
            ended(await Self.end(of: items, events, began))
        }
    }

    private static func carryOut(_ order: @Sendable (isolated Player) async -> Void, _ player: isolated Player) async {
        await order(player)
    }

    private static func end(
        of items: [PlayerItem.ID],
        _ events: AsyncStream<PlayerEvent>,
        _ began: @Sendable () -> Void
    ) async -> End {
        var (hasBegun, isHeard) = (false, false)
        for await event in events {
            switch event {
            case .statusChanged(let status):
                if status.timeControlStatus != .paused { hasBegun = true }
                if status.timeControlStatus == .playing, !isHeard {
                    isHeard = true
                    began()
                }
                // The player gave up on its output, or was told to pause.
                if hasBegun, status.timeControlStatus == .paused { return .unheard }
            case .itemFailed(let item):
                // If only the chime fails, the announcement is still played.
                guard item.id == items.last, case .failed(let reason) = item.status else { continue }
                return .failed(reason)
            case .outputFailed(let reason): return .failed(reason)
            case .queueEnded: return .heard
            default: continue
            }
        }
        return .unheard
    }

    package func setVolume(_ volume: Volume) { send { $0.setVolume(volume) } }

    package func setDuck(_ gain: Gain, over ramp: Double) { send { $0.setDuck(gain, over: ramp) } }

    /// Stops the player, after an optional fade.
    ///
    /// - Parameter fade: In seconds.
    package func end(fadingOver fade: Double?) {
        if let fade {
            send { player in
                player.pause(fadingOver: fade)
                try? await Task.sleep(for: .seconds(saturating: fade + 0.1))
            }
        }
        orders.finish()
    }

    private func send(_ order: @escaping @Sendable (isolated Player) async -> Void) { orders.yield(order) }
}
