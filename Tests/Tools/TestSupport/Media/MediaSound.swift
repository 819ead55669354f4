package import AudioTypes
private import HTTP
package import MediaCoding
private import Threads

/// What Segue's own reader makes of a medium.
package struct MediaSound: Sendable {
    package var format: AudioFormat
    package var bytes: [UInt8] = []

    package init(format: AudioFormat) { self.format = format }

    package var frameCount: Int { bytes.count / format.bytesPerFrame }

    /// All samples, interleaved, full scale ±1.
    package var samples: [Float] {
        unsafe bytes.withUnsafeBytes { buffer in
            switch format.sampleFormat {
            case .s16: unsafe buffer.bindMemory(to: Int16.self).map { Float($0) / 32_768 }
            case .s32: unsafe buffer.bindMemory(to: Int32.self).map { Float(Double($0) / 2_147_483_648) }
            case .f32: unsafe Array(buffer.bindMemory(to: Float.self))
            }
        }
    }

    /// One channel's samples, full scale ±1.
    package func channel(_ channel: Int) -> [Float] {
        let samples = samples
        return stride(from: channel, to: samples.count, by: format.channels.count).map { samples[$0] }
    }

    /// One channel's 16-bit samples.
    package func integers(_ channel: Int) -> [Int16] {
        precondition(format.sampleFormat == .s16, "the samples have 16 bits")
        return unsafe bytes.withUnsafeBytes { buffer in
            let samples = unsafe buffer.bindMemory(to: Int16.self)
            return stride(from: channel, to: samples.count, by: format.channels.count).map { unsafe samples[$0] }
        }
    }

    /// One channel's 32-bit samples.
    package func longIntegers(_ channel: Int) -> [Int32] {
        precondition(format.sampleFormat == .s32, "the samples have 32 bits")
        return unsafe bytes.withUnsafeBytes { buffer in
            let samples = unsafe buffer.bindMemory(to: Int32.self)
            return stride(from: channel, to: samples.count, by: format.channels.count).map { unsafe samples[$0] }
        }
    }

    /// A reader that gives neither frames nor an end.
    package struct StandsStill: Error {}

    /// Everything of a medium.
    ///
    /// - Parameter format: What it is converted to; `nil` is 16-bit stereo at the medium's own rate.
    package static func of(
        _ entry: MediaEntry,
        as format: AudioFormat? = nil,
        track: TrackSelection = .automatic,
        _ settings: AudioConverter.Settings = .init()
    ) throws -> MediaSound {
        var reader = try MediaReader.open(entry, track: track, interrupt: Interrupt())
        let usual = AudioFormat(sampleFormat: .s16, sampleRate: reader.sampleRate, channels: .stereo)
        var converter = AudioConverter(output: format ?? usual)
        var sound = MediaSound(format: format ?? usual)
        try sound.append(&reader, &converter, settings)
        try sound.append(&converter)
        return sound
    }

    package static func of(_ path: String, as format: AudioFormat? = nil) throws -> MediaSound {
        try of(MediaEntry(location: path), as: format)
    }

    /// Reads on, to the end or for so many frames.
    ///
    /// - Parameter block: How many bytes are asked for at once.
    package mutating func append(
        _ reader: inout MediaReader,
        _ converter: inout AudioConverter,
        _ settings: AudioConverter.Settings = .init(),
        upTo limit: Int = .max,
        block: Int = 65_536
    ) throws {
        let size = format.bytesPerFrame
        let region = UnsafeMutableRawBufferPointer.allocate(byteCount: block / size * size, alignment: 16)
        defer { unsafe region.deallocate() }
        let start = frameCount
        var idle = 0
        while frameCount - start < limit {
            switch unsafe try reader.read(into: region, through: &converter, settings) {
            case .frames(let count):
                unsafe bytes.append(contentsOf: region[..<(count * size)])
                idle = count == 0 ? idle + 1 : 0
                if idle > 1_000 { throw StandsStill() }
            case .needsFinish: try append(&converter)
            case .starved: try reader.waitForMore()
            case .metadata: break
            case .ended: return
            }
        }
        bytes.removeLast((frameCount - start - limit) * size)
    }

    /// Takes out what a converter holds back.
    package mutating func append(_ converter: inout AudioConverter) throws {
        let region = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536 / 16 * 16, alignment: 16)
        defer { unsafe region.deallocate() }
        while true {
            let count = unsafe try converter.finish(into: region)
            guard count > 0 else { return }
            unsafe bytes.append(contentsOf: region[..<(count * format.bytesPerFrame)])
        }
    }
}
