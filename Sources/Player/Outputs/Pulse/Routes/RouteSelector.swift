/// Decides where an output's stream is to be heard, and what happens when its sink goes away or comes back.
///
/// A pure value: events go in, a step comes out. Streams are made with `PA_STREAM_DONT_MOVE`, so the server ends them
/// together with their sink, and nothing is heard elsewhere before a decision here.
struct RouteSelector: Sendable, Hashable {
    /// The sink that is wanted; `nil`: the server's default, also when the user chooses another one.
    let device: String?
    let policy: LossPolicy
    private(set) var state = State.opening
    /// Where the stream is heard, or was heard last.
    private(set) var place: Place?
    /// Why the stream is being opened again.
    private var reason = RouteChangeReason.unknown
    /// Whether the stream is to be opened at the default sink in place of the wanted one.
    private var usesDefault = false
    /// The sink that is back, to which an output without a device returns.
    private var returnsTo: String?
    /// The number of the sink that was lost last: a map that is late still has it, and no other sink is given it as long as
    /// the server runs.
    private var goneIndex: UInt32?

    /// A sink and the port in use.
    struct Place: Sendable, Hashable {
        let index: UInt32
        let name: String
        /// As it was when the output last looked.
        var port: PulseSink.Port?
        /// The sink's own sample format, then; empty while it is not known.
        var format = ""
    }

    enum State: Sendable, Hashable {
        /// The stream is being made.
        case opening
        case open
        /// The server ended the stream, and it is not known why: PipeWire does so before it removes the sink.
        case ended(isSettled: Bool = false)
        /// The server moved the stream, which is held until it is known why.
        case moved(to: Place)
        /// The stream is gone until its sink is back.
        case waiting(RouteLoss)
        /// The stream is gone; another one is made when the player has paused, or is told to play, or when the sink is
        /// back. One that the user has ended does not come back by itself.
        case pausing(RouteLoss, isEnded: Bool = false)
    }

    enum Step: Sendable, Hashable {
        case nothing
        /// Make a stream at `target`.
        case open
        /// End the stream, and make one at `target` that goes on at the heard frame.
        case reopen
        /// End the stream, if there is one, and report the loss.
        case lose(RouteLoss)
        /// Look again in a tenth of a second, when the loss of a sink would be known.
        case lookAgain
        case tell(RouteChange)
        /// Play on after a move.
        case goOn(RouteChange)
    }

    init(device: String?, policy: LossPolicy?) {
        self.device = device
        self.policy = policy ?? (device == nil ? .pause : .wait)
    }

    /// The name of the sink to make a stream at; `nil`: the server's default.
    var target: String? { usesDefault ? nil : returnsTo ?? device }

    /// The loss that keeps the output silent.
    var loss: RouteLoss? {
        switch state {
        case .waiting(let loss), .pausing(let loss, _): loss
        case .opening, .open, .ended, .moved: nil
        }
    }

    // MARK: The stream

    /// The stream is made again for the sink where it is heard.
    mutating func stays() {
        switch state {
        case .open, .moved: if !usesDefault { returnsTo = place?.name }
        case .opening, .ended, .waiting, .pausing: break
        }
    }

    /// The stream is being made.
    mutating func isOpening() { state = .opening }

    /// The stream is ready.
    ///
    /// - Returns: The change, where it is heard at another sink than before.
    mutating func opened(at index: UInt32, _ name: String, in map: SinkMap) -> RouteChange? {
        let previous = place?.name
        let wasLost = reason != .unknown
        state = .open
        let place = Self.place(index, name, in: map)
        self.place = place
        returnsTo = nil
        defer { reason = .unknown }
        return previous == name && !wasLost ? nil : RouteChange(reason, from: previous, to: place)
    }

    /// The user moved the stream, or the server did because its sink is being unloaded.
    ///
    /// - Returns: Whether to hold the stream and to ask whether its old sink still exists.
    mutating func moved(to index: UInt32, _ name: String, in map: SinkMap) -> Bool {
        guard case .open = state, let place, place.index != index else { return false }
        state = .moved(to: Self.place(index, name, in: map))
        return true
    }

