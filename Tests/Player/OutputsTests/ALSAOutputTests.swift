import AudioTypes
import Foundation
import Mixing
import Synchronization
import TestSupport
import TestTiming
import Testing

@testable import Outputs

/// A device of ALSA plays what it is given, and changes are heard at once.
@Suite(.serialized, .enabled("libasound2-dev is not installed") { FakeSoundCard.missing == nil })
struct ALSAOutputTests {
    /// An output to a card, and the frames that it plays: each a number, so that none is mistaken.
    private final class Stage: Sendable {
        let card: FakeSoundCard
        let ring: FrameRing
        let output: ALSAOutput
        private let news = News()

        init(_ card: FakeSoundCard, seconds: Int = 12, change: (inout ALSAOutput.Options) -> Void = { _ in }) throws {
            self.card = card
            var options = ALSAOutput.Options()
            options.device = card.device
            change(&options)
            output = try ALSAOutput(options)
            ring = FrameRing(format: output.format, capacity: 44_100 * seconds + 20_000)
            output.attach(ring) { [news] event in news.list.withLock { $0.append(event) } }
        }

        deinit { output.close() }

        /// Writes numbered frames: sample k of frame n is n, mod 2^15.
        func write(_ count: Int) {
            var rest = count
            while rest > 0 {
                rest -= unsafe ring.write { region in
                    let frames = min(rest, region.count / 4)
                    let samples = unsafe region.bindMemory(to: Int16.self)
                    let first = ring.written.index
                    for index in 0..<frames {
                        let value = Int16((first + index) % 32_768)
                        unsafe (samples[2 * index], samples[2 * index + 1]) = (value, value)
                    }
                    return frames
                }
                output.framesAvailable()
            }
        }

        /// The left side of what was heard.
        var left: [Int] {
            let samples = card.samples
            return stride(from: 0, to: samples.count - 1, by: 2).map { Int(samples[$0]) }
        }

        func waitUntilHeard(_ frames: Int) throws {
            try wait(for: "\(frames) frames") { card.heard.count >= 4 * frames }
        }

        func has(_ event: (OutputEvent) -> Bool) -> Bool { news.list.withLock { $0.contains(where: event) } }
    }

    private final class News: Sendable {
        let list = Mutex<[OutputEvent]>([])
    }

    private static var now: Double { Double(HostTime.now.nanoseconds) / 1e9 }

    @Test func playsEveryFrameUnchanged() throws {
        let stage = try Stage(try FakeSoundCard())
        #expect(stage.output.format == .cd)
        stage.write(30_000)
        stage.output.start()
        try stage.waitUntilHeard(30_000)
        #expect(stage.left == Array(0..<30_000))
        #expect(stage.output.xruns == 0)
    }

