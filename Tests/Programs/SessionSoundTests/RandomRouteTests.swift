import Foundation
import TestSupport
import Testing

/// What two zones are to be after sinks, streams and calls have come and gone: one zone names the sink that goes, the
/// other follows the default.
private struct RouteModel {
    enum Step: CaseIterable {
        case unload, load, chooseStays, chooseGoes, moveStreams
        case playNamed, pauseNamed, endNamed, playOther, pauseOther, endOther
        case beginCall, endCall, announce
    }

    /// A zone, as its commands have it.
    struct Zone {
        let name: String
        var wantsToPlay = false
        /// Why its output is silent; `nil` while it has a stream.
        var trouble: String?

        var error: String? { trouble.map { "\(name): \($0)" } }
    }

    var isLoaded = true
    /// What the user has chosen; the server goes back to it when it is there again.
    var chosen = "stays"
    var named = Zone(name: "named")
    var other = Zone(name: "other")
    /// The sink that a call silences.
    var call: String?

    var defaultSink: String { chosen == "goes" && !isLoaded ? "stays" : chosen }
    /// Whether both are heard at the sink that goes, where one gives way to the other.
    var areTogether: Bool { defaultSink == "goes" }
    private var playsNamed: Bool { named.wantsToPlay && call != "goes" }
    private var playsOther: Bool { other.wantsToPlay && call != defaultSink }

    var states: [String] { [playsNamed ? "play" : "pause", playsOther ? "play" : "pause"] }

    /// The streams that play, and where.
    var playing: [String] {
        var streams: [String] = []
        if playsNamed, named.trouble == nil { streams.append("Segue (named) at goes") }
        if playsOther { streams.append("Segue at \(defaultSink)") }
        return streams.sorted()
    }

    /// Whether a step can be done now, and has one right result.
    func allows(_ step: Step) -> Bool {
        switch step {
        case .unload: isLoaded && call != "goes"
        case .load: !isLoaded && !(chosen == "goes" && wouldMeetInACall)
        case .chooseGoes: isLoaded && chosen != "goes" && !wouldMeetInACall
        case .chooseStays: chosen != "stays"
        case .moveStreams: isLoaded && !playing.isEmpty
        case .playNamed: !named.wantsToPlay && call != "goes"
        case .pauseNamed: playsNamed
        case .endNamed: playsNamed && named.trouble == nil
        case .playOther: !other.wantsToPlay && call != defaultSink
        case .pauseOther: playsOther
        case .endOther: playsOther
        case .beginCall: call == nil
        case .endCall: call != nil
        case .announce: call != defaultSink
        }
    }

    /// Whether both zones would wait at one sink for the end of a call.
    private var wouldMeetInACall: Bool { call != nil && named.wantsToPlay && other.wantsToPlay }

    mutating func take(_ step: Step) {
        let wereTogether = areTogether
        switch step {
        case .unload:
            if named.trouble != Self.ended { named.trouble = "the sink 'goes' is gone; waiting for it" }
            if areTogether, playsOther || other.trouble != nil { other.trouble = "the sink 'goes' is gone" }
            if areTogether { other.wantsToPlay = false }
            isLoaded = false
        case .load:
            isLoaded = true
            if named.trouble != Self.ended { named.trouble = nil }
        case .chooseStays: chosen = "stays"
        case .chooseGoes: chosen = "goes"
        case .playNamed:
            named.wantsToPlay = true
            if named.trouble == Self.ended {
                named.trouble = isLoaded ? nil : "the sound server has no sink 'goes'; waiting for it"
            }
            if areTogether { other.wantsToPlay = false }
        case .pauseNamed: named.wantsToPlay = false
        case .endNamed: (named.wantsToPlay, named.trouble) = (false, Self.ended)
        case .playOther:
            (other.wantsToPlay, other.trouble) = (true, nil)
            if areTogether { named.wantsToPlay = false }
        case .pauseOther: other.wantsToPlay = false
        case .endOther: (other.wantsToPlay, other.trouble) = (false, Self.ended)
        case .beginCall: call = defaultSink
        case .endCall: call = nil
        case .moveStreams, .announce: break
        }
        // The one that comes takes the sink.
        if areTogether, !wereTogether, playsOther { named.wantsToPlay = false }
    }

