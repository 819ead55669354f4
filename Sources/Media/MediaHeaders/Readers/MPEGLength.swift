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
    private var scanner = FrameScanner()

    package init() {}

    /// Measures an open file, which stays open.
    ///
    /// - Parameters:
    ///   - size: In bytes.
    ///   - goesOn: Called before each piece is read; false stops.
    package mutating func measure(_ descriptor: Int32, size: Int, goesOn: () -> Bool) -> MeasuredLength {
        guard let (sound, header) = reader.mpegSound(descriptor, size: size) else { return .unknown }
        return scanner.length(of: sound, header, in: descriptor, goesOn: goesOn)
    }
}

extension HeaderReader {
    /// The sound of a layer III file, and its first header.
    fileprivate mutating func mpegSound(_ descriptor: Int32, size: Int) -> (MPEGSound, MPEGAudioHeader)? {
        window.begin(descriptor, size: size)
        let start = window.endOfID3v2(at: 0)
        guard let (first, header) = window.firstFrame(from: start, within: 65_536) else { return nil }
        let info = MPEGInfoFrame(at: first, header, &window)
        let sound = MPEGSound(at: first, header, info, &window, tags: TailTags(&window))
        return sound.start < sound.end ? (sound, header) : nil
    }
}

/// Walks from frame to frame.
private struct FrameScanner: ~Copyable {
    private var buffer = [UInt8](repeating: 0, count: 262_144)
    /// The part of the file in the buffer.
    private var held = 0..<0

    /// Frames that must follow where another stream begins: two may be found in any bytes.
    private static let framesOfAnotherModel = 4
    /// A file with more junk in one place is not music, in bytes.
    private static let mostJunk = 16 * 1_048_576

    mutating func length(
        of sound: MPEGSound,
        _ first: MPEGAudioHeader,
        in descriptor: Int32,
        goesOn: () -> Bool
    ) -> MeasuredLength {
        held = 0..<0
        var model = first
        var place = sound.start
        // Of the frames that are like the model.
        var samples = -sound.startPadding
        var seconds = 0.0
        // Bytes since the last frame.
        var junk = 0
        while place + 4 <= sound.end {
            if place + 4 > held.upperBound || place < held.lowerBound {
                guard goesOn() else { return .isInterrupted }
                guard fill(from: place, to: sound.end, descriptor) else { return .unknown }
            }
            guard let frame = frame(at: place), frame.layer == 3, place + frame.byteCount <= sound.end,
                frame.belongsWith(model)
                    ? junk == 0 || isFollowed(frame, at: place, sound.end, times: 1)
                    : isFollowed(frame, at: place, sound.end, times: Self.framesOfAnotherModel)
            else {
                (place, junk) = (place + 1, junk + 1)
                if junk > Self.mostJunk { return .unknown }
                continue
            }
            junk = 0
            if !frame.belongsWith(model) {
                seconds += Double(samples) / Double(model.sampleRate)
                (model, samples) = (frame, 0)
            }
            if !isInfo(at: place, frame) { samples += frame.sampleCount }
            place += frame.byteCount
        }
        seconds += Double(samples) / Double(model.sampleRate)
        // A player drops the padding at the start; where the sound ends within the last frame is not known.
        return seconds > 0 ? .exact(seconds) : .unknown
    }

    /// Whether a frame has no sound, as the first one of a file that was joined to another one.
    private func isInfo(at place: Int, _ frame: MPEGAudioHeader) -> Bool {
        let start = place - held.lowerBound
        let end = min(start + frame.tagOffset + 4, held.count)
        return unsafe buffer.withUnsafeBytes { bytes in
            unsafe MPEGInfoFrame.isOne(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        }
    }

    /// Whether more frames of the same stream follow one, as after junk, and where another stream begins.
    ///
    /// - Returns: Also true if unknown, at the end of the buffer.
    private func isFollowed(_ first: MPEGAudioHeader, at place: Int, _ end: Int, times: Int) -> Bool {
        var place = place + first.byteCount
        for _ in 0..<times {
            if place + 4 > min(end, held.upperBound) { return true }
            guard let frame = frame(at: place), frame.belongsWith(first) else { return false }
            place += frame.byteCount
        }
        return true
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
