import Foundation
import TestSupport
import Testing

/// What two zones are to be after sinks have come and gone: one names the sink that goes, the other follows the default.
private struct RouteModel {
    enum State: String { case play, pause }

    enum Step: CaseIterable {
        case unload, load, chooseStays, chooseGoes, playNamed, pauseNamed, playOther, pauseOther
    }

    var isLoaded = true
    /// What the user has chosen; the server goes back to it when it is there again.
    var chosen = "stays"
    var named = State.pause
    var other = State.pause

    var defaultSink: String { chosen == "goes" && !isLoaded ? "stays" : chosen }
    /// Whether both are heard at the sink that goes, where one gives way to the other.
    var areTogether: Bool { isLoaded && defaultSink == "goes" }
    var error: String? { !isLoaded ? "named: the sink 'goes' is gone; waiting for it" : nil }

    /// Whether a step can be done now.
    func allows(_ step: Step) -> Bool {
        switch step {
        case .unload: isLoaded
        case .load: !isLoaded
        case .chooseGoes: isLoaded && chosen != "goes"
        case .chooseStays: chosen != "stays"
        case .playNamed: named == .pause
        case .pauseNamed: named == .play
        case .playOther: other == .pause
        case .pauseOther: other == .play
        }
    }

    mutating func take(_ step: Step) {
        let wereTogether = areTogether
        switch step {
        case .unload:
            isLoaded = false
            if chosen == "goes" { other = .pause }
        case .load: isLoaded = true
        case .chooseStays: chosen = "stays"
        case .chooseGoes: chosen = "goes"
        case .playNamed:
            named = .play
            if areTogether { other = .pause }
        case .pauseNamed: named = .pause
        case .playOther:
            other = .play
            if areTogether { named = .pause }
        case .pauseOther: other = .pause
        }
        // The one that comes takes the sink.
        if areTogether, !wereTogether, other == .play { named = .pause }
    }
}

extension SessionSoundTests {
    private static let sequences = ProcessInfo.processInfo.environment["SEGUE_SOAK"] == nil ? 4 : 100

    /// Whatever the order, each zone is in its state and at its place, and no sound goes elsewhere.
    @Test(arguments: 0..<sequences)
    func zonesAreWhereTheyBelong(_ seed: Int) async throws {
        let goes = NullSink("goes")
        var random = SplitMix(state: UInt64(seed))
        let sound = try await PulseServer.start(NullSink("stays", rewinds: false))
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
        let stage = try await Stage(on: sound, configuration)
        let (other, named) = (try stage.connect(), try stage.connect("named"))
        for client in [other, named] {
            try client.play("music.wav")
            try client.order("pause 1")
        }
        var model = RouteModel()
        var done: [RouteModel.Step] = []
        for _ in 0..<8 {
            let step = try #require(RouteModel.Step.allCases.filter(model.allows).randomElement(using: &random))
            done.append(step)
            model.take(step)
            switch step {
            case .unload: try sound.unload(goes)
            case .load: try sound.load(goes)
            case .chooseStays: try sound.control("set-default-sink", "stays")
            case .chooseGoes: try sound.control("set-default-sink", "goes")
            case .playNamed: try named.order("play")
            case .pauseNamed: try named.order("pause 1")
            case .playOther: try other.order("play")
            case .pauseOther: try other.order("pause 1")
            }
            let expected = model
            func asExpected() throws -> Bool {
                let (first, second) = (try other.values("status"), try named.values("status"))
                let place = try other.zoneSession()["place"] ?? ""
                let playing = try sound.playing()
                return first["state"] == expected.other.rawValue && second["state"] == expected.named.rawValue
                    && second["error"] == expected.error && place.hasSuffix("/\(expected.defaultSink)")
                    && playing == expected.playing
            }
            do {
                try other.wait(until: asExpected)
            } catch {
                let (first, second) = (try other.values("status"), try named.values("status"))
                Issue.record(
                    """
                    seed \(seed), after \(done): expected \(expected), but the zones are \(first) and \(second), \
                    at \(try other.zoneSession()["place"] ?? ""), and there is sound at \(try sound.playing())
                    """
                )
                return
            }
        }
    }
}

extension RouteModel {
    /// The sinks at which streams play.
    fileprivate var playing: [String] {
        var sinks: [String] = []
        if named == .play, isLoaded { sinks.append("goes") }
        if other == .play { sinks.append(defaultSink) }
        return sinks.sorted()
    }
}

extension SoundServer {
    /// The names of the sinks at which streams play, once for each stream.
    fileprivate func playing() throws -> [String] {
        let sinks = try control("list", "short", "sinks").split(separator: "\n").map { $0.split(separator: "\t") }
        let names = Dictionary(sinks.map { ($0[0], String($0[1])) }) { $1 }
        var playing: [String] = []
        var sink: Substring = ""
        for line in try control("list", "sink-inputs").split(separator: "\n") {
            let words = line.split(separator: ":").map { $0.drop { $0 == "\t" || $0 == " " } }
            if words.first == "Sink", words.count > 1 { sink = words[1] }
            if words.first == "Corked", words.last == "no" { playing.append(names[sink] ?? "nowhere") }
        }
        return playing.sorted()
    }
}
