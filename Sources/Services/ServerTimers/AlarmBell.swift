internal import AudioTypes
internal import Files
private import Glibc

/// The built-in bell, for alarms without sound of their own.
enum AlarmBell {
    private static let rate = 22_050
    /// Four strokes, then a rest; in seconds.
    private static let (stroke, strokes, whole) = (0.4, 4, 3.0)

    /// A WAV file of ten times the bell, mono.
    static var file: [UInt8] {
        let once = (0..<Int(saturating: whole * Double(rate))).map(sample)
        let count = once.count * 10
        func little(_ value: Int, _ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(value >> ($0 * 8) & 0xff) } }
        var bytes = Array("RIFF".utf8) + little(36 + count * 2, 4) + Array("WAVEfmt ".utf8)
        bytes += little(16, 4) + little(1, 2) + little(1, 2) + little(rate, 4) + little(rate * 2, 4) + little(2, 2)
        bytes += little(16, 2) + Array("data".utf8) + little(count * 2, 4)
        let samples = once.flatMap { little(Int($0), 2) }
        for _ in 0..<10 { bytes += samples }
        return bytes
    }

    /// Makes sure that the file is there; blocks.
    static func isWritten(to path: String) -> Bool {
        if (try? FileStatus(of: path)) != nil { return true }
        makeFolders(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
        return (try? AtomicFile.write(file, to: path, access: .onlyOwner)) != nil
    }

    /// Two partials that die away after each stroke.
    private static func sample(_ index: Int) -> Int16 {
        let time = Double(index) / Double(rate)
        guard time < stroke * Double(strokes) else { return 0 }
        let since = time.truncatingRemainder(dividingBy: stroke)
        let attack = min(1, since / 0.005)
        let level = attack * exp(-since * 9) * (1 - max(0, since - stroke + 0.02) / 0.02)
        let wave = sin(2 * .pi * 880 * since) + 0.5 * sin(2 * .pi * 1_760 * since)
        return Int16(saturating: 16_000 * level * wave / 1.5)
    }
}