    private static func place(_ index: UInt32, _ name: String, in map: SinkMap) -> Place {
        let sink = map.sink(at: index)
        return Place(index: index, name: name, port: sink?.portInUse, format: sink?.sampleSpecification ?? "")
    }

    /// The server ended the stream; whether its sink still exists is to be asked.
    mutating func ended() { state = .ended() }

    /// The answer to whether the sink of a stream that was ended or moved still exists.
    mutating func learned(sinkExists: Bool) -> Step {
        guard let old = place else { return .nothing }
        guard sinkExists else {
            goneIndex = old.index
            return lose("the sink '\(old.name)' is gone")
        }
        if case .moved(let new) = state {
            state = .open
            place = new
            return .goOn(RouteChange(.override, from: old.name, to: new))
        }
        guard state == .ended(isSettled: true) else {
            state = .ended(isSettled: true)
            return .lookAgain
        }
        let loss = RouteLoss(
            sink: old.name,
            text: "the stream was ended at the sound server",
            pauses: true,
            keepsSink: true
        )
        state = .pausing(loss, isEnded: true)
        return .lose(loss)
    }

    /// Whether a new stream is at the sink that was wanted.
    ///
    /// PipeWire plays a stream that may be moved at the default sink when it has none of the wanted name.
    func isWanted(_ name: String) -> Bool {
        guard let target, target != name else { return true }
        // Names that stand for others, such as @DEFAULT_SINK@, and numbers.
        return target.hasPrefix("@") || target.allSatisfy(\.isNumber)
    }

    /// The server has no sink of the name wanted, or none at all.
    mutating func targetIsMissing() -> Step {
        if reason == .unknown, let place, returnsTo == place.name {
            // It was heard there until now.
            returnsTo = nil
            goneIndex = place.index
            return lose("the sink '\(place.name)' is gone")
        }
        if policy == .fallback, device != nil, !usesDefault {
            usesDefault = true
            return .open
        }
        let name = target ?? ""
        returnsTo = nil
        let text = name.isEmpty ? "the sound server has no sink" : "the sound server has no sink '\(name)'"
        let loss = RouteLoss(sink: name, text: "\(text); waiting for it", pauses: false)
        state = .waiting(loss)
        return .lose(loss)
    }

    /// The connection to the server is lost; numbers of sinks have no meaning any more.
    mutating func serverLost() {
        state = .opening
        usesDefault = false
        returnsTo = nil
        reason = .unknown
        goneIndex = nil
        place = place.map { Place(index: .max, name: $0.name, port: nil) }
    }

    private mutating func lose(_ text: String, keepsSink: Bool = false) -> Step {
        guard let place else { return .nothing }
        reason = .oldDeviceUnavailable
        switch policy {
        case .fallback:
            usesDefault = true
            return .reopen
        case .wait:
            let loss = RouteLoss(sink: place.name, text: "\(text); waiting for it", pauses: false, keepsSink: keepsSink)
            state = .waiting(loss)
            return .lose(loss)
        case .pause:
            let loss = RouteLoss(sink: place.name, text: text, pauses: true, keepsSink: keepsSink)
            state = .pausing(loss)
            return .lose(loss)
        }
    }

    // MARK: The player

    /// The player has paused: a stream can be made without being heard.
    mutating func paused() -> Step {
        guard case .pausing = state, device == nil else { return .nothing }
        return .open
    }

    /// The player is told to play.
    mutating func started() -> Step {
        switch state {
        case .pausing: return .open
        case .waiting(let loss) where device == nil || !loss.sink.isEmpty && loss.sink != device:
            // Play was pressed in full knowledge of the loss: what there is will do.
            state = .opening
            return .open
        case .opening, .open, .ended, .moved, .waiting: return .nothing
        }
    }

    // MARK: The server's sinks

    mutating func changed(_ map: SinkMap) -> Step {
        switch state {
        case .opening, .ended, .moved: return .nothing
        case .pausing(_, isEnded: true): return .nothing
        case .waiting(let loss), .pausing(let loss, isEnded: false):
            return isBack(loss, map) ? comeBack(loss) : .nothing
        case .open: return look(at: map)
        }
    }

