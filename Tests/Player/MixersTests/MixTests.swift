import AudioTypes
import Mixing
import Outputs
import TestSupport
import Testing

@testable import Mixers

/// What a mix decides, against a model of an output that holds what it was sent.
struct MixTests {
    /// Every frame of every track is heard once and in order, whatever is done, and as it was last written.
    @Test(arguments: UInt64(0)..<16)
    func nothingIsLostOrRepeated(_ seed: UInt64) {
        var tape = Tape(seed: seed)
        for _ in 0..<600 { tape.doSomething() }
        tape.check()
        #expect(tape.heard.count > 10_000)
    }

    @Test func oneTrackPassesEverythingOn() {
        var tape = Tape(seed: 1)
        tape.write(0, 30_000)
        #expect(tape.perform { $0.framesAvailable(0, $1) } == [.framesAvailable])
        #expect(tape.perform { $0.start(0, fadingOver: 0, $1) } == [.start])
        tape.play(1_000)
        tape.write(0, 10_000)
        #expect(tape.perform { $0.framesAvailable(0, $1) } == [.framesAvailable])
        #expect(tape.perform { $0.rewind(0, to: 20_000, $1) } == [.rewind(to: 20_000)])
        #expect(tape.perform { $0.framesAvailable(0, $1) } == [.framesAvailable])
        #expect(tape.perform { $0.pause(0, fadingOver: 0, $1) } == [.pause])
        #expect(tape.perform { $0.start(0, fadingOver: 0, $1) } == [.start])
        #expect(tape.perform { $0.discard(0, to: 40_000, $1) } == [.discard(to: 40_000), .tell(0)])
    }

    @Test func aFadeEndsInAPauseAtItsFrame() {
        var tape = Tape(seed: 1)
        tape.write(0, 30_000)
        tape.perform { $0.framesAvailable(0, $1) }
        tape.perform { $0.start(0, fadingOver: 0, $1) }
        tape.play(1_000)
        let end = 1_000 + Tape.margin + 441
        // An output may think that it was heard a little before it was.
        let stop = end + 4_410
        let effects = tape.perform { $0.pause(0, fadingOver: 441, $1) }
        #expect(effects == [.rewrite(from: 1_000 + Tape.margin), .tell(0), .framesAvailable, .alarm(at: stop)])
        #expect(tape.mix.tracks[0].next == end)
        #expect(tape.perform { $0.alarm($1) } == [.alarm(at: stop)])
        tape.play(stop - 1_000)
        #expect(tape.mix.runsOutput == false)
        #expect(tape.heard.count == stop)
        tape.perform { $0.start(0, fadingOver: 0, $1) }
        // A little silence comes first.
        tape.play(672)
        #expect(tape.heard.suffix(10).map(\.left) == (end..<end + 10).map { Int32($0 + 1) })
        // Before the fade all is as it was, and silence is reached at its end.
        #expect(tape.heard.prefix(1_000 + Tape.margin).enumerated().allSatisfy { $1.left == Int32($0 + 1) })
    }

    /// A voice does not begin before the music is silent, and music that comes back while it fades out does so at once.
    @Test func whoComesInWaitsForAFade() {
        var tape = Tape(seed: 1)
        tape.write(0, 30_000)
        tape.perform { $0.framesAvailable(0, $1) }
        tape.perform { $0.start(0, fadingOver: 0, $1) }
        tape.play(1_000)
        tape.perform { $0.pause(0, fadingOver: 4_410, $1) }
        tape.play(100)
        tape.write(1, 5_000)
        tape.perform { $0.start(1, fadingOver: 0, $1) }
        tape.play(6_000)
        let silence = 1_000 + Tape.margin + 4_410
        #expect(tape.heard[silence..<silence + 500].enumerated().allSatisfy { $1.right == Int32($0 + 1) })
        #expect(
            tape.heard[..<silence].allSatisfy { $0.right == 0 } && tape.heard[silence...].allSatisfy { $0.left == 0 }
        )
        tape.perform { $0.start(0, fadingOver: 0, $1) }
        tape.play(Tape.margin + 10)
        #expect(tape.heard.last?.left == Int32(silence + 10))
        tape.perform { $0.pause(0, fadingOver: 4_410, $1) }
        tape.play(Tape.margin + 100)
        tape.perform { $0.start(0, fadingOver: 0, $1) }
        tape.play(Tape.margin + 2_000)
        // As loud as before, and nothing was left out.
        #expect(tape.heard.last?.left == Int32(silence + 10 + 2 * Tape.margin + 2_000 + 100 + 10 - 10))
    }

    @Test func theClockStandsInAGap() {
        var map = SegmentMap()
        #expect(map.place(at: 5) == nil && !map.isOpen)
        map.place(100, at: 10)
        #expect(map.place(at: 15.5) == .init(source: 105.5, isMoving: true))
        #expect(map.cut(at: 20) == 110)
        map.place(110, at: 30)
        #expect(map.place(at: 25) == .init(source: 110, resumes: 30, isMoving: false))
        #expect(map.source(at: 19) == 109 && map.source(at: 20) == nil && map.source(at: 30) == 110)
        #expect(map.boundary(after: 10) == 20 && map.boundary(after: 20) == 30 && map.boundary(after: 30) == nil)
        map.cut(at: 40)
        #expect(map.place(at: 60) == .init(source: 120, isMoving: false) && map.end == 40)
        map.forget(before: 50)
        #expect(map.place(at: 60) == .init(source: 120, isMoving: false))
        map.reopen()
        #expect(map.isOpen && map.source(at: 45) == 125)
    }
}

