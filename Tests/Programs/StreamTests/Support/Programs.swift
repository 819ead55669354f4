import Foundation
import TestSupport

/// The package's own programs, which are beside the tests.
enum Programs {
    static let missing =
        PulseServer.missing + WebServer.missing + MediaFixtures.missing
        + (FileManager.default.isExecutableFile(atPath: path("segue-play")) ? [] : ["segue-play (built)"])

    static func path(_ name: String) -> String {
        URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().appending(path: name).path
    }

    /// Nothing of the test's own environment that could choose a server, a configuration or a proxy.
    static func environment(_ more: [String: String] = [:]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let own = ["PATH": path, "HOME": "/proc/nonexistent", "LANG": "C.UTF-8", "SWIFT_BACKTRACE": "enable=no"]
        return own.merging(more) { $1 }
    }

    /// Starts `segue play`.
    static func play(_ words: [String], environment more: [String: String] = [:]) throws -> ChildProcess {
        try ChildProcess(path("segue"), ["play"] + words, environment: environment(more))
    }

    /// Plays to nowhere as fast as media can be read, and returns what would have been heard.
    static func samples(
        _ words: [String],
        environment more: [String: String] = [:],
        within deadline: Duration = .patience
    ) async throws -> Samples {
        await decoding.take()
        let options = ["--output", "pipe:-", "--output-format", "s16:\(Samples.rate):1", "--quiet"]
        let start = ContinuousClock.now
        let result: Result<ChildProcess.Result, any Error>
        do {
            result = .success(try await play(options + words, environment: more).wait(within: deadline))
        } catch {
            result = .failure(error)
        }
        await decoding.release()
        return Samples(try result.get(), time: (ContinuousClock.now - start).seconds)
    }

    /// Those that play as fast as they can would keep each other from being in time.
    private static let decoding = Places(4)
}

/// What a player wrote to a pipe.
struct Samples {
    static let rate = 44_100
    let result: ChildProcess.Result

    /// How long playing took, in seconds.
    let time: Double

    init(_ result: ChildProcess.Result, time: Double) { (self.result, self.time) = (result, time) }

    var bytes: [UInt8] { result.output }
    var errors: String { result.errorText }

    /// Where it is not the same as another; `nil` when it is.
    func difference(from other: Samples) -> String? {
        guard bytes != other.bytes else { return nil }
        let first = zip(bytes, other.bytes).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let place = (first ?? min(bytes.count, other.bytes.count)) / 2
        return "from sample \(place) on, with \(bytes.count / 2) for \(other.bytes.count / 2) samples"
    }

    var seconds: SecondsHeard {
        let samples = (0..<bytes.count / 2).map { index in
            Float(Int16(bitPattern: UInt16(bytes[2 * index]) | UInt16(bytes[2 * index + 1]) << 8)) / 32768
        }
        return SecondsHeard(samples, sampleRate: Self.rate)
    }
}
