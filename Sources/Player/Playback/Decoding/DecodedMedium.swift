internal import AudioTypes
internal import MediaCoding
internal import Threads

/// The item that is decoded, and its medium while that is open.
struct DecodedMedium: ~Copyable {
    /// `nil` when nothing is loaded; kept after the medium is closed, until another item follows.
    var item: PlayerItem?
    var reader: MediaReader?
    /// Whether `reader` reads over the network, ahead on a thread of its own.
    private(set) var isStream = false
    /// The track that `reader` was opened with.
    private var track = TrackSelection.automatic
    /// The item as one side of a joint.
    var side: Crossfade.Side?
    private var hasTakenDamage = false
    /// The item that could not be played, until it is opened again.
    private(set) var failed: PlayerItem.ID?

    /// Whether an item's medium is open, with the track that is wanted, and can seek.
    mutating func canSeek(_ item: PlayerItem.ID, _ track: TrackSelection) -> Bool {
        self.item?.id == item && self.track == track && reader?.info.isSeekable == true
    }

    /// Opens an item's medium, after the one before was closed.
    ///
    /// - Returns: The entry as resolved, and the contents of the medium.
    mutating func open(
        _ item: PlayerItem,
        _ pipeline: Pipeline,
        _ settings: Pipeline.Settings,
        _ interrupt: Interrupt
    ) throws -> (entry: MediaEntry, info: MediaInfo) {
        self.item = item
        track = settings.track(of: item.id)
        let context = pipeline.context(for: item.id, settings.stream)
        let entry = try pipeline.resolve(item.entry)
        let opened = try MediaReader.open(entry, track: track, interrupt: interrupt, stream: context)
        let info = opened.info
        let seconds = opened.duration.map { $0.seconds / settings.rate }
        isStream = opened.statusSource != nil
        hasTakenDamage = false
        failed = nil
        reader = consume opened
        side = Crossfade.Side(entry: entry, seconds: seconds, tags: info.tags, gain: settings.gain(of: info))
        return (entry, info)
    }

    /// Closes the medium, without waiting for a network.
    mutating func close() {
        reader = nil
        isStream = false
    }

    /// Remembers that an item cannot be played.
    mutating func fail(_ item: PlayerItem.ID) { failed = item }

    /// Whether the next frames are the item's last, which may overlap with the next item.
    mutating func isNearEnd(_ settings: Pipeline.Settings) -> Bool {
        guard settings.crossfade.isOn, let duration = reader?.duration, let time = reader?.nextTime else {
            return false
        }
        // The rate may have changed since the item was opened.
        side?.seconds = duration.seconds / settings.rate
        guard let side else { return false }
        // Half a second more, for media whose duration is inexact.
        return (duration - time).seconds / settings.rate <= settings.crossfade.reach(of: side) + 0.5
    }

    /// A description of the medium's damage; `nil` if there is none or it was returned before.
    mutating func takeDamage() -> String? {
        guard let item, let damage = reader?.damage, !hasTakenDamage, !damage.isEmpty else { return nil }
        hasTakenDamage = true
        return "\(MediaError.display(item.entry.location)): \(damage.text)"
    }
}

extension Pipeline.Settings {
    /// The audio to play of an item.
    func track(of item: PlayerItem.ID) -> TrackSelection {
        choice.flatMap { $0.item == item ? $0.track : nil } ?? track
    }

    /// The gain for a medium's samples.
    func gain(of info: MediaInfo?) -> Gain {
        replayGain.gain(for: info?.replayGain ?? ReplayGain(), playsAlbum: playsAlbum)
    }
}

extension MediaReader.Damage {
    fileprivate var text: String {
        func place(_ time: MediaTime) -> String {
            let seconds = Int(saturating: time.seconds)
            return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
        }
        if let truncated { return "ends early, at \(place(truncated)): the file is cut off" }
        return "damaged at \(place(first ?? .zero)) (\(packets) packet\(packets == 1 ? "" : "s") left out)"
    }
}
