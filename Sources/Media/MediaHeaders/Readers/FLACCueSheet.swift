/// FLAC's own CUE sheet (RFC 9639, section 8.7): the tracks' positions, without texts.
struct FLACCueSheet {
    /// In the form of a CUE sheet.
    private(set) var text = "FILE \"audio\" WAVE\n"

    /// The sizes of the head, of a track and of an index, in bytes.
    private static let (head, track, index) = (396, 36, 12)

    /// - Parameters:
    ///   - block: The block, without its header.
    ///   - sampleRate: The unit of its positions.
    /// - Returns: `nil` when it is invalid.
    init?(_ block: Range<Int>, sampleRate: Int, _ window: inout ByteWindow) {
        guard block.count > Self.head, window.load(block.lowerBound + Self.head - 1, 1) else { return nil }
        // The last one is not a track but the end of the disc.
        let count = min(Int(window[block.lowerBound + Self.head - 1]), 100) - 1
        guard count > 0 else { return nil }
        var place = block.lowerBound + Self.head
        for _ in 0..<count {
            guard place + Self.track <= block.upperBound, let start = window.bigEndian(place, 8),
                window.load(place, Self.track)
            else { return nil }
            let isAudio = window[place + 21] & 0x80 == 0
            text += "TRACK \(window[place + 8]) \(isAudio ? "AUDIO" : "MODE1/2352")\n"
            let indexes = Int(window[place + 35])
            place += Self.track
            guard indexes <= 100, place + indexes * Self.index <= block.upperBound else { return nil }
            for _ in 0..<indexes {
                guard let offset = window.bigEndian(place, 8), window.load(place, Self.index),
                    let time = Self.time(start, offset, sampleRate)
                else { return nil }
                text += "INDEX \(window[place + 8]) \(time)\n"
                place += Self.index
            }
        }
    }

    /// Minutes, seconds and frames of a compact disc.
    private static func time(_ start: Int, _ offset: Int, _ sampleRate: Int) -> String? {
        // No medium is longer; a greater value is damaged.
        let limit = 1 << 50
        guard (0..<limit).contains(start), (0..<limit).contains(offset), sampleRate > 0 else { return nil }
        let frames = (start + offset) * 75 / sampleRate
        return "\(frames / 4500):\(frames / 75 % 60):\(frames % 75)"
    }
}
