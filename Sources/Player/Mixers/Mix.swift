internal import AudioTypes
internal import Mixing

/// What is mixed, and what the output is to do about a change of it: the decisions of a `Mixer`.
///
/// *Frames* are those of the mixed stream unless they are said to be a track's own. Nothing here calls or waits.
struct Mix: ~Copyable {
    /// What the output is told, in order.
    enum Effect: Sendable, Hashable {
        case start
        case pause
        case discard(to: Int)
        case rewind(to: Int)
        /// What was mixed from a frame on has changed.
        case rewrite(from: Int)
        case framesAvailable
        /// Look again when a frame is heard.
        case alarm(at: Int)
        /// Look again in a while.
        case wait
        /// A track's clock has changed.
        case tell(Int)
    }

    /// An output that stands has played everything, as far as it knows.
    private enum Patience { case untried, waiting, over }

    /// What is heard when something is decided.
    struct Moment: Sendable {
        var heard: Double
        /// Whether the output's clock runs.
        var isMoving: Bool
        /// Frames ahead of what is heard that can be changed; `nil` when nothing that was taken can.
        var margin: Int?
        /// Frames that the output takes before anything is heard.
        var lead = 0
    }

    let format: AudioFormat
    var tracks: [Track] = []
    var isRunning = false
    /// The end of what was read.
    var taken = 0
    /// The end of the silence that follows the last sound.
    var tail = 0
    /// The frame at which nothing is left to be heard, when the output is to pause then.
    var stop: Int?
    /// Why the output cannot play, while that is so.
    var loss: String?
    /// How far the output has been waited for that stands before `stop`.
    private var patience = Patience.untried
    /// Whether nothing that was taken can be replaced, so that nobody gets ahead of another.
    var takesForGood = false
    let workspace: MixWorkspace

    init(format: AudioFormat) {
        self.format = format
        workspace = MixWorkspace(format: format)
    }

    /// What was mixed is remembered so long, in seconds: outputs that follow another one are late.
    private static let memory = 5.0
    /// A fade to a pause is waited for by who comes in, if it ends so soon, in seconds.
    private static let patience = 1.0
    /// Seconds of silence before a track that goes on where it was after others were heard, or after a fade.
    private static let leadIn = 0.015
    /// A track that comes back while it fades out does so over so many seconds.
    private static let softness = 0.02

    private func index(of id: Int) -> Int? { tracks.firstIndex { $0.id == id } }

    /// The first frame that can be mixed anew.
    private func cue(_ now: Moment) -> Int {
        guard let margin = now.margin else { return max(taken, Int(now.heard.rounded(.up))) }
        // What is paused does not run away meanwhile.
        let ahead = isRunning || margin > format.frames(in: 0.1) ? margin : min(margin, 2)
        return Int(now.heard.rounded(.up)) + ahead
    }

    /// A frame that was never heard nor sent.
    private func fresh(_ now: Moment) -> Int { max(taken, written, tail, Int(now.heard.rounded(.up))) }

    /// Whether others than a track are heard at a frame.
    private func othersSound(than id: Int, at frame: Int) -> Bool {
        tracks.contains { $0.id != id && ($0.sounds || $0.fadeEnd.map { $0 > frame } == true) }
    }

    private func rewrite(from frame: Int, _ now: Moment) -> Effect {
        now.margin == nil ? .framesAvailable : .rewrite(from: frame)
    }

    // MARK: Tracks

    mutating func add(_ track: Track) { tracks.append(track) }

    mutating func attach(_ id: Int, _ ring: any FrameReading, at position: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        tracks[index].ring = ring
        return discard(id, to: position, now)
    }

    /// A track is no more; outputs that follow another one may have yet to read what was heard of it.
    mutating func remove(_ id: Int, _ now: Moment) -> [Effect] {
        let effects = pause(id, fadingOver: 0, now)
        guard let index = index(of: id) else { return effects }
        // Who is late has not read yet what was heard of it.
        tracks[index].leave(at: Int(now.heard.rounded(.up)) + (isRunning ? now.margin ?? 0 : 0))
        tracks[index].events = nil
        tracks[index].isGone = true
        return settle(effects, now)
    }

    /// Forgets the tracks that are gone and that nobody reads any more.
    mutating func forget(_ now: Moment) -> [Effect] {
        if !isRunning { tracks.removeAll(where: \.isGone) }
        return settle([], now)
    }

    // MARK: Transport

