package import DBus

/// A player's object on the bus, as a pure value: what calls come to, and what is told when the player changes.
package struct MediaPlayerObject: Sendable {
    package private(set) var state: MediaPlayerState
    package private(set) var position: PlayerPosition

    package init(_ state: MediaPlayerState, _ position: PlayerPosition) {
        self.state = state
        self.position = position
    }

    /// The outcome of a call.
    package enum Answer: Sendable, Hashable {
        case values([BusValue])
        /// Carried out by the player, which answers.
        case command(MediaPlayerCommand)
    }

    // MARK: Changes

    /// Takes over a newer state.
    ///
    /// - Returns: The signals that tell of the difference; none when clients see no difference.
    package mutating func update(_ new: MediaPlayerState, _ newPosition: PlayerPosition) -> [BusSignal] {
        let (old, oldPosition) = (self, position)
        (state, position) = (new, newPosition)
        var signals = interfaces.compactMap { interface in
            interface.propertiesChanged(
                at: MediaPlayerInterfaces.path,
                from: old.values(of: interface),
                to: values(of: interface)
            )
        }
        if let tracks = state.tracks, tracks != old.state.tracks {
            let current = (state.track ?? .none).id
            let arguments: [BusValue] = [.objectPaths(tracks), .objectPath(current)]
            signals.append(signal("TrackListReplaced", MediaPlayerInterfaces.trackList, arguments))
        }
        let isSameTrack = state.track?.id == old.state.track?.id && state.track != nil
        let isStopped = state.status == .stopped || old.state.status == .stopped
        if isSameTrack, !isStopped, newPosition.isJump(from: oldPosition) {
            let time = BusValue.int64(microseconds(newPosition.elapsed))
            signals.append(signal("Seeked", MediaPlayerInterfaces.player, [time]))
        }
        return signals
    }

    private func signal(_ name: String, _ interface: BusInterface, _ arguments: [BusValue]) -> BusSignal {
        BusSignal(name, of: interface.name, at: MediaPlayerInterfaces.path, arguments)
    }

    // MARK: Calls

    private var interfaces: [BusInterface] {
        [MediaPlayerInterfaces.root, MediaPlayerInterfaces.player]
            + (state.tracks == nil ? [] : [MediaPlayerInterfaces.trackList])
            + (state.playlists == nil ? [] : [MediaPlayerInterfaces.playlists])
    }

    private static let standard: [BusInterface] = [.introspectable, .peer, .properties]

    /// - Parameter elapsed: The seconds of the track that are heard now.
    package func answer(_ call: MethodCall, elapsed: Double) throws(BusError) -> Answer {
        guard call.path == MediaPlayerInterfaces.path else { return try answerElsewhere(call) }
        let candidates = (interfaces + Self.standard).filter { call.interface == nil || $0.name == call.interface }
        guard !candidates.isEmpty else { throw .unknownInterface(call.interface ?? "") }
        guard let found = candidates.firstNonNil({ found in found.method(call.member).map { (found, $0) } })
        else { throw .unknownMethod(call.member) }
        let (interface, method) = found
        guard call.signature == method.signature else {
            throw .invalid("\(call.member) takes '\(method.signature)', not '\(call.signature)'")
        }
        switch interface {
        case .introspectable: return .values([.string(Introspection.document(interfaces + Self.standard))])
        case .properties: return try answerAboutProperties(call, elapsed)
        case MediaPlayerInterfaces.root: return answerRoot(call)
        case MediaPlayerInterfaces.player: return try answerPlayer(call)
        case MediaPlayerInterfaces.trackList: return try answerTrackList(call)
        case MediaPlayerInterfaces.playlists: return try answerPlaylists(call)
        default: throw .unknownMethod(call.member)
        }
    }

    /// The objects above the player's, which are there to be found.
    private func answerElsewhere(_ call: MethodCall) throws(BusError) -> Answer {
        guard call.member == "Introspect" else { throw .unknownObject(call.path) }
        let parents = ["/": "org", "/org": "mpris", "/org/mpris": "MediaPlayer2"]
        guard let child = parents[call.path.description] else { throw .unknownObject(call.path) }
        return .values([.string(Introspection.document([.introspectable, .peer], children: [child]))])
    }

    private static let nothing = Answer.values([])

    /// A command, or nothing where the player does not offer it.
    private func command(_ command: MediaPlayerCommand, if ability: PlayerAbilities) -> Answer {
        state.abilities.isSuperset(of: ability) ? .command(command) : Self.nothing
    }

    private func answerRoot(_ call: MethodCall) -> Answer {
        call.member == "Quit" && state.canQuit ? .command(.quit) : Self.nothing
    }

    private func answerPlayer(_ call: MethodCall) throws(BusError) -> Answer {
        switch call.member {
        case "Next": return command(.next, if: .goNext)
        case "Previous": return command(.previous, if: .goPrevious)
        case "Play": return command(.play, if: .play)
        case "Pause": return command(.pause, if: .pause)
        case "PlayPause":
            guard state.abilities.contains(.pause) || state.abilities.contains(.play) else {
                throw .notSupported("the player can neither play nor pause now")
            }
            return .command(.playPause)
        case "Stop": return .command(.stop)
        case "Seek": return command(.seek(seconds(call.arguments[0].integer ?? 0)), if: .seek)
        case "SetPosition": return setPosition(call.arguments[0].path, call.arguments[1].integer ?? -1)
        default: return .command(.open(try address(call.arguments[0])))
        }
    }

    private func setPosition(_ track: ObjectPath?, _ position: Int64) -> Answer {
        guard let current = state.track, current.id == track, position >= 0,
            position <= microseconds(current.duration ?? .infinity)
        else { return Self.nothing }
        return command(.setPosition(current.id, seconds(position)), if: .seek)
    }

    private func address(_ value: BusValue) throws(BusError) -> String {
        let uri = value.text ?? ""
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        guard uri.contains(":"), state.uriSchemes.contains(scheme) else {
            throw .notSupported("addresses of the scheme '\(clipped(scheme))' cannot be opened")
        }
        return uri
    }

    private func answerTrackList(_ call: MethodCall) throws(BusError) -> Answer {
        let first = call.arguments[0]
        switch call.member {
        case "GetTracksMetadata": return .command(.tracks((first.elements ?? []).compactMap(\.path)))
        case "AddTrack":
            let after = call.arguments[1].path
            let isFirst = after == nil || after == ObjectPath(known: "/") || after == TrackMetadata.none.id
            let isCurrent = call.arguments[2].truth == true
            return .command(.addTrack(try address(first), after: isFirst ? nil : after, isCurrent: isCurrent))
        case "RemoveTrack": return first.path.map { .command(.removeTrack($0)) } ?? Self.nothing
        default: return first.path.map { .command(.goTo($0)) } ?? Self.nothing
        }
    }

    private func answerPlaylists(_ call: MethodCall) throws(BusError) -> Answer {
        if call.member == "ActivatePlaylist" {
            guard let id = call.arguments[0].path else { return Self.nothing }
            return .command(.activatePlaylist(id))
        }
        guard case .uint32(let first) = call.arguments[0], case .uint32(let count) = call.arguments[1] else {
            return Self.nothing
        }
        guard call.arguments[2].text == Self.ordering else {
            throw .invalid("playlists are ordered by '\(Self.ordering)' only")
        }
        let isReversed = call.arguments[3].truth == true
        return .command(.playlists(from: Int(first), count: Int(count), isReversed: isReversed))
    }
}

