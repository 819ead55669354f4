import AudioTypes
import TestSupport

/// Programs that play a URL and are then left alone, each at a sound server of its own.
enum StreamContestant: String, CaseIterable, Sendable {
    case segue
    case segued
    case mpd
    case mpv
    case ffplay

    var isInstalled: Bool {
        self == .segue || self == .segued || ChildProcess.find(rawValue) != nil
    }

    static var installed: [StreamContestant] { allCases.filter(\.isInstalled) }
    static var peers: [StreamContestant] { allCases.filter { $0 != .segue && $0 != .segued } }
}

/// One of them, at work.
final class StreamListener: Sendable {
    let contestant: StreamContestant
    let process: ChildProcess
    let capture: MonitorCapture
    let server: PulseServer
    /// What has to live as long as it plays.
    private let player: (any ControlledPlayer)?

    /// Starts it with something to play.
    init(_ contestant: StreamContestant, _ url: String) async throws {
        self.contestant = contestant
        server = try await PulseServer.start()
        capture = try await MonitorCapture(of: server)
        switch contestant {
        case .segue: (process, player) = (try Self.start(.segue, url, server), nil)
        case .mpv: (process, player) = (try Self.start(.mpv, url, server), nil)
        case .ffplay:
            let environment = server.clientEnvironment.merging(["SDL_AUDIODRIVER": "pulseaudio"]) { $1 }
            let words = ["-nodisp", "-autoexit", "-loglevel", "quiet", url]
            (process, player) = (try ChildProcess("ffplay", words, environment: environment), nil)
        case .mpd, .segued:
            let daemon: any ControlledPlayer =
                contestant == .mpd ? try await MPD([url], on: server) : try await Segued([url], on: server)
            (process, player) = (daemon.process, daemon)
            _ = try await daemon.play()
        }
    }

    deinit { process.end() }

    private static func start(_ contestant: Contestant, _ url: String, _ server: PulseServer) throws -> ChildProcess {
        guard let process = try contestant.start([url], on: server) else {
            throw ChildProcessError.cannotStart(contestant.rawValue, 2)
        }
        return process
    }

    /// Starts all that are installed, with the same URL.
    static func all(_ url: String) async throws -> [StreamListener] {
        try await concurrently(StreamContestant.installed) { try await StreamListener($0, url) }
    }

    var frames: Int { capture.frames }

    /// What was heard of it from a frame on.
    func heard(from frame: Int = 0, period: Int? = nil) -> SecondsHeard {
        SecondsHeard(capture.current, from: frame, period: period)
    }

    /// The seconds from a moment to the first sound at or after a frame; `nil` when nothing was heard.
    func seconds(from moment: ContinuousClock.Instant, toSoundAfter frame: Int) -> Double? {
        let recording = capture.current
        return recording.firstSound(after: frame).map { recording.time(of: $0).seconds(since: moment) }
    }
}

extension Figure {
    /// The same of each contestant, `null` of those that are not installed.
    mutating func set(_ suffix: String, of values: [StreamContestant: Double]) {
        for contestant in StreamContestant.allCases { set("\(contestant.rawValue)\(suffix)", values[contestant]) }
    }
}
