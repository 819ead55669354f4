import AudioTypes
import Mixing
import Testing

struct GainEnvelopeTests {
    @Test func movesEvenlyInDecibels() {
        var envelope = GainEnvelope()
        envelope.move(to: Gain(decibels: -14), at: 1_000, over: 700)
        #expect(envelope.gain(at: 999) == .unity && envelope.gain(at: 1_000) == .unity)
        for step in 1..<14 {
            #expect(abs(envelope.gain(at: 1_000 + 50 * step).decibels + Double(step)) < 1e-4)
        }
        #expect(abs(envelope.gain(at: 1_700).decibels + 14) < 1e-4)
        #expect(envelope.gain(at: 5_000) == envelope.target)
        // Turned back on its way.
        envelope.move(to: .unity, at: 1_350, over: 70)
        #expect(abs(envelope.gain(at: 1_350).decibels + 7) < 1e-4)
        #expect(abs(envelope.gain(at: 1_385).decibels + 3.5) < 1e-4)
        #expect(envelope.gain(at: 1_420) == .unity && envelope.target == .unity)
        // What was before is still known.
        #expect(abs(envelope.gain(at: 1_100).decibels + 2) < 1e-4)
    }

    @Test func silenceIsSilent() {
        var envelope = GainEnvelope()
        envelope.move(to: .silence, at: 0, over: 100)
        #expect(envelope.gain(at: 99).linear > 0 && envelope.gain(at: 99).linear < 1e-4)
        #expect(envelope.gain(at: 100) == .silence)
        envelope.move(to: .unity, at: 200, over: 0)
        #expect(envelope.gain(at: 199) == .silence && envelope.gain(at: 200) == .unity)
    }

    /// Whole blocks have the gains of their frames, wherever they begin, and what was forgotten does not matter.
    @Test(arguments: UInt64(0)..<20)
    func blocksAreWhatTheirFramesAre(_ seed: UInt64) {
        var generator = Numbers(state: seed)
        var envelope = GainEnvelope()
        var position = 0
        for _ in 0..<200 {
            let gain: [Gain] = [.unity, .silence, Gain(decibels: -14), Gain(linear: 0.5)]
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                let length = [0, 1, 50, 300].randomElement(using: &generator) ?? 0
                let place = position + Int.random(in: 0..<200, using: &generator)
                envelope.move(to: gain.randomElement(using: &generator) ?? .unity, at: place, over: length)
            case 1:
                let before = (position..<position + 500).map { envelope.gain(at: $0) }
                envelope.forget(before: position)
                #expect((position..<position + 500).map { envelope.gain(at: $0) } == before)
            case 2: position += Int.random(in: 0..<300, using: &generator)
            default:
                let count = Int.random(in: 1..<400, using: &generator)
                let gains = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
                defer { unsafe gains.deallocate() }
                unsafe gains.initialize(repeating: 1)
                unsafe envelope.multiply(gains, from: position)
                let expected = (position..<position + count).map { envelope.gain(at: $0).linear }
                #expect(unsafe zip(gains, expected).allSatisfy { abs($0 - $1) < 5e-5 })
                #expect(envelope.isUnity(in: position..<position + count) == expected.allSatisfy { $0 == 1 })
            }
        }
    }

    /// A small generator whose numbers are the same everywhere (xorshift).
    private struct Numbers: RandomNumberGenerator {
        var state: UInt64
        init(state: UInt64) { self.state = state &* 2_862_933_555_777_941_757 &+ 3_037_000_493 }
        mutating func next() -> UInt64 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return state
        }
    }
}

struct SampleMathTests {
    @Test(arguments: [SampleFormat.s16, .s32, .f32])
    func scalesAndAddsWithoutRunningOver(_ sampleFormat: SampleFormat) {
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: 44_100, channels: .stereo)
        let gains: [Float] = [1, 0.5, 0, 1]
        let (first, second): ([Float], [Float]) = (
            [0.5, -0.5, 0.25, 1, 1, -1, 0.75, -0.75], [0.25, 0, 0.5, 0, 0, 0, 0.5, -0.5]
        )
        let expected: [Float] = [0.75, -0.5, 0.625, 0.5, 0, 0, 1, -1]
        let bytes = 4 * format.bytesPerFrame
        let (one, two) = (
            UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 16),
            UnsafeMutableRawBufferPointer.allocate(byteCount: bytes, alignment: 16)
        )
        defer {
            unsafe one.deallocate()
            unsafe two.deallocate()
        }
        unsafe store(first, one, sampleFormat)
        unsafe store(second, two, sampleFormat)
        guard let target = one.baseAddress, let source = two.baseAddress else { return }
        unsafe gains.withUnsafeBufferPointer { unsafe SampleMath.scale(target, by: $0, format: format) }
        unsafe SampleMath.add(source, to: target, count: 4, format: format)
        let sums = unsafe load(one, sampleFormat)
        #expect(zip(sums, expected).allSatisfy { abs($0 - $1) < 1e-4 }, "\(sums)")
    }

    private func store(_ samples: [Float], _ bytes: UnsafeMutableRawBufferPointer, _ format: SampleFormat) {
        for (index, sample) in samples.enumerated() {
            switch format {
            case .s16: unsafe bytes.storeBytes(of: Int16(sample * 32_767), toByteOffset: 2 * index, as: Int16.self)
            case .s32:
                let value = Int32(Double(sample) * 2_147_483_647)
                unsafe bytes.storeBytes(of: value, toByteOffset: 4 * index, as: Int32.self)
            case .f32: unsafe bytes.storeBytes(of: sample, toByteOffset: 4 * index, as: Float.self)
            }
        }
    }

    private func load(_ bytes: UnsafeMutableRawBufferPointer, _ format: SampleFormat) -> [Float] {
        (0..<8).map { index in
            switch format {
            case .s16: unsafe Float(bytes.load(fromByteOffset: 2 * index, as: Int16.self)) / 32_767
            case .s32: unsafe Float(bytes.load(fromByteOffset: 4 * index, as: Int32.self)) / 2_147_483_648
            case .f32: unsafe bytes.load(fromByteOffset: 4 * index, as: Float.self)
            }
        }
    }
}
