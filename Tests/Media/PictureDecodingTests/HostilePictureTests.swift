import Foundation
import PictureDecoding
import PictureValues
import PictureWorkers
import TestSupport
import TestThreads
import Testing

/// Files that are not what they say, or want too much.
@Suite(.blocking) struct HostilePictureTests {
    private func big(_ bytes: Int...) -> [UInt8] {
        bytes.flatMap { value in (0..<4).reversed().map { UInt8(value >> (8 * $0) & 255) } }
    }

    private func chunk(_ name: String, _ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt32 = 0xffff_ffff
        for byte in Array(name.utf8) + bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xedb8_8320 : sum >> 1 }
        }
        return big(bytes.count) + Array(name.utf8) + bytes + big(Int(~sum))
    }

    @Test func aPNGThatSaysItIsHugeIsRefusedByItsHeader() throws {
        let folder = try TemporaryFolder()
        let header = chunk("IHDR", big(60_000, 60_000) + [8, 6, 0, 0, 0])
        let path = try folder.write("bomb.png", [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + header + chunk("IDAT", [0]))
        #expect(throws: PictureError.tooLarge(try #require(PixelSize(60_000, 60_000)))) { try picture(path) }
        // An interlaced one is whole in memory.
        let interlaced = chunk("IHDR", big(16_000, 16_000) + [8, 6, 0, 0, 1])
        let second = try folder.write(
            "second.png",
            [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10] + interlaced + chunk("IDAT", [0])
        )
        #expect(throws: PictureError.needsMemory(megabytes: 978)) { try picture(second) }
    }

    @Test(arguments: [
        "", "a", "not a picture at all, but text of some length", "<svg xmlns='http://www.w3.org/2000/svg'/>",
    ])
    func whatIsNoPictureIsSaidToBeNone(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("a.jpg", text)
        #expect(throws: PictureError.self) { try picture(path) }
    }

    /// A file that ends too early shows what there is and says what is missing, or is refused; none is called whole.
    @Test(
        .enabled("the fixtures' tools are missing") { Fixtures.missing.isEmpty },
        arguments: ["jpg", "progressive.jpg", "png", "interlaced.png", "webp", "gif", "heic", "tiff", "bmp", "jxl"]
    )
    func filesThatAreCutOffAreNotCalledWhole(name: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", "320x240", in: folder)
        let path = folder.file("whole.\(name)")
        switch name {
        case "heic": try ChildProcess.run("heif-enc", [source, "-o", path])
        case "progressive.jpg": try ChildProcess.run("vips", ["copy", source, path + "[interlace]"])
        case "interlaced.png": try ChildProcess.run("vips", ["copy", source, path + "[interlace]"])
        default: try ChildProcess.run("ffmpeg", ["-v", "error", "-y", "-i", source, path])
        }
        let whole = try FileBytes.read(path)
        #expect(try picture(path, 160).damage == nil)
        for parts in [3, 5, 9] {
            let cut = try folder.write("cut", Array(whole.prefix(whole.count * parts / 10)))
            do {
                let left = try picture(cut, 160)
                #expect(left.damage == "it is cut off", "at \(parts)0 %")
                // It is not lost when the picture is turned or made square.
                #expect(left.turned(.right).middle.flattened().damage == left.damage)
            } catch {
                #expect(name != "jpg" && name != "progressive.jpg" && "\(error)" != "", "\(error)")
            }
        }
    }

    /// Each of many damaged files gives a picture or one error, and ends.
    @Test(
        .enabled("the fixtures' tools are missing") { Fixtures.missing.isEmpty },
        arguments: ["jpg", "png", "webp", "gif", "heic", "tiff", "bmp", "mp4"]
    )
    func damagedFilesGiveOneError(kind: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", "160x120", in: folder)
        let path = folder.file("whole.\(kind)")
        if kind == "heic" {
            try ChildProcess.run("heif-enc", [source, "-o", path])
        } else {
            try ChildProcess.run("ffmpeg", ["-v", "error", "-y", "-i", source, path])
        }
        let whole = try FileBytes.read(path)
        var generator = SeededGenerator(seed: 15)
        var (pictures, errors) = (0, 0)
        for round in 0..<60 {
            var bytes = whole
            if round % 3 == 0 { bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator)) }
            for _ in 0..<(round % 3 == 0 ? 0 : 1 + round / 6) {
                bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            let damaged = try folder.write("damaged", bytes)
            do {
                let small = try picture(damaged, 64)
                #expect(small.size.longestSide <= 64)
                pictures += 1
            } catch {
                #expect(!"\(error)".contains("\n") && !"\(error)".isEmpty)
                errors += 1
            }
        }
        #expect(pictures + errors == 60)
    }
}

/// The same numbers from the same seed.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 29
    }
}

/// What is asked of workers, as text.
@Suite struct PictureOrderTests {
    @Test func ordersAndAnswersComeBackAsTheyWere() throws {
        let orders = [
            PictureOrder(side: 320),
            PictureOrder(side: 1, format: .rgba, quality: 3, moment: .seconds(62.5), isExact: true),
            PictureOrder(side: 9_999_999, format: .webP, quality: 1_000, moment: .part(0.25), frames: 8),
        ]
        for order in orders { #expect(PictureOrder(order.text) == order) }
        #expect(orders[2].side == PictureOrder.sideLimit && orders[2].quality == 100)
        let size = try #require(PixelSize(3, 2))
        for answer in [
            PictureAnswer.failed("a reason: b"), .unable("no sandbox"), .made(size), .partlyMade(size, "it is cut off"),
        ] {
            #expect(PictureAnswer(answer.text) == answer)
        }
    }

    @Test(arguments: [
        "", "320", "320 jpeg 85 part nan near 1", "x jpeg 85 part 0.1 near 1", "320 gif 85 part 0.1 near 1",
        "320 jpeg 85 part -1 near 1",
    ])
    func othersAreRefused(text: String) { #expect(PictureOrder(text) == nil) }

    @Test(arguments: ["", "made", "made 0 5", "made 1 2 3", "done 1 2", "partly 1 2", "partly 0 2 a"])
    func otherAnswersAreRefused(text: String) { #expect(PictureAnswer(text) == nil) }
}
