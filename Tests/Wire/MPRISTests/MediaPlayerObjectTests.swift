import AudioTypes
import DBus
import MPRIS
import Testing

/// What calls come to, and what is told, as values.
struct MediaPlayerObjectTests {
    private static let track = ObjectPath(known: "/track/1")
    private static let start = HostTime(nanoseconds: 1_000_000_000)

    private static var playing: MediaPlayerState {
        var state = MediaPlayerState(identity: "Segue")
        (state.status, state.loop, state.shuffle, state.volume) = (.playing, LoopStatus.none, false, 0.5)
        (state.rates, state.abilities, state.uriSchemes) = (0.25...4, .all, ["file", "http"])
        state.track = TrackMetadata(id: track)
        state.track?.duration = 100
        state.tracks = [track]
        state.playlists = .init(count: 1, active: nil)
        return state
    }

    private static func object(_ change: (inout MediaPlayerState) -> Void = { _ in }) -> MediaPlayerObject {
        var state = playing
        change(&state)
        return MediaPlayerObject(state, PlayerPosition(elapsed: 10, at: start, rate: 1))
    }

    private func answer(
        _ member: String,
        _ arguments: [BusValue] = [],
        of interface: String? = "org.mpris.MediaPlayer2.Player",
        _ object: MediaPlayerObject = Self.object()
    ) throws -> MediaPlayerObject.Answer {
        let call = MethodCall(member, of: interface, at: MediaPlayerInterfaces.path, ":1.5", arguments)
        return try object.answer(call, elapsed: 12.5)
    }

    private func get(_ property: String, of interface: String = "org.mpris.MediaPlayer2.Player") throws -> BusValue? {
        let arguments: [BusValue] = [.string(interface), .string(property)]
        guard
            case .values(let values) = try answer("Get", arguments, of: "org.freedesktop.DBus.Properties"),
            case .variant(let value)? = values.first
        else { return nil }
        return value
    }

    private func set(
        _ property: String,
        _ value: BusValue,
        _ object: MediaPlayerObject = Self.object()
    ) throws -> MediaPlayerObject.Answer {
        let arguments: [BusValue] = [.string("org.mpris.MediaPlayer2.Player"), .string(property), .variant(value)]
        return try answer("Set", arguments, of: "org.freedesktop.DBus.Properties", object)
    }

    // MARK: Commands

