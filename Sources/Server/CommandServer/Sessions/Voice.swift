internal import AudioSessions
internal import AudioTypes
internal import Mixers
internal import Playback
internal import Synchronization

/// An announcement that is being heard at a place: its session, and a player of its own on the zone's mixer.
///
/// What the player is told, it is told in order; nobody waits for it.
final class Voice: Sendable {
    let session: SessionID
    private let orders: AsyncStream<@Sendable (isolated Player) async -> Void>.Continuation

    /// How it ended.
    enum End: Sendable, Hashable {
        /// Its last sample was heard.
        case heard
        case failed(String)
        /// There was nothing to hear it by.
        case unheard
    }

    /// Begins to play.
    ///
    /// - Parameters:
    ///   - wait: Until others have fallen silent, in seconds.
    ///   - patience: How long is waited for something to be heard by, in seconds.
    ///   - ended: Told once.
    init(
        of session: SessionID,
        _ media: [MediaEntry],
        on mixer: Mixer,
        volume: Volume,
        after wait: Double,
        patience: Double,
        ended: @escaping @Sendable (End) -> Void
    ) {
        self.session = session
        var configuration = PlayerConfiguration()
        // What is said much later is not what was to be said.
        configuration.stream.reconnectLimit = 2
        configuration.outputPatience = patience
        let player = Player(voiceOn: mixer, configuration: configuration)
        let haste = mixer.haste
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
            if wait > 0 { try? await Task.sleep(for: .seconds(wait)) }
            self.send { player in player.play() }
            let end = await Self.end(of: items, events)
            if haste > 0, end == .heard { try? await Task.sleep(for: .seconds(haste)) }
            ended(end)
        }
    }

    private static func carryOut(_ order: @Sendable (isolated Player) async -> Void, _ player: isolated Player) async {
        await order(player)
    }

    private static func end(of items: [PlayerItem.ID], _ events: AsyncStream<PlayerEvent>) async -> End {
        var hasBegun = false
        for await event in events {
            switch event {
            case .statusChanged(let status):
                if status.timeControlStatus != .paused { hasBegun = true }
                // The player's patience with its output has ended, or it was told to.
                if hasBegun, status.timeControlStatus == .paused { return .unheard }
            case .itemFailed(let item):
                // Without its chime an announcement is still one.
                guard item.id == items.last, case .failed(let reason) = item.status else { continue }
                return .failed(reason)
            case .outputFailed(let reason): return .failed(reason)
            case .queueEnded: return .heard
            default: continue
            }
        }
        return .unheard
    }

    func setVolume(_ volume: Volume) { send { $0.setVolume(volume) } }

    func setDuck(_ gain: Gain, over ramp: Double) { send { $0.setDuck(gain, over: ramp) } }

    /// Lets it go; what is heard of it still may fade out first.
    ///
    /// - Parameter fade: In seconds.
    func end(fadingOver fade: Double?) {
        if let fade {
            send { player in
                player.pause(fadingOver: fade)
                try? await Task.sleep(for: .seconds(fade + 0.1))
            }
        }
        orders.finish()
    }

    private func send(_ order: @escaping @Sendable (isolated Player) async -> Void) { orders.yield(order) }
}
