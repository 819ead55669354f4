import AudioTypes
import MediaCoding
import TestSupport
import Testing

/// How films are shown, as `segue probe` tells.
@Suite struct VideoTraitsTests {
    private func film(_ name: String, _ options: [String]) async throws -> MediaInfo {
        let folder = try TemporaryFolder()
        let path = folder.file(name)
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=720x576:r=30:d=2"] + options + [path])
        return try MediaProbe.describe(path)
    }

    @Test func interlacedPicturesOfTelevision() async throws {
        let info = try await film(
            "a.mp4",
            [
                "-c:v", "libx264", "-flags", "+ildct+ilme", "-r", "25", "-vf", "setsar=16/15", "-color_primaries",
                "bt470bg", "-metadata", "creation_time=2024-05-17T18:30:00Z",
            ]
        )
        let stream = try #require(info.videoStream)
        #expect(stream.video.frameRate == 25)
        #expect(!stream.video.isVariable)
        #expect(stream.video.isInterlaced == true)
        #expect(stream.video.sampleAspect == .init(16, 15))
        #expect(stream.video.colourSpace == "BT.601 (625 lines)")
        #expect(stream.video.hdr == nil)
        #expect(stream.shownSize ?? (0, 0) == (768, 576))
        #expect(info.captured == "2024-05-17T18:30:00.000000Z")
    }

    @Test func highDynamicRange() async throws {
        let info = try await film(
            "a.mkv",
            [
                "-c:v", "libx265", "-pix_fmt", "yuv420p10", "-color_primaries", "bt2020", "-color_trc", "arib-std-b67",
                "-colorspace", "bt2020nc", "-x265-params", "log-level=error",
            ]
        )
        let video = try #require(info.videoStream).video
        #expect(video.colourSpace == "BT.2020")
        #expect(video.hdr == "HLG")
        #expect(video.isInterlaced == false)
    }

    /// The container tells one rate, its frames another.
    @Test(arguments: [("mkv", true), ("mkv", false), ("ts", true), ("ts", false), ("avi", false), ("webm", true)])
    func framesTellWhetherTheRateVaries(container: String, isVariable: Bool) async throws {
        let frames = isVariable ? ["-vf", "select='not(mod(n,3))+lt(n,20)'", "-vsync", "vfr"] : []
        let codec = container == "webm" ? ["-c:v", "libvpx", "-speed", "8"] : ["-c:v", "libx264"]
        let info = try await film("a.\(container)", frames + codec)
        let video = try #require(info.videoStream).video
        #expect(video.isVariable == isVariable)
        let rate = try #require(video.frameRate)
        #expect(isVariable ? (15...22).contains(rate) : rate == 30, "\(rate)")
    }

    /// Phones' films: turned, and of as many frames as the light allowed.
    @Test func turnedAndOfAVariableRate() async throws {
        let folder = try TemporaryFolder()
        let (plain, path) = (folder.file("plain.mp4"), folder.file("a.mov"))
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=s=320x240:r=30:d=2", "-vf", "select='not(mod(n,3))+lt(n,20)'", "-vsync",
            "vfr", "-c:v", "libx264", plain,
        ])
        try await MediaFixtures.ffmpeg(["-i", plain, "-c", "copy", "-metadata:s:v", "rotate=90", path])
        let stream = try #require(try MediaProbe.describe(path).videoStream)
        #expect(stream.video.isVariable)
        #expect(try #require(stream.video.frameRate) < 29)
        // FFmpeg 5.1 writes the matrix for a turn counter-clockwise.
        #expect(stream.video.rotation == 270)
        #expect(stream.width == 320 && stream.height == 240)
        #expect(stream.shownSize ?? (0, 0) == (240, 320))
    }
}
