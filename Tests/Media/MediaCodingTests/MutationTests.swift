import AudioTypes
import FFmpegValues
import Glibc
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// Files with random bytes changed: they are refused or played, and nothing else happens.
///
/// Its worth is under AddressSanitizer and in the thousands (`SEGUE_SOAK=1`).
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct MutationTests {
    private static var count: Int { unsafe getenv("SEGUE_SOAK") == nil ? 30 : 3_000 }
    /// Changes the mutations from run to run.
    private static var seed: UInt64 { unsafe getenv("SEGUE_SEED").flatMap { unsafe UInt64(String(cString: $0)) } ?? 1 }

    @Test(arguments: MediaFixtures.Codec.allCases)
    func mutatedFilesAreRefusedOrPlayed(_ codec: MediaFixtures.Codec) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let path = try await MediaFixtures.audio("mutate", codec, sampleRate: rate) {
            Signal.softNoise(frames: rate / 3, sampleRate: rate)
        }
        try mutate(path, as: codec.rawValue, count: Self.count)
    }

    @Test(arguments: ["mkv", "mp4"])
    func mutatedVideosAreRefusedOrPlayed(_ container: String) async throws {
        try mutate(await MediaFixtures.chapters(container, seconds: 2), as: container, count: Self.count)
    }

    private func mutate(_ path: String, as name: String, count: Int) throws {
        let folder = try TemporaryFolder()
        let good = try FileBytes.read(path)
        for index in 0..<count {
            var generator = SplitMix(state: Self.seed &* 1_000_003 &+ UInt64(index))
            var bytes = good
            // Half of the changes are where headers are: in the first or last kilobyte.
            for _ in 0..<Int.random(in: 1...12, using: &generator) {
                let edge = min(1_024, bytes.count)
                let place =
                    switch Int.random(in: 0..<4, using: &generator) {
                    case 0: Int.random(in: 0..<edge, using: &generator)
                    case 1: Int.random(in: bytes.count - edge..<bytes.count, using: &generator)
                    default: Int.random(in: 0..<bytes.count, using: &generator)
                    }
                let values: [UInt8] = [0, 1, 0x7f, 0x80, 0xff, UInt8.random(in: 0...255, using: &generator)]
                bytes[place] = values.randomElement(using: &generator) ?? 0
            }
            if Int.random(in: 0..<8, using: &generator) == 0 {
                bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
            }
            let file = try folder.write("\(name)-\(index)", bytes)
            decode(file)
            _ = unsafe unlink(file)
        }
    }

    /// Plays some, seeks about, plays the rest; whatever fails must be one of our errors.
    private func decode(_ path: String) {
        do {
            _ = try? MediaProbe.probe(path)
            var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
            var converter = AudioConverter(output: .cd)
            var sound = MediaSound(format: .cd)
            try sound.append(&reader, &converter, upTo: 5_000)
            for seconds in [0.2, 0.01, 5, 0] {
                _ = try reader.seek(to: MediaTime(seconds: seconds))
                try sound.append(&reader, &converter, upTo: 3_000)
            }
            // A header may promise days of silence; a minute of it will do.
            try sound.append(&reader, &converter, upTo: 60 * 44_100)
        } catch is MediaError {
        } catch is FFmpegError {
        } catch {
            Issue.record("\(path): \(error)")
        }
    }
}