    /// Whether the sink that is waited for can be played to: it exists, and is plugged in if that was why it was left.
    private func isBack(_ loss: RouteLoss, _ map: SinkMap) -> Bool {
        // A user may have moved the stream away from the device.
        let name = loss.sink.isEmpty ? device ?? "" : loss.sink
        guard !name.isEmpty, !usesDefault else { return map.defaultSink.flatMap { sink(named: $0, in: map) } != nil }
        guard let sink = sink(named: name, in: map) else { return false }
        return sink.index != place?.index || sink.isPluggedIn && sink.activePort == place?.port?.name
    }

    /// The sink of a name, unless it is known to be gone.
    private func sink(named name: String, in map: SinkMap) -> PulseSink? {
        map.sink(named: name).flatMap { $0.index == goneIndex ? nil : $0 }
    }

    private mutating func comeBack(_ loss: RouteLoss) -> Step {
        if !loss.sink.isEmpty, loss.sink != device { returnsTo = loss.sink }
        reason = .newDeviceAvailable
        return .open
    }

    private mutating func look(at map: SinkMap) -> Step {
        guard let place else { return .nothing }
        guard let sink = map.sink(at: place.index) else { return isGone(place, map) ? .lookAgain : .nothing }
        if usesDefault, let device, place.name != device, self.sink(named: device, in: map)?.isPluggedIn == true {
            usesDefault = false
            reason = .newDeviceAvailable
            return .reopen
        }
        let port = sink.portInUse
        self.place?.format = sink.sampleSpecification
        if let old = place.port, old.availability != .no, sink.port(named: old.name)?.availability == .no {
            guard policy == .fallback, sink.isPluggedIn else {
                return lose("\(old.description) of '\(place.name)' is unplugged", keepsSink: true)
            }
            self.place?.port = port
            return tellChange(.oldDeviceUnavailable)
        }
        self.place?.port = port
        if let port, let old = place.port, port.name != old.name {
            return tellChange(port.availability == .yes ? .newDeviceAvailable : .routeConfigurationChange)
        }
        if !place.format.isEmpty, place.format != sink.sampleSpecification {
            return tellChange(.routeConfigurationChange)
        }
        return followsDefault && map.defaultSink != place.name ? .lookAgain : .nothing
    }

    /// Whether a stream's sink is gone although the server has not ended the stream, as WirePlumber 0.5 leaves it.
    private func isGone(_ place: Place, _ map: SinkMap) -> Bool {
        // A sink that was never seen may be too new for the map, which is empty while the server is away.
        !place.format.isEmpty && !map.sinks.isEmpty && map.sink(at: place.index) == nil
    }

    /// Tells a change of the sink itself.
    private func tellChange(_ reason: RouteChangeReason) -> Step {
        place.map { .tell(RouteChange(reason, from: $0.name, to: $0)) } ?? .nothing
    }

    private var followsDefault: Bool { device == nil || usesDefault }

    /// A tenth of a second after the default sink has changed, or the stream's own was missing: the loss of the old one would be known by now.
    mutating func looksAgain(at map: SinkMap) -> Step {
        if state == .open, let place, isGone(place, map) { return lose("the sink '\(place.name)' is gone") }
        guard state == .open, followsDefault, let place, let name = map.defaultSink, name != place.name,
            map.sink(at: place.index)?.isPluggedIn == true, map.sink(named: name) != nil
        else {
            let step = changed(map)
            // Where the new default sink cannot be played to there is nothing to look for.
            return step == .lookAgain ? .nothing : step
        }
        if usesDefault, let device, sink(named: device, in: map)?.isPluggedIn == true { return changed(map) }
        reason = .override
        return .reopen
    }
}

extension RouteChange {
    fileprivate init(_ reason: RouteChangeReason, from previous: String?, to place: RouteSelector.Place) {
        self.init(reason, from: previous, to: place.name, format: place.format)
    }
}