    @Test(.timed) func theClockTellsWhatIsHeard() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(200_000)
        stage.output.start()
        for frames in [20_000, 60_000] {
            try stage.waitUntilHeard(frames)
            let begin = ContinuousClock.now
            let before = Double(stage.card.heard.count / 4)
            let clock = stage.output.clock.frame(at: .now)
            let after = Double(stage.card.heard.count / 4)
            let error = clock - min(max(clock, before), after)
            try expect(.seconds(error / 44_100), atMost: .milliseconds(50), since: begin - .seconds(0.2))
        }
    }

    @Test(arguments: [("S24_3LE", 3), ("S24_LE", 4)])
    func packs24Bits(_ format: String, _ bytes: Int) throws {
        let card = try FakeSoundCard(rates: "96000", formats: format)
        var options = ALSAOutput.Options()
        options.device = card.device
        let output = try ALSAOutput(options)
        defer { output.close() }
        #expect(output.format == AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo))
        let ring = FrameRing(format: output.format, capacity: 200_000)
        let values = (0..<40_000).map { Int32($0 * 12_345 - 200_000_000) & ~0xff }
        _ = unsafe ring.write { region in
            let samples = unsafe region.bindMemory(to: Int32.self)
            for index in 0..<40_000 { unsafe samples[index] = values[index] }
            return 20_000
        }
        output.attach(ring) { _ in }
        output.start()
        output.framesAvailable()
        try wait(for: "the frames") { card.heard.count >= 40_000 * bytes }
        let heard = card.heard
        for index in 0..<40_000 {
            var value: Int32 = 0
            for place in 0..<3 { value |= Int32(heard[index * bytes + place]) << Int32(8 * (place + 1)) }
            guard value == values[index] else {
                Issue.record("sample \(index) is \(value) for \(values[index])")
                return
            }
        }
    }

    @Test(.timed) func pausesAtOnceAndGoesOnAtTheSameFrame() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(200_000)
        stage.output.start()
        try stage.waitUntilHeard(30_000)
        let (begin, moment) = (Self.now, ContinuousClock.now)
        stage.output.pause()
        try wait(for: "the stop") { !stage.card.events(named: "stop").isEmpty }
        let stop = try #require(stage.card.events(named: "stop").first)
        print("ALSA: silent \((stop.time - begin) * 1_000) ms after a pause")
        try expect(.seconds(stop.time - begin), atMost: .milliseconds(200), since: moment)
        #expect(stage.output.clock.rate == 0)
        stage.output.start()
        try stage.waitUntilHeard(60_000)
        let heard = stage.left
        #expect(heard.enumerated().allSatisfy { $0.offset % 32_768 == $0.element }, "frames are lost or heard twice")
    }

    @Test(.timed) func jumpsAtOnce() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(400_000)
        stage.output.start()
        try stage.waitUntilHeard(30_000)
        let (begin, moment) = (Self.now, ContinuousClock.now)
        stage.output.discard(to: FramePosition(300_000))
        stage.output.framesAvailable()
        try wait(for: "another start") { stage.card.events(named: "start").count == 2 }
        let start = stage.card.events(named: "start")[1]
        print("ALSA: another frame is heard \((start.time - begin) * 1_000) ms after a jump")
        try expect(.seconds(start.time - begin), atMost: .milliseconds(200), since: moment)
        try stage.waitUntilHeard(start.heard / 4 + 1_000)
        let heard = stage.left
        #expect(heard[start.heard / 4] == 300_000 % 32_768)
        #expect(heard[start.heard / 4 - 1] == (start.heard / 4 - 1) % 32_768)
    }

    @Test(.timed) func replacesFramesWithoutAGap() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(400_000)
        stage.output.start()
        try stage.waitUntilHeard(30_000)
        let (begin, moment) = (stage.card.heard.count / 4, ContinuousClock.now)
        stage.output.setVolume(.full, isMuted: true)
        try stage.waitUntilHeard(begin + 20_000)
        let heard = stage.left
        // From some frame on there is a ramp, and then silence; up to it all is as it was.
        let first = try #require(heard.indices.first { heard[$0] != $0 % 32_768 })
        print("ALSA: another volume is heard \(Double(first - begin) / 44.1) ms after it was set")
        try expect(.seconds(Double(first - begin) / 44_100), atMost: .milliseconds(200), since: moment)
        let silent = try #require(heard[first...].firstIndex(of: 0))
        #expect(silent - first <= 900)
        #expect(heard[silent...].allSatisfy { $0 == 0 })
        #expect(stage.card.events(named: "stop").isEmpty && stage.card.events(named: "start").count == 1)
    }

    /// Frames of one kind up to a moment in the middle of a read, and of another from then on.
    private final class ChangingFrames: FrameReading {
        let format = AudioFormat.cd
        let written = FramePosition(400_000)
        let kept = FramePosition.zero
        let hasChanged = Mutex(false)
        let onChange: @Sendable () -> Void

        init(onChange: @escaping @Sendable () -> Void) { self.onChange = onChange }

        func read(at position: FramePosition, into target: UnsafeMutableRawPointer, count: Int) -> Int {
            let changes = hasChanged.withLock { hasChanged in
                let isFirst = !hasChanged && position.index + count > 100_000
                let value: Int16 = hasChanged ? 2 : 1
                let samples = unsafe target.bindMemory(to: Int16.self, capacity: 2 * count)
                for index in 0..<2 * count { unsafe samples[index] = value }
                hasChanged = hasChanged || isFirst
                return isFirst
            }
            if changes { onChange() }
            return count
        }
    }

    /// The card is given frames that are revised at the same time, before it is known how many it was given.
    @Test func framesThatChangeWhileTheyAreWrittenAreWrittenAgain() throws {
        let card = try FakeSoundCard()
        var options = ALSAOutput.Options()
        options.device = card.device
        let output = try ALSAOutput(options)
        defer { output.close() }
        let frames = ChangingFrames { [unowned output] in output.rewrite(from: FramePosition(60_000)) }
        output.attach(frames) { _ in }
        output.start()
        try wait(for: "the frames") { card.heard.count >= 4 * 110_000 }
        let heard = card.samples
        #expect(heard[2 * 60_000..<2 * 110_000].allSatisfy { $0 == 2 }, "the change was not heard")
    }

    /// Frames without end, each of which takes until the card has heard another one.
    private final class SlowFrames: FrameReading {
        let format = AudioFormat.cd
        let written = FramePosition(1 << 40)
        let kept = FramePosition.zero
        private let card: FakeSoundCard

        init(for card: FakeSoundCard) { self.card = card }

        func read(at position: FramePosition, into target: UnsafeMutableRawPointer, count: Int) -> Int {
            let heard = card.heard.count
            if heard > 0 { try? wait(for: "the card to hear more") { card.heard.count > heard } }
            let samples = unsafe target.bindMemory(to: Int16.self, capacity: 2 * count)
            for index in 0..<2 * count { unsafe samples[index] = 1_000 }
            return count
        }
    }

    /// There is always room in the card's buffer when something was written to it.
    @Test func framesThatComeSlowlyDoNotKeepOrdersWaiting() throws {
        let card = try FakeSoundCard()
        var options = ALSAOutput.Options()
        options.device = card.device
        let output = try ALSAOutput(options)
        defer { output.close() }
        output.attach(SlowFrames(for: card)) { _ in }
        output.start()
        for isMuted in [true, false, true] {
            output.setVolume(.full, isMuted: isMuted)
            let samples = [Int16](repeating: isMuted ? 0 : 1_000, count: 1_000)
            try wait(for: "another volume") { card.samples.suffix(1_000) == samples[...] }
        }
    }

    @Test func theCardsMixerHasTheVolume() throws {
        let stage = try Stage(try FakeSoundCard()) {
            $0.mixerControl = "Digital"
            $0.volume = Volume(percent: 50)
        }
        // A cubic scale: half of it is 18 dB less.
        try wait(for: "the first volume") { stage.card.volume == 42 }
        stage.write(60_000)
        stage.output.start()
        try stage.waitUntilHeard(20_000)
        stage.output.setVolume(Volume(percent: 100), isMuted: false)
        try wait(for: "full volume") { stage.card.volume == 60 }
        stage.output.setVolume(Volume(percent: 100), isMuted: true)
        try wait(for: "silence") { stage.card.volume == 0 }
        try stage.waitUntilHeard(40_000)
        #expect(stage.left.prefix(40_000).enumerated().allSatisfy { $0.offset % 32_768 == $0.element })
    }

    /// A control that the card has not.
    @Test func samplesAreScaledWithoutAMixer() throws {
        let stage = try Stage(try FakeSoundCard()) {
            $0.mixerControl = "Analogue"
            $0.isMuted = true
        }
        stage.write(60_000)
        stage.output.start()
        try stage.waitUntilHeard(20_000)
        #expect(stage.left.prefix(20_000).allSatisfy { $0 == 0 })
    }

    @Test func runsDryWithoutLosingFrames() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(20_000)
        stage.output.start()
        try wait(for: "the device to run dry") { !stage.card.events(named: "dry").isEmpty }
        try wait(for: "the clock to stand") { stage.output.clock.rate == 0 }
        stage.write(40_000)
        try stage.waitUntilHeard(60_000)
        #expect(stage.left.enumerated().allSatisfy { $0.offset % 32_768 == $0.element })
        #expect(stage.output.xruns == 0)
        #expect(stage.output.attributes == ["xruns": "0"])
        #expect(throws: AttributeProblem.self) { try stage.output.setAttribute("xruns", to: "0") }
    }

    @Test(.timed) func waitsForADeviceThatIsGone() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(400_000)
        stage.output.start()
        try stage.waitUntilHeard(30_000)
        let begin = ContinuousClock.now
        try stage.card.unplug()
        try wait(for: "the loss") { stage.has { if case .routeLost(let loss) = $0 { !loss.pauses } else { false } } }
        try expect(ContinuousClock.now - begin, atMost: .seconds(1), since: begin)
        let lost = stage.card.heard.count / 4
        stage.card.plugIn()
        try wait(for: "the return") { stage.has { $0 == .restored } }
        #expect(
            stage.has { if case .routeChanged(let change) = $0 { change.reason == .newDeviceAvailable } else { false } }
        )
        try stage.waitUntilHeard(lost + 20_000)
        let heard = stage.left
        // It goes on at the frame that was heard last, as far as that is known.
        let next = heard[lost]
        let skipped = Duration.seconds(Double(next - lost % 32_768) / 44_100)
        try expect(skipped, atMost: .milliseconds(100), since: begin)
        #expect(heard[lost..<lost + 10_000].enumerated().allSatisfy { ($0.offset + next) % 32_768 == $0.element })
    }

    @Test func pausesWhenItsDeviceIsGone() throws {
        let stage = try Stage(try FakeSoundCard()) { $0.whenLost = .pause }
        stage.write(400_000)
        stage.output.start()
        try stage.waitUntilHeard(30_000)
        try stage.card.unplug()
        try wait(for: "the loss") { stage.has { if case .routeLost(let loss) = $0 { loss.pauses } else { false } } }
    }

    @Test func saysThatADeviceIsInUse() throws {
        let stage = try Stage(try FakeSoundCard())
        var options = ALSAOutput.Options()
        options.device = stage.card.device
        let error = #expect(throws: ALSAError.self) { try ALSAOutput(options) }
        #expect("\(try #require(error))".hasPrefix("the device 'card:FOLDER="))
        #expect("\(try #require(error))".hasSuffix("is in use by another program"))
    }

    @Test func closesADeviceThatIsSilent() throws {
        let stage = try Stage(try FakeSoundCard())
        stage.write(100_000)
        stage.output.start()
        try stage.waitUntilHeard(20_000)
        stage.output.pause()
        try wait(for: "the device to be closed") { stage.card.events.last?.name == "close" }
        let closed = try #require(stage.card.events.last)
        let stopped = try #require(stage.card.events(named: "stop").last)
        #expect(closed.time - stopped.time > 4)
        stage.output.start()
        try stage.waitUntilHeard(40_000)
        #expect(stage.left.enumerated().allSatisfy { $0.offset % 32_768 == $0.element })
    }

    @Test func takesTheFormatOfMedia() throws {
        let stage = try Stage(try FakeSoundCard(rates: "44100 96000"))
        let high = AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo)
        let dvd = AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo)
        #expect(stage.output.formatPolicy == .media)
        #expect(stage.output.nearest(to: high) == high)
        #expect(stage.output.nearest(to: dvd).sampleRate == 96_000)
        stage.output.reformat(to: high)
        #expect(stage.output.format == high)
        let ring = FrameRing(format: high, capacity: 200_000)
        _ = unsafe ring.write { min(60_000, $0.count / 8) }
        stage.output.attach(ring) { _ in }
        stage.output.start()
        stage.output.framesAvailable()
        try wait(for: "96 kHz") { stage.card.events.contains { $0.more.hasPrefix("S32_LE 96000 2") } }
        try wait(for: "frames") { !stage.card.events(named: "start").isEmpty }
        // A device with one rate follows nothing, so songs of any format go on without a gap.
        let fixed = try Stage(try FakeSoundCard(rates: "48000", kind: "plugged"))
        #expect(fixed.output.formatPolicy == .sink)
        #expect(fixed.output.format == AudioFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .stereo))
    }

    @Test func playsToAFileThroughALSA() throws {
        let folder = try TemporaryFolder()
        var options = ALSAOutput.Options()
        options.device = try FakeSoundCard.file(folder.file("sound"))
        let output = try ALSAOutput(options)
        let ring = FrameRing(format: output.format, capacity: 100_000)
        let size = output.format.bytesPerFrame
        _ = unsafe ring.write { region in
            for index in 0..<20_000 * size {
                unsafe region[index] = UInt8(truncatingIfNeeded: index &* 31 ^ index >> 8)
            }
            return 20_000
        }
        output.attach(ring) { _ in }
        let begin = HostTime.now
        output.start()
        output.framesAvailable()
        let expected = (0..<20_000 * size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        try wait(for: "the file") { output.clock.frame(at: .now) >= 20_000 }
        // The file takes all at once, but is played to as fast as a card would be.
        #expect(HostTime.now - begin > 0.3)
        output.close()
        let written = try [UInt8](Data(contentsOf: URL(filePath: folder.file("sound"))))
        let isWhole = written.starts(with: expected)
        #expect(isWhole)
    }
}
