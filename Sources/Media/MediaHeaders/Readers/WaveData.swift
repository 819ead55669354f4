/// Where the samples of a WAV file lie, whatever its header says of their number (Microsoft's RIFF; EBU Tech 3306 for
/// RF64 and BW64).
///
/// The header has 32 bits for it: programs that write more, or to a pipe, leave it at its highest value, at zero, or at
/// what is left modulo 2^32.
struct WaveData {
    /// The samples' bytes.
    let range: Range<Int>
    /// Whether the header says another number of bytes.
    let isMisstated: Bool

    /// Bytes before the end in which chunks that follow the samples are looked for, when their place is not said.
    private static let reach = 65_536
    /// Chunks that follow one another.
    private static let mostChunks = 1_000
    /// The size in a header that leaves it open.
    static let unknown = 0xffff_ffff

    /// - Parameters:
    ///   - start: Of the samples.
    ///   - stated: Their number of bytes in the `data` chunk's header.
    ///   - long: The same in an RF64 file's `ds64` chunk; `nil` in other files.
    init?(at start: Int, stated: Int, long: Int?, _ window: inout ByteWindow) {
        let rest = window.size - start
        guard rest > 0 else { return nil }
        let isUnknown = stated == 0 || stated == Self.unknown && (long ?? 0) <= 0
        if isUnknown {
            self.init(from: start, &window)
            return
        }
        let count = stated == Self.unknown ? long ?? stated : stated
        if long == nil, Self.isWrapped(stated, rest, start, &window) {
            self.init(from: start, &window)
            return
        }
        guard count > 0, count <= rest else { return nil }
        self.init(range: start..<start + count, isMisstated: false)
    }

    private init(range: Range<Int>, isMisstated: Bool) { (self.range, self.isMisstated) = (range, isMisstated) }

    /// All to the end but what parses as chunks.
    private init(from start: Int, _ window: inout ByteWindow) {
        self.init(range: start..<Self.startOfChunks(after: start, &window), isMisstated: true)
    }

    /// Whether a number is the lower half of how many bytes there are.
    private static func isWrapped(_ stated: Int, _ rest: Int, _ start: Int, _ window: inout ByteWindow) -> Bool {
        let modulus = 1 << 32
        guard rest >= modulus, stated < modulus else { return false }
        if rest % modulus == stated || (rest - 1) % modulus == stated { return true }
        return (startOfChunks(after: start, &window) - start) % modulus == stated
    }

    /// Where chunks begin that reach to the file's end; the end itself if there are none.
    private static func startOfChunks(after start: Int, _ window: inout ByteWindow) -> Int {
        let first = max(start, window.size - reach)
        guard window.load(first, window.size - first) else { return window.size }
        // Chains of chunks meet, so each place is gone through once.
        var failed: Set<Int> = []
        for place in first..<max(first, window.size - 8) where isName(at: place, window) {
            if reachesEnd(place, &window, &failed) { return place }
        }
        return window.size
    }

    /// Whether chunks that follow one another end where the file does; the last one may lack its padding.
    private static func reachesEnd(_ start: Int, _ window: inout ByteWindow, _ failed: inout Set<Int>) -> Bool {
        var place = start
        for _ in 0..<mostChunks {
            if place == window.size || place == window.size + 1 { return true }
            guard failed.insert(place).inserted, place + 8 <= window.size, isName(at: place, window),
                let size = window.littleEndian(place + 4, 4),
                size > 0
            else { return false }
            place += 8 + size + size % 2
        }
        return false
    }

    /// Whether four loaded bytes are letters, digits, spaces or underscores, as names of chunks are.
    private static func isName(at place: Int, _ window: borrowing ByteWindow) -> Bool {
        (place..<place + 4).allSatisfy { offset in
            switch window[offset] {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x20, 0x5f: true
            default: false
            }
        }
    }
}
