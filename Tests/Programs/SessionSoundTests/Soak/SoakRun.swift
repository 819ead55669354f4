import Foundation
import TestSupport
import Testing

/// Random events at a server with three zones at two sinks, and what it is held to whenever all of that has ended.
final class SoakRun {
    private let stage: Stage
    private let captures: [String: MonitorCapture]
    private let clients: [String: LineClient]
    private var random: SplitMix
    private var model = SoakModel()
    private(set) var story: [String] = []

    /// What is going on: interruptions from outside with their zones, and programs with sessions.
    private var interruptions: [(id: String, zone: String)] = []
    private var owners: [(owner: SessionOwner, zone: String, isAlone: Bool)] = []

    private static let sinks = [NullSink("kitchen"), NullSink("garden")]

    init(seed: UInt64) async throws {
        random = SplitMix(state: seed)
        // The larder never plays: it is there for announcements to all.
        let stage = try await Stage.start(sinks: Self.sinks, zones: [("larder", "kitchen"), ("garden", "garden")])
        self.stage = stage
        captures = [
            "default": try await MonitorCapture(of: stage.sound, sink: Self.sinks[0]),
            "garden": try await MonitorCapture(of: stage.sound, sink: Self.sinks[1]),
        ]
        clients = ["default": try stage.connect(), "garden": try stage.connect("garden")]
        for client in clients.values { for command in ["add music.wav", "repeat 1"] { try client.order(command) } }
    }