    private static let ended = "the stream was ended at the sound server"
}

/// A server with two zones, that carries out a model's steps.
private struct RouteStage {
    let stage: Stage
    let other: LineClient
    let named: LineClient
    private let goes = NullSink("goes")
    private var call = ""

    private var sound: any SoundServer { stage.sound }

    init(_ server: Stage.Server) async throws {
        let stays = NullSink("stays")
        let sound: any SoundServer =
            server == .pulseAudio
            ? try await PulseServer.start(stays) : try await PipeWireServer.start(stays, quantum: Stage.Server.quantum)
        try sound.load(goes)
        let configuration = """
            [[output]]
            name = "other"
            type = "pulse"
            server = "\(sound.address)"
            [[zone]]
            name = "named"
            [[zone.output]]
            name = "named"
            type = "pulse"
            server = "\(sound.address)"
            device = "goes"
            """
        stage = try await Stage(on: sound, configuration)
        (other, named) = (try stage.connect(), try stage.connect("named"))
        for client in [other, named] {
            try client.play("music.wav")
            for command in ["repeat 1", "pause 1"] { try client.order(command) }
        }
    }

    mutating func carryOut(_ step: RouteModel.Step) throws {
        switch step {
        case .unload: try sound.unload(goes)
        case .load: try sound.load(goes)
        case .chooseStays: try sound.control("set-default-sink", "stays")
        case .chooseGoes: try sound.control("set-default-sink", "goes")
        case .moveStreams: try moveStreams()
        case .playNamed: try named.order("play")
        case .pauseNamed: try named.order("pause 1")
        case .endNamed: try endStream("Segue (named)")
        case .playOther: try other.order("play")
        case .pauseOther: try other.order("pause 1")
        case .endOther: try endStream("Segue")
        case .beginCall: call = try other.begin("call")
        case .endCall: try other.order("session interrupt end \(call)")
        case .announce:
            let announcement = try other.announce("voice.wav")
            guard try other.end(of: announcement).state == "done" else {
                throw ClientError(description: "the announcement was not heard")
            }
        }
    }

    /// Tries what a mixer does; the streams refuse to be moved.
    private func moveStreams() throws {
        for stream in try sound.streams() {
            _ = try? sound.control("move-sink-input", stream.number, stream.sink == "goes" ? "stays" : "goes")
        }
    }

    private func endStream(_ name: String) throws {
        try sound.endStreams(try sound.streams().filter { $0.name == name }.map(\.number))
    }

    /// Whether states, errors, places and sounds are the model's.
    func agrees(with model: RouteModel) throws -> Bool {
        let (first, second) = (try named.values("status"), try other.values("status"))
        let place = try other.zoneSession()["place"] ?? ""
        let playing = try playing()
        return [first["state"], second["state"]] == model.states && first["error"] == model.named.error
            && second["error"] == model.other.error && place.hasSuffix("/\(model.defaultSink)")
            && playing == model.playing
    }

    private func playing() throws -> [String] {
        try sound.streams().filter { !$0.isCorked }.map { "\($0.name) at \($0.sink)" }.sorted()
    }

    func describe() throws -> String {
        """
        \(try named.values("status")) and \(try other.values("status")), at \(try other.zoneSession()["place"] ?? ""), and \
        there is sound at \(try playing())
        """
    }
}

extension SessionSoundTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil
    private static let sequences = isSoak ? 100 : 3

    /// Whatever the order, each zone is in its state and at its place, and no sound goes elsewhere.
    @Test(arguments: Stage.Server.installed, 0..<sequences)
    func zonesAreWhereTheyBelong(_ server: Stage.Server, _ seed: Int) async throws {
        var random = SplitMix(state: UInt64(seed))
        var stage = try await RouteStage(server)
        var model = RouteModel()
        var done: [RouteModel.Step] = []
        for _ in 0..<(Self.isSoak ? 16 : 10) {
            let step = try #require(RouteModel.Step.allCases.filter(model.allows).randomElement(using: &random))
            done.append(step)
            model.take(step)
            do {
                try stage.carryOut(step)
                try stage.other.wait { try stage.agrees(with: model) }
            } catch {
                Issue.record(
                    "seed \(seed), after \(done): expected \(model), but \(error): the zones are \(try stage.describe())"
                )
                return
            }
        }
    }
}
