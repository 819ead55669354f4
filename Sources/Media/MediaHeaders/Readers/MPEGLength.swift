package import AudioTypes
private import CLinux
private import Glibc

/// How long the sound of a file really is.
package enum MeasuredLength: Sendable, Hashable {
    /// In seconds.
    case exact(Double)
    /// It is no MP3 file, or not the one any more that was asked about.
    case unknown
    /// Not measured to the end.
    case isInterrupted
}

/// Measures MP3 files that do not say how long they are: all frames are looked at, so all of the file is read.
package struct MPEGMeasurer: ~Copyable {
    private var reader = HeaderReader()
    private var walk = FrameWalk()

    package init() {}

    /// - Parameters:
    ///   - path: Of the file.
    ///   - size: In bytes; that of another file is not measured.
    ///   - modified: Nanoseconds since 1970; the same.
    ///   - goesOn: Asked all the time; false ends it.
    package mutating func measure(
        _ path: FilePath,
        size: Int,
        modified: Int64,
        goesOn: () -> Bool
    ) -> MeasuredLength {
        let descriptor = unsafe open(path.cString, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard descriptor >= 0 else { return .unknown }
        defer { close(descriptor) }
        func isTheSame() -> Bool {
            guard let status = FileStatus(of: descriptor) else { return false }
            return status.kind == .file && status.size == size && status.modified == modified
        }
        guard isTheSame(), let (payload, header) = reader.mpegPayload(descriptor, size: size) else { return .unknown }
        let length = walk.length(of: payload, header, in: descriptor, goesOn: goesOn)
        if case .exact = length, !isTheSame() { return .unknown }
        return length
    }
}

/// Makes the calling thread run, and use the disk, only while nobody else wants to; there is no way back.
package func runOnlyWhenIdle() {
    segue_run_when_idle()
    segue_yield_disk()
}

extension HeaderReader {
    /// Where the sound of a layer III file is, and how it begins.
    fileprivate mutating func mpegPayload(_ descriptor: Int32, size: Int) -> (Range<Int>, MPEGAudioHeader)? {
        window.begin(descriptor, size: size)
        var start = 0
        for _ in 0..<17 {
            guard let header = ID3v2Header(at: start, &window) else { break }
            start = header.end
        }
        guard let (first, header) = firstFrame(from: start, within: 65_536) else { return nil }
        let audioStart = MPEGInfoFrame(at: first, header, &window) == nil ? first : first + header.byteCount
        let end = TailTags(&window).audioEnd
        return audioStart < end ? (audioStart..<end, header) : nil
    }
}

/// Goes from frame to frame.
private struct FrameWalk: ~Copyable {
    private var buffer = [UInt8](repeating: 0, count: 262_144)
    /// The part of the file that is in the buffer.
    private var held = 0..<0

    /// A file that has more in one place is no music, in bytes.
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
            // Behind junk, what looks like a frame is one when another one follows.
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

    /// - Returns: Also true where that cannot be told, at the end of what is in the buffer.
    private func isFollowed(_ place: Int, _ end: Int, _ first: MPEGAudioHeader) -> Bool {
        if place + 4 > min(end, held.upperBound) { return true }
        return frame(at: place)?.belongsWith(first) ?? false
    }

    private func frame(at place: Int) -> MPEGAudioHeader? {
        var bits: UInt32 = 0
        for index in place - held.lowerBound..<place - held.lowerBound + 4 { bits = bits << 8 | UInt32(buffer[index]) }
        return MPEGAudioHeader(bits: bits)
    }

    /// - Returns: Whether four bytes are at hand at least.
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