/// Properties.
extension MediaPlayerObject {
    /// The only order of playlists: by name.
    private static let ordering = "Alphabetical"

    private func answerAboutProperties(_ call: MethodCall, _ elapsed: Double) throws(BusError) -> Answer {
        let name = call.arguments[0].text ?? ""
        guard let interface = interfaces.first(where: { $0.name == name }) else {
            guard call.member == "GetAll", Self.standard.contains(where: { $0.name == name }) else {
                throw .unknownInterface(name)
            }
            return .values([.properties([:])])
        }
        var values = values(of: interface)
        if values["Position"] != nil { values["Position"] = .int64(microseconds(elapsed)) }
        if call.member == "GetAll" { return .values([.properties(values)]) }
        let property = call.arguments[1].text ?? ""
        guard let known = interface.property(property), let value = values[property] else {
            throw .unknownProperty(property)
        }
        if call.member == "Get" { return .values([.variant(value)]) }
        guard known.isWritable else { throw .readOnly(property) }
        guard let wanted = call.arguments[2].unwrapped, wanted.signature == known.signature else {
            throw .invalid("\(property) has the type '\(known.signature)'")
        }
        return try set(property, wanted)
    }

    private func set(_ property: String, _ value: BusValue) throws(BusError) -> Answer {
        switch property {
        case "LoopStatus":
            guard let loop = LoopStatus(rawValue: value.text ?? "") else {
                throw .invalid("LoopStatus is None, Track or Playlist")
            }
            return .command(.setLoop(loop))
        case "Shuffle": return .command(.setShuffle(value.truth == true))
        case "Rate": return try setRate(value.number ?? .nan)
        case "Volume":
            guard let volume = value.number, !volume.isNaN else { throw .invalid("Volume is a number from 0 to 1") }
            return state.volume == nil ? Self.nothing : .command(.setVolume(min(max(volume, 0), 1)))
        default: return Self.nothing
        }
    }