    mutating func start(_ id: Int, fadingOver length: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id), !tracks[index].isRunning else { return [] }
        tracks[index].isRunning = true
        guard isRunning else { return settle(begin(index, fadingOver: length, now), now) }
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
        isRunning = true
        // It goes on with what the output holds.
        if tracks[index].map.isOpen, length == 0 { return [.start] }
        return enterAnew(index, fadingOver: length, now) + [.framesAvailable, .start]
    }

    /// Lets a track have the output for itself; what that holds is dropped.
    ///
    /// - Parameter position: The track's own frame to go on with; `nil` is the one that is heard, or where it left.
    private mutating func enterAnew(
        _ index: Int,
        at position: Int? = nil,
        fadingOver length: Int = 0,
        _ now: Moment
    ) -> [Effect] {
        let isFirst = taken == 0 && tracks.allSatisfy { $0.map.entries.isEmpty }
        let start = isFirst ? 0 : fresh(now)
        let heard = Int(now.heard.rounded())
        for other in tracks.indices { tracks[other].leave(at: other == index && position != nil ? start : heard) }
        if let position { tracks[index].next = position }
        tail = 0
        // A server may drop the first samples of a stream that it starts; a jump is as quick as can be.
        let pause = position == nil && now.margin != nil && !isFirst ? format.frames(in: Self.leadIn) : 0
        tracks[index].enter(at: start + pause, fadingOver: length)
        return isFirst ? [] : [.discard(to: start), .tell(tracks[index].id)]
    }

    /// Lets a track come in while others are heard.
    private mutating func join(_ index: Int, fadingOver length: Int = 0, _ now: Moment) -> [Effect] {
        let cue = cue(now)
        let id = tracks[index].id
        let end = tracks.compactMap { $0.id == id ? nil : $0.fadeEnd }.max() ?? cue
        let start = end - cue < format.frames(in: Self.patience) ? max(cue, end) : cue
        tracks[index].enter(at: start, fadingOver: length)
        return [rewrite(from: start, now), .tell(id)]
    }

    mutating func pause(_ id: Int, fadingOver length: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id), tracks[index].isRunning else { return [] }
        tracks[index].isRunning = false
        guard isRunning, tracks[index].map.isOpen else { return settle([], now) }
        let cue = cue(now)
        let isAlone = !othersSound(than: id, at: cue)
        let start = tracks[index].map.lastSound?.start ?? cue
        let end = min(cue + length, tracks[index].end ?? cue)
        if end > max(cue, start), now.isMoving || !isAlone {
            tracks[index].fade.move(to: .silence, at: cue, over: end - cue)
            tracks[index].leave(at: end)
            tracks[index].fadeEnd = end
        } else if isAlone, tracks[index].role == .programme {
            isRunning = false
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
        if isRunning, othersSound(than: id, at: cue) {
            let wasThere = isFading || tracks[index].map.isOpen
            tracks[index].leave(at: cue)
            tracks[index].next = position
            return settle(wasThere ? [rewrite(from: cue, now), .tell(id)] : [], now)
        }
        let hasOutput = tracks[index].map.isOpen || isFading || !isRunning && !tracks.contains { $0.map.isOpen }
        guard hasOutput else {
            tracks[index].next = position
            return settle([], now)
        }
        let effects: [Effect] = isFading && isRunning ? [.pause] : []
        if isFading { isRunning = false }
        return settle(effects + enterAnew(index, at: position, now), now)
    }

    mutating func rewind(_ id: Int, to position: Int, _ now: Moment) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        tracks[index].hold = position
        guard tracks[index].map.isOpen, let frame = tracks[index].map.frame(of: position) else {
            tracks[index].next = min(tracks[index].next, position)
            return []
        }
        if isRunning, othersSound(than: id, at: cue(now)) {
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
            if tracks[index].isRunning {
                return settle(isRunning ? join(index, now) : begin(index, fadingOver: 0, now), now)
            }
            guard !isRunning, !tracks.contains(where: \.map.isOpen) else { return [] }
            return settle(enterAnew(index, now) + [.framesAvailable], now)
        }
        guard let missing = tracks[index].missing else { return [.framesAvailable] }
        tracks[index].missing = nil
        // Others went on meanwhile, so it goes on where they are.
        let start = max(missing, min(cue(now), max(taken, Int(now.heard.rounded(.up)))))
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

    /// Looks whether nothing is left to be heard.
    mutating func alarm(_ now: Moment) -> [Effect] {
        guard let stop, isRunning else { return [] }
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
        isRunning = false
        return settle([.pause], now)
    }

    /// The output that stands was waited for.
    mutating func hasWaited(_ now: Moment) -> [Effect] {
        guard patience == .waiting else { return [] }
        patience = .over
        return alarm(now)
    }

    /// Frames by which an output may think that something was heard before it was, and would cut the end off.
    ///
    /// PipeWire's tells the time by the pieces it has taken, and a busy sound server is late.
    private func slack(_ now: Moment) -> Int { now.margin.map { $0 > 0 } == true ? format.frames(in: 0.1) : 0 }

    /// Sees to it that the output pauses when nothing is left to be heard, and forgets what is long past.
    private mutating func settle(_ effects: [Effect], _ now: Moment) -> [Effect] {
        let past = Int(now.heard) - format.frames(in: Self.memory)
        for index in tracks.indices {
            tracks[index].forget(before: past)
            if let end = tracks[index].fadeEnd, now.heard >= Double(end) { tracks[index].fadeEnd = nil }
        }
        // An output that follows another one does so in steps of seconds.
        tracks.removeAll { $0.isGone && ($0.end ?? 0) < past }
        guard isRunning, !tracks.contains(where: \.sounds) else {
            stop = nil
            patience = .untried
            if isRunning { tail = 0 }
            return effects
        }
        let end = (tracks.compactMap(\.map.end).max() ?? taken) + slack(now)
        guard stop != end else { return effects }
        stop = end
        patience = .untried
        tail = end + now.lead
        // The output may be told of what changed before there was silence enough.
        return effects + [.framesAvailable, .alarm(at: end)]
    }
}
