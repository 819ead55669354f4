internal import AudioTypes
internal import Mixing

/// Buffers for mixing, allocated once.
///
/// Sound as `@unchecked Sendable`: only the mix that owns it uses it, under the mixer's lock.
@safe
final class MixWorkspace: @unchecked Sendable {
    /// Frames mixed at once.
    static let length = 1_024
    let bytes: UnsafeMutableRawBufferPointer
    /// The gains of one track, of the tracks that are ducked for voices, and of all voices.
    let gains = UnsafeMutableBufferPointer<Float>.allocate(capacity: length)
    let programme = UnsafeMutableBufferPointer<Float>.allocate(capacity: length)
    let voices = UnsafeMutableBufferPointer<Float>.allocate(capacity: length)

    init(format: AudioFormat) {
        unsafe bytes = .allocate(byteCount: Self.length * format.bytesPerFrame, alignment: 64)
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe gains.deallocate()
        unsafe programme.deallocate()
        unsafe voices.deallocate()
    }
}

extension Mix {
    /// The end of the frames that can be read.
    var written: Int {
        // If nothing can be mixed in later, no track may run ahead of the others.
        if takesForGood, let end = firstEnd { return max(end, tail) }
        return tracks.reduce(tail) { last, track in max(last, track.end ?? last) }
    }

    /// The end of the track that sounds and has the fewest frames.
    private var firstEnd: Int? {
        tracks.reduce(nil) { first, track in
            guard track.sounds, let end = track.end else { return first }
            return min(first ?? end, end)
        }
    }

    /// The first frame that can still be read.
    var kept: Int {
        tracks.lazy.filter { $0.role == .programme && $0.map.isOpen }.map(\.kept).max() ?? 0
    }

    /// Reads mixed frames: a single track is copied, several are summed.
    mutating func read(at frame: Int, into target: UnsafeMutableRawPointer, count: Int) -> Int {
        let total = max(0, min(count, written - frame))
        taken = max(taken, frame + total)
        var done = 0
        while done < total {
            let place = unsafe target + done * format.bytesPerFrame
            done += unsafe readStretch(at: frame + done, into: place, count: total - done)
        }
        return total
    }

    /// Reads a stretch throughout which the same tracks sound.
    ///
    /// - Returns: The number of frames.
    private mutating func readStretch(at frame: Int, into target: UnsafeMutableRawPointer, count: Int) -> Int {
        var count = count
        var sounding = 0
        var only = 0
        for index in tracks.indices {
            if let boundary = tracks[index].map.boundary(after: frame) { count = min(count, boundary - frame) }
            guard let there = available(index, at: frame) else { continue }
            count = min(count, there)
            sounding += 1
            only = index
        }
        if sounding == 0 {
            unsafe target.initializeMemory(as: UInt8.self, repeating: 0, count: count * format.bytesPerFrame)
            return count
        }
        if sounding == 1, tracks[only].isUnity(in: frame..<frame + count) {
            unsafe copy(only, at: frame, into: target, count: count)
            return count
        }
        count = min(count, MixWorkspace.length)
        unsafe mix(at: frame, into: target, count: count)
        return count
    }

    /// How many frames of a track can be mixed from `frame` on; `nil` when it is silent there.
    private mutating func available(_ index: Int, at frame: Int) -> Int? {
        guard let source = tracks[index].map.source(at: frame) else { return nil }
        if let missing = tracks[index].missing {
            guard missing > frame else { return nil }
            return missing - frame
        }
        let count = tracks[index].written - source
        guard count <= 0 else { return count }
        // The others continue without it; it continues once its frames arrive.
        if tracks[index].map.isOpen { tracks[index].missing = frame }
        return nil
    }

    /// Copies a track's frames; frames discarded in the meantime become silence.
    private func copy(_ index: Int, at frame: Int, into target: UnsafeMutableRawPointer, count: Int) {
        let size = format.bytesPerFrame
        guard let ring = tracks[index].ring, let source = tracks[index].map.source(at: frame) else { return }
        var read = unsafe ring.read(at: FramePosition(source), into: target, count: count)
        if ring.kept.index > source { read = 0 }
        guard read < count else { return }
        unsafe (target + read * size).initializeMemory(as: UInt8.self, repeating: 0, count: (count - read) * size)
    }

    // MARK: Several tracks

    private func mix(at frame: Int, into target: UnsafeMutableRawPointer, count: Int) {
        guard let scratch = unsafe workspace.bytes.baseAddress else { return }
        let gains = unsafe UnsafeMutableBufferPointer(rebasing: workspace.gains[..<count])
        limitVoices(at: frame, count)
        var isFirst = true
        for index in tracks.indices where sounds(index, at: frame) {
            let place = unsafe isFirst ? target : scratch
            unsafe copy(index, at: frame, into: place, count: count)
            if !(tracks[index].role == .programme && tracks[index].isUnity(in: frame..<frame + count)) {
                unsafe gains.update(repeating: 1)
                unsafe multiply(gains, index, at: frame)
                unsafe SampleMath.scale(place, by: UnsafeBufferPointer(gains), format: format)
            }
            if !isFirst { unsafe SampleMath.add(scratch, to: target, count: count, format: format) }
            isFirst = false
        }
    }

    private func sounds(_ index: Int, at frame: Int) -> Bool {
        guard let source = tracks[index].map.source(at: frame) else { return false }
        return tracks[index].missing.map { $0 > frame } ?? (tracks[index].written > source)
    }

    /// Multiplies by a track's gains; those of voices are limited.
    private func multiply(_ gains: UnsafeMutableBufferPointer<Float>, _ index: Int, at frame: Int) {
        unsafe tracks[index].duck.multiply(gains, from: frame)
        unsafe tracks[index].fade.multiply(gains, from: frame)
        unsafe tracks[index].level.multiply(gains, from: frame)
        guard tracks[index].role == .voice else { return }
        for frame in gains.indices { unsafe gains[frame] *= workspace.voices[frame] }
    }

    /// Finds by how much to lower voices so that the sum with the ducked tracks stays below full scale.
    ///
    /// A programme that is not ducked leaves no headroom: voices then get half of full scale, and the sum is limited.
    private func limitVoices(at frame: Int, _ count: Int) {
        let range = 0..<count
        guard tracks.contains(where: { $0.role == .voice }) else { return }
        for index in range {
            unsafe workspace.programme[index] = 0
            unsafe workspace.voices[index] = 0
        }
        var isDucked = true
        let gains = unsafe UnsafeMutableBufferPointer(rebasing: workspace.gains[..<count])
        for index in tracks.indices where sounds(index, at: frame) {
            let sum = unsafe tracks[index].role == .programme ? workspace.programme : workspace.voices
            unsafe gains.update(repeating: 1)
            unsafe tracks[index].duck.multiply(gains, from: frame)
            unsafe tracks[index].fade.multiply(gains, from: frame)
            unsafe tracks[index].level.multiply(gains, from: frame)
            for place in range { unsafe sum[place] += gains[place] }
            if tracks[index].role == .programme, tracks[index].duck.isUnity(in: frame..<frame + count) {
                isDucked = false
            }
        }
        for place in range {
            let room = unsafe max(1 - workspace.programme[place], isDucked ? 0 : 0.5)
            let sum = unsafe workspace.voices[place]
            unsafe workspace.voices[place] = sum > room ? room / sum : 1
        }
    }
}