    private func client(_ zone: String) throws -> LineClient { try #require(clients[zone]) }
    private func capture(_ zone: String) throws -> MonitorCapture { try #require(captures[zone]) }

    // MARK: Events

    func play(events count: Int) async throws {
        for _ in 0..<count {
            try await event(in: Bool.random(using: &random) ? "default" : "garden")
            try await capture("default").hear(.random(in: 0.01...0.5, using: &random))
        }
    }

    private func event(in zone: String) async throws {
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<4: try tell(zone, "play")
        case 4, 5: try tell(zone, "pause 1")
        case 6: try tell(zone, "stop")
        case 7: try tell(zone, "setvol \([80, 90, 100].randomElement(using: &random) ?? 100)")
        case 8..<13: try announce(zone)
        case 13: _ = try ask(zone, "announcement cancel all")
        case 14..<16: try begin(zone)
        case 16..<18: try endInterruption()
        case 18: try await open(zone)
        default: killOwner()
        }
    }

    private func ask(_ zone: String, _ line: String) throws -> [String] {
        let reply = try client(zone).ask(line)
        story.append("\(zone): \(line): \(reply.last ?? "")")
        return reply
    }

    private func tell(_ zone: String, _ command: String) throws {
        guard try ask(zone, command).last == "OK" else { return }
        model.tell(zone, command)
    }

    private func announce(_ zone: String) throws {
        let file = ["voice.wav", "other.wav", "alarm.wav"].randomElement(using: &random) ?? ""
        let kind = ["normal", "assistant", "alarm"].randomElement(using: &random) ?? ""
        let place = Int.random(in: 0..<3, using: &random) == 0 ? "all" : zone
        _ = try ask(zone, "announce \(file) class \(kind) zone \(place) expires 3")
    }

    private func begin(_ zone: String) throws {
        // A session that has the sink to itself would be interrupted, and come back only when its client asks.
        guard model.zones[zone]?.isTaken != true else { return }
        let kind = ["call", "alarm", "assistant"].randomElement(using: &random) ?? ""
        let line = try ask(zone, "session interrupt begin \(kind)")[0]
        if line.hasPrefix("session: ") { interruptions.append((String(line.dropFirst(9)), zone)) }
    }

    private func endInterruption() throws {
        guard let index = interruptions.indices.randomElement(using: &random) else { return }
        let (id, zone) = interruptions.remove(at: index)
        _ = try ask(zone, "session interrupt end \(id)")
    }

    private func open(_ zone: String) async throws {
        guard owners.count < 4 else { return }
        let isCalm = !interruptions.contains { $0.zone == zone } && model.zones[zone]?.isTaken != true
        let isAlone = isCalm && Bool.random(using: &random)
        let category = isAlone ? "playback" : "playback options duckOthers"
        let owner = try SessionOwner(of: stage, category, zone: zone)
        try await owner.waitUntilHeard()
        story.append("\(zone): a program is \(category)")
        if isAlone { model.take(zone) }
        owners.append((owner, zone, isAlone))
    }

    private func killOwner() {
        guard let index = owners.indices.randomElement(using: &random) else { return }
        let (owner, zone, isAlone) = owners.remove(at: index)
        owner.process.end()
        story.append("\(zone): a program is killed")
        if isAlone { model.leave(zone) }
    }

    // MARK: The end

    /// Ends all that goes on, and compares what is left with what has to be.
    func settle() async throws {
        while !interruptions.isEmpty { try endInterruption() }
        while !owners.isEmpty { killOwner() }
        let client = try client("default")
        while true {
            let states = try client.order("announcement list").filter { $0.hasPrefix("state: ") }
            if states.allSatisfy({ $0 != "state: queued" && $0 != "state: playing" }) { break }
            try client.order("idle announcement")
        }
        try client.wait { try client.order("session list").count { $0.hasPrefix("session: ") } == 3 }
        story.append("all has ended")
        for (name, zone) in model.zones.sorted(by: { $0.key < $1.key }) { try await look(name, zone) }
    }

    private func look(_ name: String, _ zone: SoakModel.Zone) async throws {
        let (client, capture) = (try client(name), try capture(name))
        let status = try client.values("status")
        #expect(status["state"] == zone.state.rawValue, "\(name)\n\(told)")
        #expect(status["volume"] == String(zone.volume), "\(name)\n\(told)")
        #expect(status["interrupted"] == nil, "\(name)\n\(told)")
        let session = try client.zoneSession(name)
        for (key, value) in [("gain", "0"), ("ducked", "0"), ("muted", "0"), ("interruptedby", nil)] {
            #expect(session[key] == value, "\(name): \(key)\n\(told)")
        }
        try await capture.hear(0.8)
        let (heard, elapsed) = (capture.frames, try client.elapsed())
        let recent = Hearing(capture.current, from: heard - 4_410).left
        guard zone.state == .play else {
            #expect(recent.allSatisfy { $0 == 0 }, "\(name) is heard\n\(told)")
            return
        }
        let gain = [80: 0.512, 90: 0.729, 100: 1.0][zone.volume] ?? 1.0
        #expect(Songs.music.gains(of: recent).allSatisfy { abs($0 - gain) < 0.005 }, "\(name) is not as loud\n\(told)")
        let place = try #require(Songs.music.stretches(in: recent).last?.placeEnd, "\(name) is not heard\n\(told)")
        let drift = Double(place) / Double(Stage.sampleRate) - elapsed
        #expect(abs(drift.remainder(dividingBy: 40)) < 0.05, "\(name) is heard \(drift) s beside what is told\n\(told)")
    }

    /// Nothing was lost or repeated, but for the quietest ends of fades.
    func compareWithTheFile() throws {
        for zone in ["default", "garden"] {
            let stretches = Songs.music.stretches(in: Hearing(try capture(zone).current).left)
            #expect(!stretches.isEmpty)
            // Whatever was stopped begins again; what is quiet already is silent before its fade ends.
            for (one, next) in zip(stretches, stretches.dropFirst()) where next.place > 1_500 {
                let lost = next.place - one.placeEnd
                #expect((0..<1_500).contains(lost), "\(zone): \(lost) samples were lost at \(one.heard.upperBound)")
            }
        }
    }

    private var told: String { story.suffix(40).joined(separator: "\n") }

    // MARK: What it holds

    var memory: Double { stage.process.privateDirty ?? 0 }
    var descriptors: Int { stage.process.openDescriptors }
}
