import AudioTypes
import Foundation
import LibraryScan
import MediaHeaders
import TestSupport
import Testing

/// The length of MP3 files that do not say it, from all of their frames.
@Suite struct MPEGLengthTests {
    private static let slow: [UInt8] = [0xff, 0xfb, 0x50, 0x40] + [UInt8](repeating: 1, count: 204)
    /// Ten frames of 128 kbit/s, and thirty of 64 kbit/s.
    private static let changing = MadeMedia.mp3(frames: 10) + Array(repeatElement(slow, count: 30).joined())
    private static let id3: [UInt8] = Array("ID3".utf8) + [4, 0, 0, 0, 0, 1, 0] + [UInt8](repeating: 0, count: 128)
    private static let id3v1: [UInt8] = Array("TAG".utf8) + [UInt8](repeating: 0, count: 125)

    private func measured(
        _ bytes: [UInt8],
        size: Int? = nil,
        modified: Int64? = nil,
        goesOn: () -> Bool = { true }
    ) throws -> MeasuredLength {
        let url = FileManager.default.temporaryDirectory.appending(path: "segue-length-\(UUID().uuidString).mp3")
        defer { try? FileManager.default.removeItem(at: url) }
        try Data(bytes).write(to: url)
        var status = stat()
        #expect(unsafe stat(url.path, &status) == 0)
        let time = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        var measurer = MPEGMeasurer()
        let path = try #require(FilePath(bytes: Array(url.path.utf8)))
        return measurer.measure(path, size: size ?? bytes.count, modified: modified ?? time, goesOn: goesOn)
    }

    private static let forms: [[UInt8]] = {
        // Some of it looks like a frame.
        let junk: [UInt8] = [1, 2, 0xff, 0xfb, 0x90, 0x40, 3, 0xff]
        let inTheMiddle = Array(changing.prefix(4_170)) + junk + Array(changing.dropFirst(4_170))
        return [
            changing, id3 + changing, id3 + id3 + changing + id3v1, [UInt8](repeating: 0, count: 3_000) + changing,
            inTheMiddle, changing + Array(slow.prefix(100)), changing + [0xff],
        ]
    }()

    @Test(arguments: forms.indices)
    func allFramesCount(_ form: Int) throws {
        #expect(try measured(Self.forms[form]) == .exact(40 * 1152 / 44_100.0))
    }

    /// More than fits into memory at once, so that frames lie across its borders.
    @Test func longFiles() throws {
        let bytes = Array(repeatElement(Self.changing, count: 200).joined())
        #expect(bytes.count > 2_000_000)
        #expect(try measured(bytes) == .exact(8_000 * 1152 / 44_100.0))
        var asked = 0
        let length = try measured(bytes) {
            asked += 1
            return asked < 3
        }
        #expect(length == .isInterrupted && asked == 3)
    }

    /// What goes on for ever without any sound is not looked through.
    @Test func tooMuchJunkEndsIt() throws {
        var asked = 0
        let length = try measured(Self.changing + [UInt8](repeating: 0, count: 30_000_000)) {
            asked += 1
            return true
        }
        #expect(length == .unknown && asked < 80)
    }

    @Test func otherFilesAreNot() throws {
        #expect(try measured(Array("no sound at all, though long enough for some".utf8)) == .unknown)
        #expect(try measured([]) == .unknown)
        #expect(try measured(Self.changing, size: 5) == .unknown)
        #expect(try measured(Self.changing, modified: 5) == .unknown)
        var measurer = MPEGMeasurer()
        let path = try #require(FilePath(bytes: Array("/nonexistent".utf8)))
        #expect(measurer.measure(path, size: 1, modified: 1) { true } == .unknown)
    }
}
