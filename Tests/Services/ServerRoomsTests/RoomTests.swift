import AudioTypes
import OutputGroups
import Playlists
import ServiceTestSupport
import Settings
import Songs
import Testing
import Zones

@testable import ServerRooms

/// What a room has seen of its zone and its outputs.
@Suite struct RoomTests {
    @Test func anOutputThatIsGoneIsAChangeOnce() throws {
        let room = TestRooms().add("a", .nowhere("one"), .nowhere("two", hasVolume: false))
        _ = room.takeOutputChange()
        #expect(room.zone.hasMixer)
        room.outputs.remove("one")?.close()
        let change = try #require(room.takeOutputChange())
        #expect(change.isShown)
        #expect(change.mixerChanged)
        #expect(!room.zone.hasMixer)
        #expect(change.now.map(\.name) == ["two"])
        #expect(room.takeOutputChange()?.isShown != true)
    }

    @Test func anErrorIsReportedAndShown() async throws {
        let rooms = TestRooms()
        let room = rooms.add("a", .nowhere("one"))
        _ = room.takeOutputChange()
        #expect(!room.hasLostServer)
        room.outputs.add(.lostServer("two"))
        room.outputs.start()
        try await rooms.wait(for: "two", in: room) { $0.error != nil }
        let change = try #require(room.takeOutputChange())
        #expect(change.errors.map(\.output) == ["two"])
        #expect(change.errors.first?.error?.contains("refused") == true)
        #expect(change.isShown)
        #expect(room.hasLostServer)
        room.outputs.remove("two")?.close()
        #expect(room.takeOutputChange()?.before.contains { $0.error != nil } == true)
        #expect(!room.hasLostServer)
    }

    /// WirePlumber pauses the players of a sink that goes away; what comes within a second of that is not the user's.
    @Test func aPauseForALostSinkIsNotTheUsers() {
        let room = TestRooms().add("a", .nowhere("one"))
        let start = HostTime(nanoseconds: 10_000_000_000)
        #expect(room.recordBusPause(at: start))
        #expect(room.recordLoss(at: start + 0.05))
        #expect(!room.recordBusPause(at: start + 1))
        #expect(room.recordBusPause(at: start + 1.2))
        #expect(!room.recordLoss(at: start + 1.5), "the user paused, and then turned the headset off")
    }

    @Test func anErrorOfTheZoneIsNewOnce() throws {
        let room = TestRooms().add("a", .nowhere("one"))
        _ = try room.zone.add([Song(uri: "a.flac")])
        let id = room.zone.queue[0].id
        #expect(room.takeNewError() == nil)
        room.zone.restoreSong(id, stoppedBecause: "no such disk")
        #expect(room.takeNewError() == "a.flac: no such disk")
        #expect(room.takeNewError() == nil)
        room.zone.clearError()
        #expect(room.takeNewError() == nil)
        room.zone.restoreSong(id, stoppedBecause: "no such disk")
        #expect(room.takeNewError() == "a.flac: no such disk")
    }

    /// However often a device runs dry, the log says so once a minute.
    @Test func dryRunsAreTakenAtABoundedRate() {
        let room = TestRooms().add("a", .nowhere("card"))
        func taken(_ count: Int, after seconds: Double) -> [String] {
            var outputs = room.outputs.members
            outputs[0].attributes["xruns"] = "\(count)"
            return room.takeXruns(of: outputs, at: HostTime(nanoseconds: 0) + seconds).map {
                "\($0.output) \($0.count)"
            }
        }
        #expect(taken(0, after: 0) == [])
        #expect(taken(1, after: 1) == ["card 1"])
        #expect(taken(900, after: 60) == [])
        #expect(taken(901, after: 62) == ["card 901"])
        #expect(taken(901, after: 200) == [])
    }

    @Test func soundGoesToTheOtherRoom() throws {
        let rooms = TestRooms()
        let (one, two) = (rooms.add("a", .nowhere("one")), rooms.add("b", .nowhere("two")))
        let (group, mixer) = (one.outputs, one.mixer)
        one.route = "garden"
        one.exchangeSound(with: two)
        #expect(two.outputs === group)
        #expect(two.mixer === mixer)
        #expect(one.outputs !== group)
        // Where a zone is heard stays with it.
        #expect(one.route == "garden")
    }
}

/// Which rooms there are, and where each is heard.
@Suite struct RoomsTests {
    private let rooms = TestRooms([
        ZoneSettings(name: "default", outputs: [Output(name: "main", kind: .pulse, server: "box", device: "kitchen")]),
        ZoneSettings(name: "bath", outputs: [Output(name: "small", kind: .pulse, server: "box")]),
    ])

    @Test func aRoomIsFoundWhileItIsThere() {
        let (one, two) = (rooms.add("default"), rooms.add("bath", .nowhere("small")))
        let all = rooms.rooms
        #expect(all.zones.map(\.name) == ["default", "bath"])
        #expect(all.defaultZone === one.zone)
        #expect(all[two.zone] === two)
        #expect(all["bath"] === two)
        #expect(all.owner(ofOutput: "small") === two)
        all.comingNames.insert("attic")
        #expect(all.count == 3)
        #expect(all.isTaken("attic") && all.isTaken("bath") && !all.isTaken("cellar"))
        all.remove(two.zone)
        #expect(all[two.zone] == nil)
        #expect(all.zone(named: "bath") == nil)
        #expect(!all.isTaken("bath"))
        #expect(all.owner(ofOutput: "small") == nil)
    }

