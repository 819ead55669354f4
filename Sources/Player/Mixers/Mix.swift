internal import AudioTypes
internal import Mixing
internal import Outputs

/// The decisions of a `Mixer`: which tracks sound when, and what the output has to do about a change.
///
/// *Frames* are those of the mixed stream unless called a track's own. Nothing here calls out or blocks.
struct Mix: ~Copyable {
    /// Instructions for the output, in order.
    enum Effect: Sendable, Hashable {
        case start
        case pause
        case discard(to: Int)
        case rewind(to: Int)
        /// The mixed frames from here on have changed.
        case rewrite(from: Int)
        case framesAvailable
        /// Check again when this frame is heard.
        case alarm(at: Int)
        /// Check again after a delay.
        case wait
        /// A track's clock has changed.
        case tell(Int)
    }

    /// The wait for an output whose clock has stopped because, as far as it knows, it has played everything.
    private enum Patience { case untried, waiting, over }

    /// The output's state at the time of a decision.
    struct Moment: Sendable {
        var heard: Double
        /// Whether the output's clock runs.
        var isMoving: Bool
        /// Frames ahead of the heard one that can still be replaced; `nil` when frames once taken cannot be.
        var margin: Int?
        /// Frames that the output takes before anything is heard.
        var lead = 0
        /// Frames by which the output may report a frame as heard too early.
        var spread = 0
    }

    private(set) var format: AudioFormat
    var tracks: [Track] = []
    /// Whether the output is to run: from the first track that starts until none is heard any more, fades included.
    ///
    /// The output is told by effects.
    var runsOutput = false
    /// The end of the frames read by the output.
    var taken = 0
    /// The end of the silence that follows the last sound.
    var tail = 0
    /// The frame at which the output pauses because no sound is left; `nil` while there is more.
    var stop: Int?
    /// The event that told of the output's loss; `nil` while it can play.
    var loss: OutputEvent?
    /// Progress of the wait for an output whose clock stands before `stop`.
    private var patience = Patience.untried
    /// Whether frames once taken cannot be replaced, so no track may run ahead of another.
    var takesForGood = false
    private(set) var workspace: MixWorkspace

    init(format: AudioFormat) {
        self.format = format
        workspace = MixWorkspace(format: format)
    }

    /// How long mixed frames are kept, in seconds: outputs that follow another one read late.
    private static let memory = 5.0
    /// A track that enters waits for a fade to a pause if it ends within so many seconds.
    private static let patience = 1.0
    /// Seconds of silence before a track that continues after others were heard, or after a fade.
    private static let leadIn = 0.015
    /// A track that returns during its fade-out fades in over so many seconds.
    private static let softness = 0.02

    private func index(of id: Int) -> Int? { tracks.firstIndex { $0.id == id } }

    /// The first frame that can still be mixed differently.
    private func cue(_ now: Moment) -> Int {
        guard let margin = now.margin else { return max(taken, Int(sample: now.heard.rounded(.up))) }
        // While the output is paused, its frames do not run away.
        let ahead = runsOutput || margin > format.frames(in: 0.1) ? margin : min(margin, 2)
        return Int(sample: now.heard.rounded(.up)) + ahead
    }

    /// A frame that was never heard or sent.
    private func fresh(_ now: Moment) -> Int { max(taken, written, tail, Int(sample: now.heard.rounded(.up))) }

    /// Whether tracks other than this one sound at a frame.
    private func othersSound(than id: Int, at frame: Int) -> Bool {
        tracks.contains { $0.id != id && ($0.sounds || $0.fadeEnd.map { $0 > frame } == true) }
    }

    /// Whether tracks other than this one sound without an end in sight.
    func othersSound(than id: Int) -> Bool { tracks.contains { $0.id != id && $0.sounds } }

    private func rewrite(from frame: Int, _ now: Moment) -> Effect {
        now.margin == nil ? .framesAvailable : .rewrite(from: frame)
    }

    // MARK: Tracks

    mutating func add(_ track: Track) { tracks.append(track) }

    /// Gives a track its frames, from frame 0 on; none where the mix has taken another format.
    mutating func attach(_ id: Int, _ ring: any FrameReading, _ now: Moment) -> [Effect] {
        guard let index = index(of: id), ring.format == format else { return [] }
        tracks[index].ring = ring
        return discard(id, to: 0, now)
    }

    /// Removes a closed track; outputs that follow another one may still have to read its past frames.
    mutating func remove(_ id: Int, _ now: Moment) -> [Effect] {
        let effects = pause(id, fadingOver: 0, now)
        guard let index = index(of: id) else { return effects }
        // An output that reads late has not yet read the last frames heard of it.
        tracks[index].leave(at: Int(sample: now.heard.rounded(.up)) + (runsOutput ? now.margin ?? 0 : 0))
        tracks[index].events = nil
        tracks[index].isGone = true
        return settle(effects, now)
    }

    /// Forgets closed tracks whose frames are no longer read.
    mutating func forget(_ now: Moment) -> [Effect] {
        if !runsOutput { tracks.removeAll(where: \.isGone) }
        return settle([], now)
    }

