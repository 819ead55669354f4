import AudioTypes
import MediaCoding
import TestSupport
import Testing

/// MPEG's layers I and II are decoded without rounding to integers, as layer III is.
@Suite(.enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty })
struct ExactDecoderTests {
    @Test func layerTwoIsDecodedToFloatingPoint() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("tone.mp2")
        let words = ["-loglevel", "error", "-f", "lavfi", "-i", "sine=duration=0.5", "-c:a", "mp2", path]
        #expect(try await ChildProcess("ffmpeg", words).wait().status == .code(0))
        #expect(try MediaProbe.probe(path).sourceFormat?.sample == .floating)
    }
}
