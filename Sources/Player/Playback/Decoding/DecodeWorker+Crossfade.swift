internal import AudioTypes
internal import FFmpeg
internal import Mixing
internal import Outputs
internal import Synchronization

/// Where an item meets the one before.
struct Joint: Equatable {
    /// The item before.
    var ended: PlayerItem
    var side: Crossfade.Side?
    /// How many frames of it go under the next one.
    var frames = 0
    var curve = Overlay.Curve.equalPower
}

extension DecodeWorker {
    // MARK: The end of an item

    /// Whether the item's last frames, which may overlap with the next item, are what is decoded next.
    mutating func isNearEnd() -> Bool {
        guard settings.crossfade.isOn, let duration = reader?.duration, let time = reader?.nextTime else {
            return false
        }
        // The rate may have changed since the item was opened.
        side?.seconds = duration.seconds / settings.rate
        guard let side else { return false }
        // Half a second more, for media that do not know their length exactly.
        return (duration - time).seconds / settings.rate <= settings.crossfade.reach(of: side) + 0.5
    }

    /// The number of frames that are kept back.
    private var withheldCount: Int { withheld.count / ring.format.bytesPerFrame }

    /// The end of what has been decoded.
    var end: FramePosition { ring.written + withheldCount }

    /// Writes what was kept back, but for its last frames.
    ///
    /// - Returns: Whether all of that is written.
    @discardableResult
    mutating func release(keeping count: Int) -> Bool {
        let size = ring.format.bytesPerFrame
        while withheldCount > count {
            guard hasRoom else { return false }
            let written = unsafe ring.write { region in
                let frames = min(withheldCount - count, region.count / size)
                unsafe withheld.withUnsafeBytes {
                    unsafe region.copyMemory(from: .init(rebasing: $0[..<(frames * size)]))
                }
                return frames
            }
            withheld.removeFirst(written * size)
            told(written)
        }
        return true
    }

    /// Takes an item's end back out of the ring, so that another item can begin under it.
    ///
    /// - Returns: Where what is taken begins; near what is heard nothing is.
    mutating func withholdEnd(of item: PlayerItem, at end: FramePosition) -> FramePosition {
        guard settings.crossfade.isOn, let info = item.info, let duration = item.duration else { return end }
        let gain = settings.replayGain.gain(for: info.replayGain, playsAlbum: settings.playsAlbum)
        let seconds = duration.seconds / settings.rate
        let side = Crossfade.Side(entry: item.entry, seconds: seconds, tags: info.tags, gain: gain)
        let heard = output.clock.frame(at: .now) + Double(ring.format.frames(in: Self.nearness))
        let begin = pipeline.timeline.withLock { $0.segment(at: Double(end.index - 1))?.start ?? end }
        let start = max(end - ring.format.frames(in: settings.crossfade.reach(of: side)), begin)
        guard Double(start.index) > heard, start >= ring.kept, start < end else { return end }
        self.side = side
        withheld = frames(from: start, count: end - start)
        return start
    }

    /// A copy of what is in the ring.
    private func frames(from start: FramePosition, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * ring.format.bytesPerFrame)
        unsafe bytes.withUnsafeMutableBytes { target in
            if let base = target.baseAddress { unsafe _ = ring.read(at: start, into: base, count: count) }
        }
        return bytes
    }

    /// Seconds ahead of what is heard within which nothing is taken back to be mixed.
    private static var nearness: Double { 0.5 }

    // MARK: Two items

    /// An item's last frame was decoded, and the next item is open: finds how they meet.
    mutating func meet(_ last: PlayerItem, _ ended: Crossfade.Side?) throws {
        var joint = Joint(ended: last, side: ended)
        if let ended, let side, let overlap = settings.crossfade.overlap(from: ended, to: side) {
            try finishConverter()
            let start = pipeline.timeline.withLock { $0.segments.last?.start ?? .zero }
            // Who went to shortly before the end hears some of it.
            let heard = (end - start) / 2
            joint.frames = min(ring.format.frames(in: overlap.seconds), withheldCount, heard)
            joint.curve = overlap.curve
        }
        phase = .joining(joint)
    }

    /// The joint that is being waited for, when one is.
    var joint: Joint? { if case .joining(let joint) = phase { joint } else { nil } }

    /// Begins the next item, over what was kept back of the one before.
    mutating func join(_ joint: Joint) {
        guard let item else { return }
        if joint.frames > 0 { overlay = Overlay(withheld, format: ring.format, curve: joint.curve) }
        withheld = []
        begin(item.id, at: .zero, .end, overlap: joint.frames)
    }

    /// Something else follows than the item that was about to begin.
    mutating func part(_ joint: Joint) {
        closeReader()
        item = joint.ended
        side = joint.side
        phase = .ended
    }

    /// Decodes the end of an item again: it was mixed with what is no longer to follow.
    mutating func resume(_ item: PlayerItem) {
        let following = following
        let time = pipeline.timeline.withLock { $0.time(at: Double(ring.written.index)) } ?? .zero
        do {
            try open(item)
            _ = try reader?.seek(to: time)
            phase = .decoding
        } catch {
            // Then the item ends here; what follows is right.
            closeReader()
            phase = .ended
        }
        self.following = following
    }

    // MARK: Jumps

    /// Whether something else than an item is heard now.
    func isAnotherHeard(than id: PlayerItem.ID) -> Bool {
        let heard = output.clock.frame(at: .now)
        let item = pipeline.timeline.withLock { $0.segment(at: heard)?.item }
        return item != nil && item != id && Double(ring.written.index) > heard
    }

    /// Drops what was decoded, but lets what is heard fade out under what comes.
    mutating func dropFading() {
        let heard = max(ring.kept, FramePosition(Int(output.clock.frame(at: .now))))
        // Of the item that is heard only: what follows it may be what is gone to.
        let next = pipeline.timeline.withLock { $0.nextEnd(after: Double(heard.index))?.start }
        let decoded = min(ring.written, next ?? ring.written)
        var longest = settings.crossfade.seconds
        if let length = side?.seconds { longest = min(longest, length / 2) }
        let count = min(ring.format.frames(in: longest), max(0, decoded - heard))
        let bytes = frames(from: heard, count: count)
        drop()
        overlay = Overlay(bytes, format: ring.format, curve: .equalPower)
    }

    /// Puts what overlaps under frames that were just decoded.
    mutating func mixOverlay(into frames: UnsafeMutableRawPointer, _ count: Int) {
        guard overlay != nil else { return }
        unsafe overlay?.mix(into: frames, count: count)
        if overlay?.isOver == true { overlay = nil }
    }
}