/// An output that holds what it was sent until it is heard, and two tracks: one on the left, one on the right.
///
/// A frame's sample is its number plus one, and a million for each time it was written again.
private struct Tape: ~Copyable {
    static let margin = 100
    static let depth = 9_000
    static let format = AudioFormat(sampleFormat: .s32, sampleRate: 44_100, channels: .stereo)
    static let version = 1_000_000

    struct Frame: Equatable {
        var left: Int32
        var right: Int32
    }

    var mix = Mix(format: Tape.format)
    let rings = [FrameRing(format: Tape.format, capacity: 400_000), FrameRing(format: Tape.format, capacity: 400_000)]
    private var generator: SplitMix
    private var isRunning = false
    /// The output's next frame, and what it holds, the first of which is number `place`.
    private var place = 0
    private var held: [Frame] = []
    private(set) var heard: [Frame] = []
    private var versions: [[Int]] = [[], []]

    init(seed: UInt64) {
        generator = SplitMix(state: seed)
        for id in 0..<2 {
            mix.add(Track(id: id, role: .programme))
            let ring = rings[id]
            perform { $0.attach(id, ring, $1) }
        }
    }

    private var now: Mix.Moment {
        Mix.Moment(heard: Double(place), isMoving: isRunning && !held.isEmpty, margin: Self.margin, lead: 500)
    }

    // MARK: The output

    @discardableResult
    mutating func perform(_ decide: (inout Mix, Mix.Moment) -> [Mix.Effect]) -> [Mix.Effect] {
        let effects = decide(&mix, now)
        for effect in effects {
            switch effect {
            case .start:
                #expect(!isRunning)
                isRunning = true
            case .pause:
                #expect(isRunning)
                isRunning = false
            case .discard(let frame):
                #expect(frame >= place)
                place = frame
                held = []
            case .rewind(let frame): truncate(to: frame)
            case .rewrite(let frame):
                truncate(to: frame)
                feed()
            case .framesAvailable: feed()
            case .alarm, .wait, .tell: break
            }
        }
        return effects
    }

    private mutating func truncate(to frame: Int) {
        held.removeLast(max(0, min(held.count, place + held.count - frame)))
    }

    private mutating func feed() {
        while held.count < Self.depth {
            let count = Int.random(in: 1..<3_000, using: &generator)
            var samples = [Int32](repeating: -1, count: 2 * count)
            let position = place + held.count
            let got = unsafe samples.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe mix.read(at: position, into: base, count: count)
            }
            if got == 0 { return }
            held += (0..<got).map { Frame(left: samples[2 * $0], right: samples[2 * $0 + 1]) }
        }
    }

    /// Lets time pass.
    mutating func play(_ count: Int) {
        guard isRunning else { return }
        let count = min(count, held.count)
        heard += held.prefix(count)
        held.removeFirst(count)
        place += count
        if held.count < Self.depth / 2 { feed() }
        let now = now
        if let stop = mix.stop, place >= stop { _ = perform { mix, _ in mix.alarm(now) } }
    }

    // MARK: The tracks

    mutating func write(_ id: Int, _ count: Int) {
        let ring = rings[id]
        var rest = count
        while rest > 0 {
            let first = ring.written.index
            rest -= unsafe ring.write { bytes in
                let count = min(rest, bytes.count / 8)
                for index in 0..<count {
                    let frame = first + index
                    if versions[id].count <= frame { versions[id].append(0) }
                    let value = Int32(frame + 1 + versions[id][frame] * Self.version)
                    unsafe bytes.storeBytes(of: id == 0 ? value : 0, toByteOffset: 8 * index, as: Int32.self)
                    unsafe bytes.storeBytes(of: id == 1 ? value : 0, toByteOffset: 8 * index + 4, as: Int32.self)
                }
                return count
            }
        }
    }

    mutating func doSomething() {
        let id = Int.random(in: 0..<2, using: &generator)
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...1: perform { $0.start(id, fadingOver: 0, $1) }
        case 2: perform { $0.pause(id, fadingOver: 0, $1) }
        case 3...5:
            if rings[id].written.index < 200_000 { write(id, Int.random(in: 0..<3_000, using: &generator)) }
            perform { $0.framesAvailable(id, $1) }
        case 6: revise(id)
        default: play(Int.random(in: 0..<1_500, using: &generator))
        }
    }

    /// Rewrites some frames that can still be changed.
    private mutating func revise(_ id: Int) {
        let clock = mix.clock(of: id, OutputClock(frame: Double(place), time: .now, rate: 0))
        let first = Int(clock.frame.rounded(.up)) + 2 * Self.margin
        let end = rings[id].written.index
        guard end > first else { return }
        let start = Int.random(in: first..<end, using: &generator)
        perform { $0.rewind(id, to: start, $1) }
        rings[id].truncate(to: FramePosition(start))
        for frame in start..<versions[id].count { versions[id][frame] += 1 }
        // The output asks for more before there is any.
        if Bool.random(using: &generator) { play(Int.random(in: 0..<50, using: &generator)) }
        write(id, Int.random(in: 1..<3_000, using: &generator))
        perform { $0.framesAvailable(id, $1) }
    }

    /// Looks at all that was heard.
    func check() {
        for id in 0..<2 {
            let values = heard.map { Int(id == 0 ? $0.left : $0.right) }.filter { $0 != 0 }
            let frames = values.map { ($0 - 1) % Self.version }
            let wrong = frames.indices.first { frames[$0] != $0 }
            #expect(wrong == nil, "track \(id): \(frames[wrong ?? 0]) instead of \(wrong ?? 0)")
            let old = values.first { ($0 - 1) / Self.version != versions[id][($0 - 1) % Self.version] }
            #expect(old == nil, "track \(id) as it was before")
        }
    }
}