    private func setRate(_ rate: Double) throws(BusError) -> Answer {
        if rate == 0 { return command(.pause, if: .pause) }
        guard state.rates.contains(rate) else {
            throw .invalid("Rate is a number from \(state.rates.lowerBound) to \(state.rates.upperBound)")
        }
        return state.rates.lowerBound == state.rates.upperBound ? Self.nothing : .command(.setRate(rate))
    }

    /// The values that an interface's properties have now.
    func values(of interface: BusInterface) -> [String: BusValue] {
        switch interface {
        case MediaPlayerInterfaces.root: rootValues
        case MediaPlayerInterfaces.player: playerValues
        case MediaPlayerInterfaces.trackList: trackListValues
        default: playlistValues
        }
    }

    private var rootValues: [String: BusValue] {
        [
            "CanQuit": .boolean(state.canQuit), "CanRaise": .boolean(false), "Fullscreen": .boolean(false),
            "CanSetFullscreen": .boolean(false), "HasTrackList": .boolean(state.tracks != nil),
            "Identity": .string(clipped(state.identity)), "SupportedUriSchemes": .strings(state.uriSchemes),
            "SupportedMimeTypes": .strings(state.mimeTypes),
        ]
    }

    private var playerValues: [String: BusValue] {
        let abilities = state.abilities
        var values: [String: BusValue] = [
            "PlaybackStatus": .string(state.status.rawValue), "Rate": .double(state.rate),
            "Metadata": (state.track ?? .none).value, "Volume": .double(state.volume ?? 1), "Position": .int64(0),
            "MinimumRate": .double(state.rates.lowerBound), "MaximumRate": .double(state.rates.upperBound),
            "CanGoNext": .boolean(abilities.contains(.goNext)),
            "CanGoPrevious": .boolean(abilities.contains(.goPrevious)),
            "CanPlay": .boolean(abilities.contains(.play)), "CanPause": .boolean(abilities.contains(.pause)),
            "CanSeek": .boolean(abilities.contains(.seek)), "CanControl": .boolean(true),
        ]
        values["LoopStatus"] = state.loop.map { .string($0.rawValue) }
        values["Shuffle"] = state.shuffle.map { .boolean($0) }
        return values
    }

    private var trackListValues: [String: BusValue] {
        ["Tracks": .objectPaths(state.tracks ?? []), "CanEditTracks": .boolean(true)]
    }

    private var playlistValues: [String: BusValue] {
        [
            "PlaylistCount": .uint32(state.playlists?.count ?? 0), "Orderings": .strings([Self.ordering]),
            "ActivePlaylist": PlayerPlaylist.value(of: state.playlists?.active),
        ]
    }
}
