import Foundation
import TestSupport

extension NetworkMaterial {
    /// A folder with AAC in segments without a container, of two seconds each, and its index.
    ///
    /// Each has an ID3 tag that has its time stamp; the clock begins at ten seconds.
    static func packedAudio(seconds: Int) throws -> String {
        let source = try MediaFixtures.position(.wav, seconds: seconds, sampleRate: 48_000)
        return try MediaFixtures.file("packed-\(seconds)") { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
            try MediaFixtures.ffmpeg(
                ["-i", source, "-c:a", "aac", "-b:a", "128k", "-f", "segment", "-segment_format", "adts"]
                    + ["-segment_time", "2", "-segment_list", "\(folder)/index.m3u8", "\(folder)/%d.aac"]
            )
            let list = try String(contentsOfFile: "\(folder)/index.m3u8", encoding: .utf8)
            var time = 10.0
            for (number, line) in list.split(separator: "\n").filter({ $0.hasPrefix("#EXTINF:") }).enumerated() {
                let path = "\(folder)/\(number).aac"
                try FileBytes.write(tag(time) + FileBytes.read(path), to: path)
                time += Double(line.dropFirst(8).prefix { $0 != "," }) ?? 0
            }
        }
    }

    /// The tag that HTTP Live Streaming wants before packed audio (RFC 8216, section 3.4).
    private static func tag(_ time: Double) -> [UInt8] {
        let ticks = UInt64((time * 90_000).rounded())
        let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
        let stamp = (0..<8).reversed().map { UInt8(truncatingIfNeeded: ticks >> (8 * UInt64($0))) }
        let frame = Array("PRIV".utf8) + [0, 0, 0, UInt8(owner.count + stamp.count), 0, 0] + owner + stamp
        return Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, UInt8(frame.count)] + frame
    }
}