    /// Row 129: a headset's button sends `PlayPause`, `Play` or `Pause`, as the desktop likes.
    @Test func commandsPassOn() throws {
        let expected: [(String, MediaPlayerCommand)] = [
            ("Next", .next), ("Previous", .previous), ("Play", .play), ("Pause", .pause), ("PlayPause", .playPause),
            ("Stop", .stop),
        ]
        for (member, command) in expected { #expect(try answer(member) == .command(command)) }
        #expect(try answer("Play", of: nil) == .command(.play))
        #expect(try answer("Seek", [.int64(-1_500_000)]) == .command(.seek(-1.5)))
        #expect(try answer("OpenUri", [.string("file:///a")]) == .command(.open("file:///a")))
    }

    /// Row 123.
    @Test func whatIsNotOfferedHasNoEffect() throws {
        let object = Self.object { $0.abilities = [] }
        for member in ["Next", "Previous", "Play", "Pause"] {
            #expect(try answer(member, object) == .values([]))
        }
        #expect(try answer("Seek", [.int64(1)], object) == .values([]))
        #expect(throws: BusError.self) { try answer("PlayPause", object) }
        #expect(try answer("Quit", of: "org.mpris.MediaPlayer2") == .values([]))
        #expect(try answer("Raise", of: "org.mpris.MediaPlayer2") == .values([]))
    }

    private func answer(_ member: String, _ object: MediaPlayerObject) throws -> MediaPlayerObject.Answer {
        try answer(member, [], of: "org.mpris.MediaPlayer2.Player", object)
    }

    private func answer(
        _ member: String,
        _ arguments: [BusValue],
        _ object: MediaPlayerObject
    ) throws -> MediaPlayerObject.Answer {
        try answer(member, arguments, of: "org.mpris.MediaPlayer2.Player", object)
    }

    /// A position of another track, or outside the track, is ignored (MPRIS, `SetPosition`).
    @Test func stalePositionsAreIgnored() throws {
        let expected = MediaPlayerObject.Answer.command(.setPosition(Self.track, 5))
        #expect(try answer("SetPosition", [.objectPath(Self.track), .int64(5_000_000)]) == expected)
        let other = ObjectPath(known: "/track/2")
        for (path, time) in [
            (other, Int64(5_000_000)), (Self.track, -1), (Self.track, 100_000_001), (Self.track, .max),
            (Self.track, .min),
        ] { #expect(try answer("SetPosition", [.objectPath(path), .int64(time)]) == .values([])) }
    }

    @Test func addressesOfOtherSchemesAreRefused() {
        for uri in ["", "pipe:0", "a", "concat:a|b", "FTP://x"] {
            #expect(throws: BusError.self) { try answer("OpenUri", [.string(uri)]) }
        }
    }

    @Test func wrongArgumentsAreRefused() {
        #expect(throws: BusError.self) { try answer("Seek", [.string("1")]) }
        #expect(throws: BusError.self) { try answer("Seek") }
        #expect(throws: BusError.self) { try answer("Play", [.int64(1)]) }
        #expect(throws: BusError.unknownMethod("Sing")) { try answer("Sing") }
        #expect(throws: BusError.unknownInterface("a.b")) { try answer("Play", of: "a.b") }
        let elsewhere = ObjectPath(known: "/org/mpris/MediaPlayer3")
        let call = MethodCall("Play", of: "org.mpris.MediaPlayer2.Player", at: elsewhere, ":1.5")
        #expect(throws: BusError.unknownObject(elsewhere)) { try Self.object().answer(call, elapsed: 0) }
    }

    // MARK: Properties

    @Test func propertiesHaveTheirTypes() throws {
        #expect(try get("Position") == .int64(12_500_000))
        #expect(try get("PlaybackStatus") == .string("Playing"))
        #expect(try get("Rate") == .double(1))
        #expect(try get("Volume") == .double(0.5))
        #expect(try get("CanControl") == .boolean(true))
        #expect(try get("Identity", of: "org.mpris.MediaPlayer2") == .string("Segue"))
        for interface in [
            MediaPlayerInterfaces.root, MediaPlayerInterfaces.player, MediaPlayerInterfaces.trackList,
            MediaPlayerInterfaces.playlists,
        ] {
            for property in interface.properties where property.name != "DesktopEntry" {
                #expect(try get(property.name, of: interface.name)?.signature == property.signature)
            }
        }
    }

    @Test func metadataHaveTheirTypes() throws {
        var track = TrackMetadata(id: Self.track)
        (track.duration, track.title, track.album) = (2.5, "T", "L")
        (track.artists, track.albumArtists, track.genres) = (["A", "B"], ["C"], ["G"])
        (track.trackNumber, track.discNumber, track.url, track.artURL) = (3, 1, "file:///a", "file:///b.jpg")
        #expect(
            track.properties == [
                "mpris:trackid": .objectPath(Self.track), "mpris:length": .int64(2_500_000),
                "mpris:artUrl": .string("file:///b.jpg"), "xesam:url": .string("file:///a"),
                "xesam:title": .string("T"), "xesam:album": .string("L"), "xesam:artist": .strings(["A", "B"]),
                "xesam:albumArtist": .strings(["C"]), "xesam:genre": .strings(["G"]), "xesam:trackNumber": .int32(3),
                "xesam:discNumber": .int32(1),
            ]
        )
    }

    /// Values of any size fit.
    @Test func hostileMetadata() throws {
        var track = TrackMetadata(id: Self.track)
        (track.duration, track.trackNumber) = (1e300, .max)
        track.title = String(repeating: "\u{1F3B5}", count: 1_000_000)
        track.artists = Array(repeating: "a", count: 100_000)
        #expect(track.properties["mpris:length"] == .int64(.max))
        #expect(track.properties["xesam:trackNumber"] == .int32(.max))
        #expect(track.properties["xesam:title"]?.text?.utf8.count == 1_024)
        #expect(track.properties["xesam:artist"]?.elements?.count == 32)
    }

    @Test func writableProperties() throws {
        #expect(try set("Volume", .double(-1)) == .command(.setVolume(0)))
        #expect(try set("Volume", .double(7)) == .command(.setVolume(1)))
        #expect(try set("LoopStatus", .string("Track")) == .command(.setLoop(.track)))
        #expect(try set("Shuffle", .boolean(true)) == .command(.setShuffle(true)))
        #expect(try set("Rate", .double(2)) == .command(.setRate(2)))
        // A rate of 0 acts like Pause.
        #expect(try set("Rate", .double(0)) == .command(.pause))
        for rate in [-1, 5, .nan, .infinity, 1e300] {
            #expect(throws: BusError.self) { try set("Rate", .double(rate)) }
        }
        #expect(throws: BusError.self) { try set("Volume", .double(.nan)) }
        #expect(throws: BusError.self) { try set("Volume", .string("1")) }
        #expect(throws: BusError.self) { try set("LoopStatus", .string("Ever")) }
        #expect(throws: BusError.readOnly("Position")) { try set("Position", .int64(1)) }
        #expect(throws: BusError.unknownProperty("Colour")) { try set("Colour", .int64(1)) }
        #expect(try set("Volume", .double(1), Self.object { $0.volume = nil }) == .values([]))
    }

    @Test func interfacesThatArePublishedOnly() throws {
        let object = Self.object { ($0.tracks, $0.playlists) = (nil, nil) }
        let call = MethodCall(
            "GetAll",
            of: "org.freedesktop.DBus.Properties",
            at: MediaPlayerInterfaces.path,
            ":1.5",
            [.string("org.mpris.MediaPlayer2.TrackList")]
        )
        #expect(throws: BusError.self) { try object.answer(call, elapsed: 0) }
    }

    // MARK: Changes

    private func update(
        _ change: (inout MediaPlayerState) -> Void = { _ in },
        position: PlayerPosition = PlayerPosition(elapsed: 11, at: Self.start + 1, rate: 1)
    ) -> [BusSignal] {
        var (object, state) = (Self.object(), Self.playing)
        change(&state)
        return object.update(state, position)
    }

    @Test func nothingIsToldWhenNothingChanged() { #expect(update() == []) }

    @Test func onlyWhatChangedIsTold() {
        let signals = update { $0.status = .paused }
        #expect(signals.count == 1)
        #expect(signals[0].member == "PropertiesChanged")
        #expect(
            signals[0].arguments == [
                .string("org.mpris.MediaPlayer2.Player"), .properties(["PlaybackStatus": .string("Paused")]),
                .strings([]),
            ]
        )
    }

    @Test func theTrackListIsInvalidatedAndReplaced() {
        let two = ObjectPath(known: "/track/2")
        let signals = update { $0.tracks = [Self.track, two] }
        #expect(signals.map(\.member) == ["PropertiesChanged", "TrackListReplaced"])
        #expect(signals[0].arguments[2] == .strings(["Tracks"]))
        #expect(signals[1].arguments == [.objectPaths([Self.track, two]), .objectPath(Self.track)])
    }

    private func position(_ elapsed: Double, jump: Int) -> PlayerPosition {
        PlayerPosition(elapsed: elapsed, at: Self.start + 1, rate: 1, jump: .init(jump))
    }

    @Test func seekedIsToldOfJumpsOnly() {
        // It went on for a second.
        #expect(update(position: position(11, jump: 0)) == [])
        // A player's clock is not a perfect one.
        #expect(update(position: position(11.5, jump: 0)) == [])
        // A seek, also a short one.
        let signals = update(position: position(11.2, jump: 1))
        #expect(signals.map(\.member) == ["Seeked"])
        #expect(signals.first?.arguments == [.int64(11_200_000)])
        // A seek to where it was.
        #expect(update(position: position(11, jump: 1)) == [])
        // It stood still without saying so, or began again.
        #expect(update(position: position(8, jump: 0)).map(\.member) == ["Seeked"])
        // Another track begins where it begins.
        let other = update({ $0.track?.id = ObjectPath(known: "/track/2") }, position: position(0, jump: 1))
        #expect(other.map(\.member) == ["PropertiesChanged"])
        let stopped = update({ $0.status = .stopped }, position: position(0, jump: 1))
        #expect(stopped.map(\.member) == ["PropertiesChanged"])
    }

    @Test func seeksBeyondTheEnds() {
        #expect(SeekTarget(by: 5, from: 10, duration: 100) == .time(15))
        #expect(SeekTarget(by: -50, from: 10, duration: 100) == .time(0))
        #expect(SeekTarget(by: 91, from: 10, duration: 100) == .nextTrack)
        #expect(SeekTarget(by: 1e300, from: 10, duration: nil) == .time(1e300))
    }
}