    /// What was routed elsewhere in a room that is no more does not concern another one of that name.
    @Test func aRoomOfTheSameNameBeginsAfresh() {
        rooms.add("default", .soundServer("main", "kitchen", at: "box"))
        let old = rooms.add("bath", .soundServer("small", at: "box"))
        rooms.move("small", of: old.zone, to: "garden", at: "box")
        #expect(rooms.rooms.place(of: old.zone) == "sink:box/garden")
        rooms.rooms.remove(old.zone)
        let new = rooms.add("bath", .soundServer("small", at: "box"))
        #expect(rooms.rooms.place(of: new.zone) == "sink:box/default")
        #expect(new.route == nil)
    }

    @Test func placesAreSinks() {
        let (one, two) = (
            rooms.add("default", .soundServer("main", "kitchen", at: "box")),
            rooms.add("bath", .soundServer("small", at: "box"))
        )
        let all = rooms.rooms
        let silent = rooms.add("cellar", .nowhere("nowhere"))
        #expect(all.place(of: one.zone) == "sink:box/kitchen")
        #expect(all.place(of: two.zone) == "sink:box/default")
        #expect(all.place(of: silent.zone) == "zone:cellar")
        let kitchen = Sink(name: "kitchen", description: "", isDefault: true)
        let attic = Sink(name: "attic", description: "", isDefault: false)
        #expect(all.setSinks([attic, kitchen], ofServer: "box") == Rooms.SinkChange())
        #expect(all.place(of: two.zone) == "sink:box/kitchen")
        #expect(all.place(ofSink: "default", in: one.zone) == "sink:box/kitchen")
        #expect(all.place(ofSink: "attic", in: two.zone) == "sink:box/attic")
        #expect(all.setSinks([kitchen], ofServer: "box") == Rooms.SinkChange(gone: ["attic"]))
        #expect(all.setSinks([kitchen, attic], ofServer: "box") == Rooms.SinkChange(come: ["attic"]))
        var quiet = kitchen
        quiet.volume = 0.4
        #expect(all.setSinks([quiet, attic], ofServer: "box") == Rooms.SinkChange(turned: ["kitchen"]))
        #expect(all.sink(at: "sink:box/kitchen") == quiet)
        #expect(all.sink(at: "sink:shed/kitchen") == nil)
        // A server that is away has lost no sink.
        #expect(all.setSinks([], ofServer: "box") == Rooms.SinkChange())
    }

    @Test func aZoneIsHeardWhereAllItsEnabledOutputsAre() {
        let room = rooms.add("default", .soundServer("main", "kitchen"), .soundServer("more", "garden"))
        #expect(rooms.rooms.places(of: room.zone) == ["sink:/kitchen", "sink:/garden"])
        room.outputs.setEnabled(false, "main")
        #expect(rooms.rooms.places(of: room.zone) == ["sink:/garden"])
        room.outputs.setEnabled(false, "more")
        #expect(rooms.rooms.places(of: room.zone) == ["zone:default"])
    }

    @Test func anOutputIsOpenedAtAnotherSink() throws {
        let room = rooms.add("default", .nowhere("file"), .soundServer("main"))
        #expect(rooms.rooms.routing(of: rooms.add("cellar").zone, to: "attic") { _, _ in .nowhere("x") } == nil)
        room.outputs.setEnabled(false, "main")
        let reopen = try #require(
            rooms.rooms.routing(of: room.zone, to: "attic") { output, zone in
                OutputDescription(
                    name: output.name,
                    plugin: .pulse,
                    isEnabled: output.isEnabled,
                    attributes: ["place": "\(output.server ?? "-")/\(output.device ?? "-")", "zone": zone]
                ) { _ in throw CancellationError() }
            }
        )
        reopen()
        let output = try #require(room.outputs.members.first { $0.name == "main" })
        #expect(output.attributes == ["place": "box/attic", "zone": "default"])
        #expect(!output.isEnabled)
    }

    @Test func anOutputComesBackToItsRoom() throws {
        let (one, two) = (rooms.add("default", .nowhere("a")), rooms.add("bath", .nowhere("b")))
        let all = rooms.rooms
        #expect(all.bringing("c", to: one.zone, isEnabled: true) == nil)
        let bring = try #require(all.bringing("b", to: one.zone, isEnabled: false))
        bring()
        #expect(one.outputs.members.map(\.name) == ["a", "b"])
        #expect(one.outputs.members.map(\.isEnabled) == [true, false])
        #expect(two.outputs.members.isEmpty)
        let enable = try #require(all.bringing("b", to: one.zone, isEnabled: true))
        enable()
        #expect(one.outputs.members.map(\.isEnabled) == [true, true])
    }

    @Test func queuesAreCountedTogether() throws {
        let (one, two) = (rooms.add("default"), rooms.add("bath"))
        #expect(rooms.rooms.queueBytes == 0)
        for room in [one, two] { _ = try room.zone.add([Song(uri: "a.flac")]) }
        #expect(rooms.rooms.queueBytes == 2 * one.zone.queue.byteCount)
        #expect(one.zone.queue.byteCount > 0)
    }
}
