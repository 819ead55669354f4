import AudioTypes
import Mixers
import Mixing
import Outputs
import Synchronization
import Testing

/// What a player plays to, before an output without fades, and without a volume unless it says so.
struct ChannelTests {
    /// Frames count as heard when it takes them; before it discards any it takes 500 more, as its own thread might.
    private class EagerOutput: AudioOutput, @unchecked Sendable {
        struct State: Sendable {
            var ring: (any FrameReading)?
            var position = FramePosition.zero
            var taken: [Int16] = []
        }

        var format: AudioFormat { .cd }
        var preferredFormat: AudioFormat { format }
        let depth = 0.0
        let lead = 0.0
        let keepsTime = false
        var formatPolicy: FormatPolicy { .sink }
        let state = Mutex(State())

        func take(_ count: Int) {
            state.withLock { state in
                var samples = [Int16](repeating: -1, count: 2 * count)
                let read = unsafe samples.withUnsafeMutableBytes { bytes in
                    guard let base = bytes.baseAddress, let ring = state.ring else { return 0 }
                    return unsafe ring.read(at: state.position, into: base, count: count)
                }
                state.taken += (0..<read).map { samples[2 * $0] }
                state.position += read
            }
        }

        func attach(
            _ ring: any FrameReading,
            at position: FramePosition,
            events: @escaping @Sendable (OutputEvent) -> Void
        ) {
            state.withLock { $0.ring = ring }
        }

        func discard(to position: FramePosition) -> Double {
            take(500)
            return state.withLock { state in
                defer { state.position = position }
                return Double(state.position.index)
            }
        }

        func prefer(_ format: AudioFormat) {}
        func reformat(to format: AudioFormat) {}
        func start() {}
        func pause() {}
        func rewind(to position: FramePosition) { state.withLock { $0.position = min($0.position, position) } }
        func framesAvailable() {}
        var clock: OutputClock { state.withLock { OutputClock(frame: Double($0.position.index), time: .now, rate: 0) } }
        func close() {}
        var volumeControl: (any VolumeControl)? { nil }
    }

    private final class LoudOutput: EagerOutput, VolumeControl, @unchecked Sendable {
        let volumes = Mutex<[Volume]>([])
        override var volumeControl: (any VolumeControl)? { self }
        func setVolume(_ volume: Volume, isMuted: Bool) { volumes.withLock { $0.append(volume) } }
    }

    private let ring = FrameRing(format: .cd, capacity: 100_000)

    /// Writes frames that hold their numbers.
    private func write(_ count: Int) {
        var rest = count
        while rest > 0 {
            let first = ring.written.index
            rest -= unsafe ring.write { bytes in
                let count = min(rest, bytes.count / 4)
                for index in 0..<2 * count {
                    unsafe bytes.storeBytes(
                        of: Int16(first + index / 2),
                        toByteOffset: 2 * index,
                        as: Int16.self
                    )
                }
                return count
            }
        }
    }

    /// Discarding returns the frame heard last, exactly, also when the output takes frames right before.
    @Test func discardingTellsTheFrameHeardLast() {
        let output = EagerOutput()
        let channel = Mixer(output).makeChannel()
        channel.attach(ring) { _ in }
        write(10_000)
        channel.framesAvailable()
        channel.start()
        output.take(1_000)
        #expect(channel.discard(to: ring.written) == 1_500)
        #expect(channel.clock.frame == 10_000)
        write(10_000)
        channel.framesAvailable()
        output.take(2_000)
        #expect(channel.discard(to: FramePosition(20_000)) == 12_500)
        let expected = (0..<1_500).map { Int16($0) } + (10_000..<12_500).map { Int16($0) }
        #expect(output.state.withLock { $0.taken } == expected)
        channel.close()
    }

    private final class FollowingOutput: EagerOutput, @unchecked Sendable {
        private let policy: FormatPolicy
        init(_ policy: FormatPolicy) { self.policy = policy }
        override var formatPolicy: FormatPolicy { policy }
    }

    /// A change of the output's format would interrupt a voice, so only one that is ordered is made while it sounds.
    @Test(arguments: [(FormatPolicy.automatic, FormatPolicy.sink), (.media, .media), (.sink, .sink)])
    func theFormatStaysWhileAVoiceSounds(_ policy: FormatPolicy, _ expected: FormatPolicy) {
        let mixer = Mixer(FollowingOutput(policy))
        let channel = mixer.makeChannel()
        let voice = mixer.makeChannel(.voice)
        voice.attach(ring) { _ in }
        #expect(channel.formatPolicy == policy)
        write(10_000)
        voice.framesAvailable()
        voice.start()
        #expect(channel.formatPolicy == expected)
        #expect(voice.formatPolicy == .sink)
        channel.close()
    }

    /// Takes each format that is asked for, until it prefers another one.
    private final class FickleOutput: EagerOutput, @unchecked Sendable {
        private let formats = Mutex((own: AudioFormat.cd, preferred: AudioFormat.cd))
        private let events = Mutex<(@Sendable (OutputEvent) -> Void)?>(nil)

        override var format: AudioFormat { formats.withLock(\.own) }
        override var formatPolicy: FormatPolicy { .media }
        override var preferredFormat: AudioFormat { formats.withLock(\.preferred) }
        override func prefer(_ format: AudioFormat) { formats.withLock { $0.preferred = format } }
        override func reformat(to format: AudioFormat) { formats.withLock { $0.own = format } }

        override func attach(
            _ ring: any FrameReading,
            at position: FramePosition,
            events: @escaping @Sendable (OutputEvent) -> Void
        ) {
            super.attach(ring, at: position, events: events)
            self.events.withLock { $0 = events }
        }

        func changePreference(to format: AudioFormat) {
            formats.withLock { $0.preferred = format }
            events.withLock(\.self)?(.formatChanged)
        }
    }

    /// The output may be back at its old format before the player looks: a sink refuses a format at once.
    @Test func aRingIsNeededAlsoWhenTheFormatIsTheOldOneAgain() async throws {
        let output = FickleOutput()
        let channel = Mixer(output).makeChannel()
        let (news, source) = AsyncStream<OutputEvent>.makeStream()
        channel.attach(ring) { source.yield($0) }
        #expect(!channel.needsRing)
        channel.prefer(AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo))
        #expect(channel.needsRing)
        output.changePreference(to: .cd)
        for await event in news where event == .formatChanged { break }
        #expect(channel.format == ring.format)
        #expect(channel.needsRing)
        #expect(channel.replace(ring))
        #expect(!channel.needsRing)
        channel.close()
    }

    /// The programme's volume is the output's; a voice has its own.
    @Test func theOutputHasTheVolumeOfTheProgramme() {
        let output = LoudOutput()
        let mixer = Mixer(output)
        let channel = mixer.makeChannel()
        mixer.makeChannel(.voice).setVolume(Volume(percent: 10), isMuted: false)
        channel.setVolume(Volume(percent: 60), isMuted: false)
        #expect(output.volumes.withLock { $0 } == [Volume(percent: 60)])
        channel.close()
    }
}
