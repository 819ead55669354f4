import AudioTypes
import Encoding
import Glibc
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// A file that was written holds exactly what was written.
struct EncodingSinkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    static let lossless = ["wav", "flac", "aiff", "wv", "caf", "au", "tta", "oga"]
    static let lossy = ["opus", "ogg", "mp3", "m4a"]

    /// Writes samples in pieces of uneven sizes.
    private func write(_ sound: MediaSound, to name: String) throws -> String {
        let path = folder.file(name)
        let sink = try EncodingSink(path: path, format: sound.format)
        var generator = SplitMix(state: 5)
        let size = sound.format.bytesPerFrame
        unsafe try sound.bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let count = min(Int.random(in: 1...9_000, using: &generator) * size, bytes.count - offset)
                unsafe try sink.write(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                offset += count
            }
        }
        try sink.finish()
        return path
    }

    /// Noise that uses every bit of its format.
    private func noise(_ format: AudioFormat, frames: Int) -> MediaSound {
        var sound = MediaSound(format: format)
        var generator = SplitMix(state: 3)
        for _ in 0..<frames * format.channels.count {
            switch format.sampleFormat {
            case .s16: sound.append(Int16.random(in: .min ... .max, using: &generator))
            case .s32: sound.append(Int32.random(in: -8_388_608...8_388_607, using: &generator) << 8)
            case .f32: sound.append(Float.random(in: -1...1, using: &generator).bitPattern)
            }
        }
        return sound
    }

    @Test(arguments: lossless, [SampleFormat.s16, .s32])
    func losslessFilesAreExact(_ ending: String, _ sampleFormat: SampleFormat) throws {
        let format = AudioFormat(sampleFormat: sampleFormat, sampleRate: 44_100, channels: .stereo)
        for length in [1, 4_096, 10_001] {
            let sound = noise(format, frames: length)
            let path = try write(sound, to: "exact\(length).\(ending)")
            #expect(try MediaSound.of(path, as: format).bytes == sound.bytes, "\(length) frames")
        }
    }

    @Test(arguments: ["wav", "wv", "caf", "au", "aiff"])
    func floatsAreExact(_ ending: String) throws {
        let format = AudioFormat(sampleFormat: .f32, sampleRate: 48_000, channels: .stereo)
        let sound = noise(format, frames: 10_001)
        #expect(try MediaSound.of(write(sound, to: "float.\(ending)"), as: format).bytes == sound.bytes)
    }

    @Test(arguments: lossy, [44_100, 48_000])
    func lossyFilesAreExactlyAsLong(_ ending: String, _ rate: Int) throws {
        let wanted = AudioFormat(sampleFormat: .s16, sampleRate: rate, channels: .stereo)
        let format = try EncodingSink.format(for: "x.\(ending)", wanted: wanted)
        #expect(format.sampleFormat == .f32)
        let rate = format.sampleRate
        for length in [rate / 2 + 3, rate, 1_152 * 20] {
            let signal = Signal.softNoise(frames: length, sampleRate: rate)
            var sound = MediaSound(format: format)
            for sample in signal { for _ in 0..<2 { sound.append(sample.bitPattern) } }
            let back = try MediaSound.of(write(sound, to: "lossy\(length).\(ending)"), as: format)
            #expect(back.frameCount == length)
            let heard = back.channel(1)
            for place in [0, length / 2, length - 4_096] {
                let low = max(0, place - 2_000)
                let around = heard[low..<min(place + 6_096, heard.count)]
                let found = try #require(Analysis.find(signal[place..<place + 4_096], in: around))
                #expect(low + found.offset == place)
                #expect(found.likeness > 0.98)
            }
        }
    }

    @Test(arguments: ["opus", "mp3"])
    func otherRatesAreResampled(_ ending: String) throws {
        let format = AudioFormat(sampleFormat: .s16, sampleRate: 96_000, channels: .stereo)
        let length = 96_001
        var sound = MediaSound(format: format)
        for sample in Signal.integers(Signal.tone(440, seconds: 1.1, sampleRate: 96_000).prefix(length).map(\.self)) {
            sound.append(sample)
            sound.append(sample)
        }
        let back = try MediaSound.of(write(sound, to: "rate.\(ending)"))
        #expect(back.format.sampleRate == 48_000)
        #expect(back.frameCount == 48_001 || back.frameCount == 48_000)
        let pitch = Analysis.frequency(back.channel(0)[4_000..<44_000], sampleRate: 48_000)
        #expect(abs(pitch - 440) < 0.5)
    }

    @Test func surroundKeepsItsChannels() throws {
        let format = AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .surround51)
        let sound = noise(format, frames: 5_000)
        for ending in ["wav", "flac"] {
            #expect(try MediaSound.of(write(sound, to: "surround.\(ending)"), as: format).bytes == sound.bytes)
        }
    }

    @Test func nothingIsAFileToo() throws {
        let path = try write(MediaSound(format: .cd), to: "nothing.wav")
        #expect(try FileBytes.read(path).count > 40)
    }

    @Test func largeFilesHaveRoomForLargeSizes() throws {
        let bytes = try FileBytes.read(write(noise(.cd, frames: 10), to: "small.wav"))
        // The place that becomes `ds64` when 32 bits do not do (EBU Tech 3306).
        #expect(Array(bytes[12..<16]) == Array("JUNK".utf8))
    }

    @Test(.enabled("4.5 GB are written only when soaking") { unsafe getenv("SEGUE_SOAK") != nil })
    func filesOverFourGigabytesAreWhole() throws {
        let format = AudioFormat(sampleFormat: .s32, sampleRate: 192_000, channels: .surround71)
        let path = folder.file("huge.wav")
        let sink = try EncodingSink(path: path, format: format)
        let block = noise(format, frames: 200_000)
        let count = 700
        for _ in 0..<count { unsafe try block.bytes.withUnsafeBytes { unsafe try sink.write($0) } }
        try sink.finish()
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        #expect(reader.duration?.sample(at: 192_000) == count * 200_000)
        _ = try reader.seek(to: MediaTime(sample: (count - 1) * 200_000, at: 192_000))
        var converter = AudioConverter(output: format)
        var last = MediaSound(format: format)
        try last.append(&reader, &converter)
        #expect(last.bytes == block.bytes)
    }

    @Test func formatSuitsTheFile() throws {
        func format(
            _ ending: String,
            _ sample: SampleFormat,
            _ rate: Int,
            _ channels: ChannelLayout = .stereo
        ) throws -> String {
            let wanted = AudioFormat(sampleFormat: sample, sampleRate: rate, channels: channels)
            return try EncodingSink.format(for: "/tmp/x.\(ending)", wanted: wanted).description
        }
        #expect(try EncodingSink.format(for: "x.wav") == .cd)
        #expect(try EncodingSink.format(for: "X.FLAC") == .cd)
        #expect(try format("wav", .f32, 96_000) == "f32 96000 Hz stereo")
        #expect(try format("flac", .f32, 96_000) == "s32 96000 Hz stereo")
        #expect(try format("flac", .s32, 44_100) == "s32 44100 Hz stereo")
        #expect(try format("opus", .s16, 44_100) == "f32 48000 Hz stereo")
        #expect(try format("opus", .s16, 44_100, .mono) == "f32 48000 Hz mono")
        #expect(try format("mp3", .s16, 96_000) == "f32 48000 Hz stereo")
        #expect(try format("mp3", .s16, 22_050, .surround51) == "f32 22050 Hz stereo")
        #expect(try format("m4a", .s32, 44_100) == "f32 44100 Hz stereo")
    }

    @Test(arguments: ["sound", "sound.txt", "sound.m3u8", "sound.jpg", ".wav/"])
    func unknownExtensionsAreRefused(_ name: String) throws {
        let path = folder.file(name)
        let error = #expect(throws: EncodingError.self) { try EncodingSink(path: path, format: .cd) }
        let text = try #require(error).description
        #expect(text.hasPrefix("\(path): "))
        #expect(text.contains(".flac, ") && text.contains(".wav") && !text.contains("\n"))
        let exists = unsafe access(path, F_OK) == 0
        #expect(!exists)
    }

    @Test func aFullDiskIsNamed() throws {
        for ending in ["wav", "flac", "opus"] {
            let path = folder.file("full.\(ending)")
            unsafe try #require(symlink("/dev/full", path) == 0)
            let sound = noise(.cd, frames: 200_000)
            let error = #expect(throws: EncodingError.self) { try write(sound, to: "full.\(ending)") }
            #expect(error?.description == "\(path): No space left on device")
        }
    }

    @Test func aMissingDirectoryIsNamed() throws {
        let path = folder.file("missing/x.wav")
        let error = #expect(throws: EncodingError.self) { try EncodingSink(path: path, format: .cd) }
        #expect(error?.description == "\(path): No such file or directory")
    }

    @Test func aNameIsNotAProtocol() throws {
        // A colon in the name must not make it a URL.
        let path = try write(noise(.cd, frames: 100), to: "pipe:1.wav")
        #expect(try MediaSound.of(path).frameCount == 100)
    }
}

extension MediaSound {
    fileprivate mutating func append(_ value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
