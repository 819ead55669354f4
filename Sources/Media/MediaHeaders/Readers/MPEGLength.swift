internal import AudioTypes
private import Glibc

/// The measured length of a file's audio.
package enum MeasuredLength: Sendable, Hashable {
    /// In seconds.
    case exact(Double)
    /// Not an MP3 file, or changed in the meantime.
    case unknown
    /// Not measured to the end.
    case isInterrupted
}

/// Measures MP3 files without a declared length by reading all frames, and so all of the file.
package struct MPEGMeasurer: ~Copyable {
    private var reader = HeaderReader()
    private var walk = FrameWalk()

    package init() {}

    /// Measures an open file, which stays open.
    ///
    /// - Parameters:
    ///   - size: In bytes.
    ///   - goesOn: Called before each piece is read; false stops.
    package mutating func measure(_ descriptor: Int32, size: Int, goesOn: () -> Bool) -> MeasuredLength {
        guard let (payload, header) = reader.mpegPayload(descriptor, size: size) else { return .unknown }
        return walk.length(of: payload, header, in: descriptor, goesOn: goesOn)
    }
}

extension HeaderReader {
    /// The range of a layer III file's audio, and its first header.
    fileprivate mutating func mpegPayload(_ descriptor: Int32, size: Int) -> (Range<Int>, MPEGAudioHeader)? {
        window.begin(descriptor, size: size)
        let start = window.endOfID3v2(at: 0)
        guard let (first, header) = firstFrame(from: start, within: 65_536) else { return nil }
        let audioStart = MPEGInfoFrame(at: first, header, &window) == nil ? first : first + header.byteCount
        let end = TailTags(&window).audioEnd
        return audioStart < end ? (audioStart..<end, header) : nil
    }
}

/// Walks from frame to frame.
private struct FrameWalk: ~Copyable {
    private var buffer = [UInt8](repeating: 0, count: 262_144)
    /// The part of the file in the buffer.
    private var held = 0..<0

    /// A file with more junk in one place is not music, in bytes.
    private static let mostJunk = 16 * 1_048_576

    mutating func length(
        of payload: Range<Int>,
        _ first: MPEGAudioHeader,
        in descriptor: Int32,
        goesOn: () -> Bool
    ) -> MeasuredLength {
        held = 0..<0
        var place = payload.lowerBound
        var samples = 0
        // Bytes since the last frame.
        var junk = 0
        while place + 4 <= payload.upperBound {
            if place + 4 > held.upperBound || place < held.lowerBound {
                guard goesOn() else { return .isInterrupted }
                guard fill(from: place, to: payload.upperBound, descriptor) else { return .unknown }
            }
            // After junk, a presumed frame counts only when another one follows.
            guard let frame = frame(at: place), frame.belongsWith(first),
                place + frame.byteCount <= payload.upperBound,
                junk == 0 || isFollowed(place + frame.byteCount, payload.upperBound, first)
            else {
                (place, junk) = (place + 1, junk + 1)
                if junk > Self.mostJunk { return .unknown }
                continue
            }
            junk = 0
            samples += frame.sampleCount
            place += frame.byteCount
        }
        return samples > 0 ? .exact(Double(samples) / Double(first.sampleRate)) : .unknown
    }

    /// - Returns: Also true if unknown, at the end of the buffer.
    private func isFollowed(_ place: Int, _ end: Int, _ first: MPEGAudioHeader) -> Bool {
        if place + 4 > min(end, held.upperBound) { return true }
        return frame(at: place)?.belongsWith(first) ?? false
    }

    private func frame(at place: Int) -> MPEGAudioHeader? {
        var bits: UInt32 = 0
        for index in place - held.lowerBound..<place - held.lowerBound + 4 { bits = bits << 8 | UInt32(buffer[index]) }
        return MPEGAudioHeader(bits: bits)
    }

    /// - Returns: Whether at least four bytes are available.
    private mutating func fill(from place: Int, to end: Int, _ descriptor: Int32) -> Bool {
        let wanted = min(buffer.count, end - place)
        var done = 0
        unsafe buffer.withUnsafeMutableBytes { bytes in
            while done < wanted, let base = bytes.baseAddress {
                let got = unsafe pread(descriptor, base + done, wanted - done, off_t(place + done))
                if got < 0, errno == EINTR { continue }
                if got <= 0 { return }
                done += got
            }
        }
        held = place..<place + done
        return done >= 4
    }
}
