internal import AudioTypes
internal import LineProtocol
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import Zones

/// Modes and volume (the manual's section "Playback options").
let optionCommands: [Row<ZoneServices>] = [
    .plain("repeat", .player, library: .nothing, .boolean("STATE")) { $0.zone.setRepeat($1) },
    .plain("random", .player, library: .nothing, .boolean("STATE")) { $0.zone.setRandom($1) },
    .plain("single", .player, library: .nothing, .mode("single")) { $0.zone.setSingle($1) },
    .plain("consume", .player, library: .nothing, .mode("consume")) { $0.zone.setConsume($1) },
    .plain("crossfade", .player, library: .nothing, .number("SECONDS", PlaybackOptions.crossfades, unit: "seconds")) {
        request,
        seconds in
        request.zone.change { $0.crossfade = seconds }
    },
    .plain("mixrampdb", .player, library: .nothing, .number("DECIBELS", PlaybackOptions.thresholds, unit: "dB")) {
        request,
        decibels in
        request.zone.change { $0.mixRampThreshold = decibels }
    },
    .plain("mixrampdelay", .player, library: .nothing, .mixRampDelay()) { request, seconds in
        request.zone.change { $0.mixRampDelay = seconds }
    },
    .plain("setvol", .player, library: .nothing, .unsigned("VOL", through: 100).named("volume")) {
        try $0.setVolume($1)
    }
    .forGuests { .setVolume($0.first.flatMap { Int($0) }.flatMap { (0...100).contains($0) ? $0 : nil }) },
    .plain("volume", .player, library: .nothing, .integer("CHANGE", -100...100)) { request, change in
        // MPD has a code of its own for this one.
        guard request.zone.hasMixer else { throw AckError(.system, "No mixer") }
        let volume = request.zone.volume + change
        try request.setVolume(min(max(volume, 0), 100))
    },
    .plain("getvol", .read, library: .nothing, reply: .records(.volume)) { request in
        if let volume = request.zone.shownVolume { request.reply.line("volume", volume) }
    },
    .plain(
        "replay_gain_mode",
        .player,
        library: .nothing,
        .text("MODE").named("mode", .oneOf(["off", "track", "album", "auto"]))
    ) { request, word in
        guard let mode = ReplayGainMode(rawValue: word) else {
            throw AckError(.badArgument, "Unrecognized replay gain mode")
        }
        request.zone.change { $0.replayGain.mode = mode }
    },
    .plain("replay_gain_status", .read, library: .nothing, reply: .records(.replayGain)) { request in
        request.reply.line("replay_gain_mode", request.zone.options.replayGain.mode.rawValue)
    },
]

extension Request<ZoneServices> {
    /// Sets the zone's volume as far as the client may.
    func setVolume(_ volume: Int) throws {
        let permitted = client.permitted(volume: volume)
        try zone.setVolume(permitted)
        // A slider that was moved further comes back.
        if permitted < volume { notify(.mixer, in: zone) }
    }
}

extension Argument<QueueModes.Switch> {
    fileprivate static func mode(_ option: String) -> Self {
        .required("STATE", .mode) { word throws(AckError) in
            switch word {
            case "0": return .off
            case "1": return .on
            case "oneshot": return .oneshot
            default:
                throw AckError(.badArgument, "Unrecognized \(option) mode, expected 0, 1, or oneshot")
            }
        }
    }
}

extension Argument<Double?> {
    /// A delay in seconds; `nan`, 0 and negative numbers turn MixRamp off.
    fileprivate static func mixRampDelay() -> Self {
        .required("SECONDS", .number(-1...60)) { word throws(AckError) in
            let seconds = try parseNumber(word)
            guard seconds > 0 else { return nil }
            return try within(PlaybackOptions.mixRampDelays, seconds, word, unit: "seconds")
        }
    }
}
