import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct ContainerTests {
    private static func box(_ name: String) -> [UInt8] { [0, 0, 0, 24] + Array(name.utf8) + [1, 2, 3, 4] }

    private static func packets(_ count: Int, after skipped: Int = 0) -> [UInt8] {
        let packet = [0x47] + [UInt8](repeating: 0x11, count: 187)
        return Array([UInt8](repeating: 0x22, count: skipped) + (0..<count).flatMap { _ in packet })
    }

    @Test(arguments: [
        (box("ftyp"), SegmentContainer.fragmentedMP4), (box("moof"), .fragmentedMP4), (packets(3), .mpegTS),
        (packets(3, after: 100), .mpegTS), (Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0], .packedAudio),
        ([0xff, 0xf1, 0x50, 0x80], .packedAudio), ([0xff, 0xfb, 0x90, 0x64], .packedAudio),
        ([0x0b, 0x77, 0, 0], .packedAudio),
    ])
    func whatBeginsASegmentTells(bytes: [UInt8], container: SegmentContainer) {
        #expect(SegmentContainer(firstBytes: bytes) == container)
    }

    @Test(arguments: [
        "", "<html><head>", "<!DOCTYPE html>", "WEBVTT\n", "GGGG", "{\"error\":1}", "not found ftyp",
    ])
    func otherThingsAreNone(text: String) {
        #expect(SegmentContainer(firstBytes: Array(text.utf8)) == nil)
    }
}

@Suite(.blocking) struct BlockDecryptionTests {
    /// Turns bits around: what is whole blocks in the right order shows.
    private final class Inverter: SegmentDecryptor {
        var sizes: [Int] = []

        func decrypt(_ blocks: UnsafeMutableRawBufferPointer) {
            sizes.append(blocks.count)
            for index in blocks.indices { unsafe blocks[index] = ~blocks[index] }
        }
    }

    /// Decrypts in pieces: as many bytes come at a time, and as many are taken.
    private func decrypt(_ encrypted: [UInt8], arriving: Int, taking: Int) -> [UInt8] {
        let inverter = Inverter()
        var decryption = BlockDecryption(inverter)
        var (plain, place): ([UInt8], Int) = ([], 0)
        var buffer = [UInt8](repeating: 0, count: taking)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe decryption.take(into: $0) }
            plain += buffer[..<count]
            guard count == 0 else { continue }
            if decryption.hasEnded { break }
            unsafe decryption.fill { target in
                let more = min(arriving, target.count, encrypted.count - place)
                unsafe target.copyBytes(from: encrypted[place..<place + more])
                place += more
                return more
            }
        }
        #expect(inverter.sizes.allSatisfy { $0 % 16 == 0 })
        return plain
    }

    @Test(arguments: [0, 1, 15, 16, 17, 1000, 70_000], [(1, 7), (16, 16), (33, 5), (100_000, 40_000)])
    func paddingIsTakenOffAtTheEndOnly(count: Int, sizes: (arriving: Int, taking: Int)) {
        let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let padding = 16 - count % 16
        let padded = plain + [UInt8](repeating: UInt8(padding), count: padding)
        let found = decrypt(padded.map { ~$0 }, arriving: sizes.arriving, taking: sizes.taking)
        #expect(found == plain)
    }

    @Test func whatIsNoPaddingStays() {
        let plain = [UInt8](repeating: 99, count: 32)
        #expect(decrypt(plain.map { ~$0 }, arriving: 32, taking: 32) == plain)
        #expect(decrypt([1, 2, 3], arriving: 32, taking: 32) == [])
        #expect(decrypt([], arriving: 32, taking: 32) == [])
    }
}