    // MARK: The format

    /// Mixes in another format from a frame on, which is the one heard.
    ///
    /// All tracks fall silent there, and go on when they have frames in the new format. Frames keep their numbers.
    mutating func reformat(to format: AudioFormat, at frame: Int) {
        for index in tracks.indices {
            tracks[index].leave(at: frame)
            tracks[index].hold = nil
            tracks[index].ring = nil
        }
        tracks.removeAll(where: \.isGone)
        self.format = format
        workspace = MixWorkspace(format: format)
        (taken, tail, stop, patience) = (frame, 0, nil, .untried)
        runsOutput = false
    }

    func needsRing(_ id: Int) -> Bool { index(of: id).map { tracks[$0].ring?.format != format } ?? false }

    /// Gives a track a ring in the mix's format, in place of one in an earlier format.
    ///
    /// - Returns: False, without any effect, when the format has changed meanwhile.
    mutating func replace(_ id: Int, _ ring: any FrameReading) -> Bool {
        guard let index = index(of: id) else { return true }
        guard ring.format == format else { return false }
        tracks[index].ring = ring
        tracks[index].next = ring.written.index
        return true
    }

    // MARK: Transport

    mutating func start(_ id: Int, fadingOver length: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id), !tracks[index].isStarted else { return [] }
        tracks[index].isStarted = true
        guard runsOutput else { return settle(begin(index, fadingOver: length, now), now) }
        let cue = cue(now)
        if let end = tracks[index].fadeEnd, end > cue {
            tracks[index].map.reopen()
            tracks[index].fadeEnd = nil
            tracks[index].fade.move(to: .unity, at: cue, over: max(length, format.frames(in: Self.softness)))
            return settle([rewrite(from: cue, now), .tell(id)], now)
        }
        guard tracks[index].hasFrames else { return [] }
        return settle(join(index, fadingOver: length, now), now)
    }

    /// Starts the output with a track.
    private mutating func begin(_ index: Int, fadingOver length: Int, _ now: Moment) -> [Effect] {
        runsOutput = true
        // It continues with the frames that the output holds.
        if tracks[index].map.isOpen, length == 0 { return [.start] }
        return enterAnew(index, fadingOver: length, now) + [.framesAvailable, .start]
    }

    /// Gives a track the output to itself; the frames that it holds are dropped.
    ///
    /// - Parameter position: The track's own frame to continue with; `nil` is the heard one, or where it left.
    private mutating func enterAnew(
        _ index: Int,
        at position: Int? = nil,
        fadingOver length: Int = 0,
        _ now: Moment
    ) -> [Effect] {
        let isFirst = taken == 0 && tracks.allSatisfy { $0.map.entries.isEmpty }
        let start = isFirst ? 0 : fresh(now)
        let heard = Int(sample: now.heard.rounded())
        for other in tracks.indices { tracks[other].leave(at: other == index && position != nil ? start : heard) }
        if let position { tracks[index].next = position }
        tail = 0
        // A server may drop the first samples of a stream that it starts. A jump adds no delay.
        let pause = position == nil && now.margin != nil && !isFirst ? format.frames(in: Self.leadIn) : 0
        tracks[index].enter(at: start + pause, fadingOver: length)
        return isFirst ? [] : [.discard(to: start), .tell(tracks[index].id)]
    }

    /// Brings a track in while others sound.
    private mutating func join(_ index: Int, fadingOver length: Int = 0, _ now: Moment) -> [Effect] {
        let cue = cue(now)
        let id = tracks[index].id
        let end = tracks.compactMap { $0.id == id ? nil : $0.fadeEnd }.max() ?? cue
        let start = end - cue < format.frames(in: Self.patience) ? max(cue, end) : cue
        tracks[index].enter(at: start, fadingOver: length)
        return [rewrite(from: start, now), .tell(id)]
    }

    mutating func pause(_ id: Int, fadingOver length: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id), tracks[index].isStarted else { return [] }
        tracks[index].isStarted = false
        guard runsOutput, tracks[index].map.isOpen else { return settle([], now) }
        let cue = cue(now)
        let isAlone = !othersSound(than: id, at: cue)
        let start = tracks[index].map.lastSound?.start ?? cue
        let end = min(cue + length, tracks[index].end ?? cue)
        if end > max(cue, start), now.isMoving || !isAlone {
            tracks[index].fade.move(to: .silence, at: cue, over: end - cue)
            tracks[index].leave(at: end)
            tracks[index].fadeEnd = end
        } else if isAlone, tracks[index].role == .programme {
            runsOutput = false
            return settle([.pause], now)
        } else {
            tracks[index].leave(at: max(cue, min(start, cue)))
        }
        return settle([rewrite(from: cue, now), .tell(id)], now)
    }

    mutating func discard(_ id: Int, to position: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        let cue = cue(now)
        tracks[index].hold = nil
        let isFading = tracks[index].fadeEnd.map { $0 > cue } == true
        defer { if let index = self.index(of: id) { tracks[index].hold = nil } }
        if runsOutput, othersSound(than: id, at: cue) {
            let wasThere = isFading || tracks[index].map.isOpen
            tracks[index].leave(at: cue)
            tracks[index].next = position
            return settle(wasThere ? [rewrite(from: cue, now), .tell(id)] : [], now)
        }
        let hasOutput = tracks[index].map.isOpen || isFading || !runsOutput && !tracks.contains { $0.map.isOpen }
        guard hasOutput else {
            tracks[index].next = position
            return settle([], now)
        }
        let effects: [Effect] = isFading && runsOutput ? [.pause] : []
        if isFading { runsOutput = false }
        return settle(effects + enterAnew(index, at: position, now), now)
    }

    mutating func rewind(_ id: Int, to position: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        tracks[index].hold = position
        guard tracks[index].map.isOpen, let frame = tracks[index].map.frame(of: position) else {
            tracks[index].next = min(tracks[index].next, position)
            return []
        }
        if runsOutput, othersSound(than: id, at: cue(now)) {
            tracks[index].missing = min(tracks[index].missing ?? .max, frame)
            return []
        }
        if let missing = tracks[index].missing, missing >= frame { tracks[index].missing = nil }
        taken = min(taken, frame)
        return [.rewind(to: frame)]
    }

    mutating func framesAvailable(_ id: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        tracks[index].hold = nil
        guard tracks[index].map.isOpen else {
            guard tracks[index].hasFrames else { return [] }
            if tracks[index].isStarted {
                return settle(runsOutput ? join(index, now) : begin(index, fadingOver: 0, now), now)
            }
            guard !runsOutput, !tracks.contains(where: \.map.isOpen) else { return [] }
            return settle(enterAnew(index, now) + [.framesAvailable], now)
        }
        if tracks[index].isStarted, !runsOutput {
            // The first frames in another format.
            runsOutput = true
            return settle([.framesAvailable, .start], now)
        }
        guard let missing = tracks[index].missing else { return [.framesAvailable] }
        tracks[index].missing = nil
        // The others continued in the meantime, so it resumes at their position.
        let start = max(missing, min(cue(now), max(taken, Int(sample: now.heard.rounded(.up)))))
        if start > missing, let next = tracks[index].map.cut(at: missing) { tracks[index].map.place(next, at: start) }
        return settle([rewrite(from: start, now), .tell(id)], now)
    }

    // MARK: Gains

    mutating func ramp(
        _ id: Int,
        _ envelope: WritableKeyPath<Track, GainEnvelope>,
        to gain: Gain,
        over length: Int,
        _ now: Moment
    ) -> [Effect] {
        guard let index = index(of: id), tracks[index][keyPath: envelope].target != gain else { return [] }
        let cue = cue(now)
        tracks[index][keyPath: envelope].move(to: gain, at: cue, over: length)
        let isThere = tracks[index].map.isOpen || tracks[index].map.end.map { $0 > cue } == true
        return settle(isThere ? [rewrite(from: cue, now)] : [], now)
    }

    // MARK: The end

    /// Pauses the output if no sound is left.
    mutating func alarm(_ now: Moment) -> [Effect] {
        guard let stop, runsOutput else { return [] }
        if now.heard <= Double(stop) - 1 {
            if now.isMoving {
                patience = .untried
                return [.alarm(at: stop)]
            }
            if slack(now) > 0, patience != .over {
                defer { patience = .waiting }
                return patience == .waiting ? [] : [.wait]
            }
        }
        runsOutput = false
        return settle([.pause], now)
    }

    /// Called after the wait for an output whose clock stands.
    mutating func hasWaited(_ now: Moment) -> [Effect] {
        guard patience == .waiting else { return [] }
        patience = .over
        return alarm(now)
    }

    /// Frames by which an output may report a frame as heard too early, which would cut the end off.
    ///
    /// PipeWire's clock moves in steps of the blocks it has taken, and a busy sound server is late.
    private func slack(_ now: Moment) -> Int {
        now.margin.map { $0 > 0 } == true ? max(format.frames(in: 0.1), now.spread) : 0
    }

    /// Schedules the output's pause for when no sound is left, and forgets the distant past.
    private mutating func settle(_ effects: [Effect], _ now: Moment) -> [Effect] {
        let past = Int(sample: now.heard) - format.frames(in: Self.memory)
        for index in tracks.indices {
            tracks[index].forget(before: past)
            if let end = tracks[index].fadeEnd, now.heard >= Double(end) { tracks[index].fadeEnd = nil }
        }
        // An output that follows another one reads in steps of seconds.
        tracks.removeAll { $0.isGone && ($0.end ?? 0) < past }
        guard runsOutput, !tracks.contains(where: \.sounds) else {
            stop = nil
            patience = .untried
            if runsOutput { tail = 0 }
            return effects
        }
        let end = (tracks.compactMap(\.map.end).max() ?? taken) + slack(now)
        guard stop != end else { return effects }
        stop = end
        patience = .untried
        tail = end + now.lead
        // The output may have learnt of the change before there was enough silence.
        return effects + [.framesAvailable, .alarm(at: end)]
    }
}
