import AudioTypes
import FFmpegValues
import Glibc
import MediaCoding
import TestSupport
import Testing
import Threads

/// Copies of files with bytes changed or cut off: sound that is not the original's is told as damage.
///
/// These have a checksum for each frame, block or page. `SEGUE_SOAK=1` makes it 3,000 copies of each, of the same seed.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct DamageTests {
    private static var count: Int { unsafe getenv("SEGUE_SOAK") == nil ? 50 : 3_000 }

    /// - Parameter header: The number of bytes at the start that stay as they are: headers hold no sound.
    @Test(arguments: [
        (MediaFixtures.Codec.flac, 8_192), (.wavpack, 32), (.tta, 512), (.vorbis, 4_608), (.opus, 512),
    ])
    func damageIsTold(_ codec: MediaFixtures.Codec, header: Int) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let path = try await MediaFixtures.audio("damage", codec, sampleRate: rate) {
            Signal.softNoise(frames: 3 * rate, sampleRate: rate)
        }
        let good = try FileBytes.read(path)
        let whole = try decode(path).0.channel(0)
        let folder = try TemporaryFolder()
        var changed = 0
        for index in 0..<Self.count {
            var generator = SplitMix(state: 34 &* 1_000_003 &+ UInt64(index))
            var bytes = good
            let place = Int.random(in: header..<bytes.count - 64, using: &generator)
            if index % 4 == 0 {
                bytes.removeLast(bytes.count - place)
            } else {
                for offset in 0..<Int.random(in: 1...64, using: &generator) {
                    bytes[place + offset] ^= UInt8.random(in: 1...255, using: &generator)
                }
            }
            let copy = try folder.write("\(index).\(codec.fileExtension)", bytes)
            let (sound, damage) = try decode(copy)
            if sound.channel(0) != whole {
                changed += 1
                #expect(damage.map { !$0.isEmpty } ?? true, "copy \(index), \(place) of \(bytes.count): not told")
            }
            _ = unsafe unlink(copy)
        }
        #expect(changed * 2 > Self.count)
    }

    /// - Returns: The sound, and what was damaged; `nil` when it ended with an error.
    private func decode(_ path: String) throws -> (MediaSound, MediaReader.Damage?) {
        var sound = MediaSound(format: .cd)
        do {
            var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
            var converter = AudioConverter(output: .cd)
            try sound.append(&reader, &converter, upTo: 10 * 44_100)
            return (sound, reader.damage)
        } catch is MediaError {
        } catch is FFmpegError {}
        return (sound, nil)
    }
}
