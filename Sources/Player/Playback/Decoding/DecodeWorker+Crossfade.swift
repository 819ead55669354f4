internal import AudioTypes
internal import MediaCoding
internal import Mixers
internal import Mixing
internal import Outputs
internal import Synchronization

/// The place where an item meets the one before.
struct Joint: Equatable {
    /// The item before.
    var ended: PlayerItem
    var side: Crossfade.Side?
    /// How many of its frames overlap with the next item.
    var frames = 0
    var curve = Overlay.Curve.equalPower
}

extension DecodeWorker {
    // MARK: The end of an item

    /// The end of the decoded frames.
    var end: FramePosition { ring.written + crossfade.count }

    /// Writes the withheld frames, except the last ones.
    ///
    /// - Returns: Whether all of them are written.
    @discardableResult
    mutating func release(keeping count: Int) -> Bool {
        while crossfade.count > count {
            guard hasRoom else { return false }
            let written = unsafe ring.write { unsafe crossfade.release(keeping: count, into: $0) }
            told(written)
        }
        return true
    }

    /// Takes an item's end back out of the ring, so that another item can start under it.
    ///
    /// - Returns: Where the withheld part begins; frames about to be heard are not taken back.
    mutating func withholdEnd(of item: PlayerItem, at end: FramePosition) -> FramePosition {
        let settings = ordered.settings
        guard settings.crossfade.isOn, let info = item.info, let duration = item.duration else { return end }
        let side = Crossfade.Side(
            entry: item.opened ?? item.entry,
            seconds: duration.seconds / settings.rate,
            tags: info.tags,
            gain: settings.gain(of: info)
        )
        let heard = output.clock.frame(at: .now) + Double(ring.format.frames(in: Self.nearness))
        let begin = pipeline.timeline.withLock { $0.segment(at: Double(end.index - 1))?.start ?? end }
        let start = max(end - Crossfade.frames(in: settings.crossfade.reach(of: side), of: ring.format), begin)
        guard Double(start.index) > heard, start >= ring.kept, start < end else { return end }
        medium.side = side
        crossfade.withhold(frames(from: start, count: end - start))
        return start
    }

    /// A copy of frames in the ring.
    private func frames(from start: FramePosition, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count * ring.format.bytesPerFrame)
        unsafe bytes.withUnsafeMutableBytes { target in
            if let base = target.baseAddress { unsafe _ = ring.read(at: start, into: base, count: count) }
        }
        return bytes
    }

    /// Frames heard within so many seconds are not taken back for mixing.
    private static var nearness: Double { 0.5 }

    // MARK: Two items

    /// Finds how two items meet, once the first is decoded to its end and the next is open.
    mutating func meet(_ last: PlayerItem, _ ended: Crossfade.Side?) throws {
        var joint = Joint(ended: last, side: ended)
        if let ended, let side = medium.side, let overlap = ordered.settings.crossfade.overlap(from: ended, to: side) {
            try finishConverter()
            let start = pipeline.timeline.withLock { $0.segments.last?.start ?? .zero }
            // After a seek to shortly before the end, some of the item is heard alone.
            let heard = (end - start) / 2
            joint.frames = min(ring.format.frames(in: overlap.seconds), crossfade.count, heard)
            joint.curve = overlap.curve
        }
        phase = .joining(joint)
    }

    /// The joint that is being prepared, if any.
    var joint: Joint? { if case .joining(let joint) = phase { joint } else { nil } }

    /// Starts the next item, over the withheld end of the one before.
    mutating func join(_ joint: Joint) {
        guard let item = medium.item else { return }
        crossfade.begin(joint.frames > 0 ? joint.curve : nil)
        begin(item.id, at: .zero, .end, overlap: joint.frames)
    }

    /// Cancels a joint: the next item has changed.
    mutating func part(_ joint: Joint) {
        closeReader()
        medium.item = joint.ended
        medium.side = joint.side
        phase = .ended
    }

    /// Decodes the end of an item again: it was mixed with an item that no longer follows.
    mutating func resume(_ item: PlayerItem) {
        let following = ordered.following
        let time = pipeline.timeline.withLock { $0.time(at: Double(ring.written.index)) } ?? .zero
        do {
            try open(item)
            _ = try medium.reader?.seek(to: time)
            phase = .decoding
        } catch {
            // Then the item ends here; what comes next is right.
            closeReader()
            phase = .ended
        }
        ordered.following = following
    }

    // MARK: Jumps

    /// Whether an item other than this one is heard now.
    func isAnotherHeard(than id: PlayerItem.ID) -> Bool {
        let heard = output.clock.frame(at: .now)
        let item = pipeline.timeline.withLock { $0.segment(at: heard)?.item }
        return item != nil && item != id && Double(ring.written.index) > heard
    }

    /// Drops the decoded frames, but lets those about to be heard fade out under the next ones.
    mutating func dropFading() {
        let heard = max(ring.kept, FramePosition(Int(sample: output.clock.frame(at: .now))))
        // Only those of the heard item: the item after it may be the jump's target.
        let next = pipeline.timeline.withLock { $0.nextEnd(after: Double(heard.index))?.start }
        let decoded = min(ring.written, next ?? ring.written)
        var longest = ordered.settings.crossfade.seconds
        if let length = medium.side?.seconds { longest = min(longest, length / 2) }
        let count = min(Crossfade.frames(in: longest, of: ring.format), max(0, decoded - heard))
        let bytes = frames(from: heard, count: count)
        drop()
        crossfade.fadeOut(bytes)
    }
}
