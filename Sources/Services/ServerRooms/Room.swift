package import AudioTypes
package import Mixers
internal import NowPlaying
package import OutputGroups
package import Outputs
package import Zones

/// A zone with its outputs and mixer, and with the state that was last reported to clients and the log.
///
/// Belongs to the server's event loop.
package final class Room {
    package let zone: Zone
    package private(set) var outputs: OutputGroup
    /// Mixes the zone's player with the announcements in it.
    package private(set) var mixer: Mixer
    /// The sink that a client routed the zone to, or `default`; `nil` while the configured sink is used.
    package var route: String?
    /// How many changes of its outputs are half done, on threads.
    package var openChanges = 0
    /// Whether it plays on without any output after a handover, until one is moved to it.
    package var awaitsOutput = false
    /// When the sink of an output was lost, and when the message bus last asked for a pause.
    private var lossTime: HostTime?
    private var busPauseTime: HostTime?
    /// The outputs as they were last reported to clients.
    private var knownOutputs: [OutputState]
    /// How often outputs had run dry when that was logged last, and when.
    private var loggedXruns: [String: (count: String, time: HostTime)] = [:]
    private var shownTitle = StreamTitle()
    /// The last error of the zone that was reported.
    private var reportedError: String?

    package init(_ zone: Zone, _ outputs: OutputGroup, _ mixer: Mixer) {
        self.zone = zone
        self.outputs = outputs
        self.mixer = mixer
        // An output may have failed already, which is still to be reported.
        knownOutputs = outputs.members.map { member in
            var known = member.shown
            known.error = nil
            return known
        }
        zone.hasMixer = outputs.hasVolume
    }

    package var name: String { zone.name }

    /// Exchanges players, groups and mixers with another room, once the groups have exchanged their outputs: each room
    /// keeps its own outputs.
    package func exchangeSound(with other: Room) {
        // Before the zones tell of their changes: whether a zone can be heard depends on its outputs.
        swap(&outputs, &other.outputs)
        swap(&mixer, &other.mixer)
        zone.exchange(with: other.zone)
    }

    // MARK: Outputs

    package var hasOutputs: Bool { !outputs.members.isEmpty }

    package func hasOutput(_ name: String) -> Bool { outputs.members.contains { $0.name == name } }

    /// The error of a zone without an enabled output.
    package static let noOutput = "no output is enabled"
    /// The cause of a pause for that, as a sentence's end.
    package static let pauseWithoutOutput = "the server, because no output was enabled"

    package var hasEnabledOutput: Bool { outputs.members.contains(where: \.isEnabled) }

    /// The output to a sound server; the first if there are several.
    var soundServerOutput: String? { outputs.members.first { $0.plugin == .pulse }?.name }

    /// Whether an output's sound server does not answer.
    package var hasLostServer: Bool {
        outputs.members.contains { $0.plugin == .pulse && $0.isEnabled && $0.error != nil && $0.routeLoss == nil }
    }

    /// A change of where an output is heard.
    package enum RouteNews: Hashable {
        case lost(OutputState, RouteLoss)
        case changed(OutputState, RouteChange)
    }

    /// The difference between two states of a room's outputs.
    package struct OutputChange {
        package let before: [OutputState]
        package let now: [OutputState]
        /// Whether the zone's volume became settable, or stopped being so.
        package let mixerChanged: Bool

        /// Whether clients see a difference; they do not see whether an output is open.
        package var isShown: Bool { now.map(\.shown) != before.map(\.shown) }

        /// The outputs whose errors changed, with their current errors; `nil` for one that plays again.
        package var errors: [(output: String, error: String?)] {
            now.compactMap { member in
                let known = before.first { $0.name == member.name }?.error
                return member.error == known ? nil : (member.name, member.error)
            }
        }

        /// The outputs' losses of their sinks, and their changes of sinks.
        package var routes: [RouteNews] {
            now.flatMap { member -> [RouteNews] in
                let known = before.first { $0.name == member.name }
                var news: [RouteNews] = []
                if let loss = member.routeLoss, loss != known?.routeLoss {
                    news.append(.lost(member, loss))
                }
                if let route = member.route, known?.route?.isTold(by: route) != true {
                    news.append(.changed(member, route))
                }
                return news
            }
        }
    }

    /// The way of the current song's samples to an output's sink; `nil` while none is heard there.
    package func path(to output: OutputState) -> SoundPath? {
        guard output.isEnabled, output.error == nil, let formats = output.formats else { return nil }
        let song = zone.progress
        guard let source = song.format else { return nil }
        let gain = zone.options.replayGain.gain(for: song.replayGain, playsAlbum: true)
        let isQuieter = output.scalesSamples && zone.volume < 100
        return SoundPath(
            source: source,
            rendered: outputs.format,
            output: formats.output,
            sink: formats.sink,
            isScaled: isQuieter || gain != .unity
        )
    }

    /// The way of the current song's samples to the first output with a sink; `nil` while none is heard.
    package var path: SoundPath? {
        guard zone.progress.format != nil else { return nil }
        return outputs.members.firstNonNil(path(to:))
    }

    /// Compares the outputs with their state at the last call, and tells the zone whether its volume can be set.
    ///
    /// - Returns: `nil` when nothing has changed, and in the middle of a change.
    package func takeOutputChange() -> OutputChange? {
        let members = outputs.members
        guard openChanges == 0, members != knownOutputs else { return nil }
        defer { knownOutputs = members }
        zone.hasMixer = outputs.hasVolume
        let mixerChanged = Self.hasMixer(knownOutputs) != Self.hasMixer(members)
        return OutputChange(before: knownOutputs, now: members, mixerChanged: mixerChanged)
    }

    /// The outputs that ran dry since that was logged last, with how often so far; each at most once a minute.
    package func takeXruns(of outputs: [OutputState], at now: HostTime = .now) -> [(output: String, count: String)] {
        outputs.compactMap { output in
            guard let count = output.attributes[ALSAOutput.xrunsAttribute], count != "0" else { return nil }
            if let last = loggedXruns[output.name], last.count == count || now - last.time < 60 { return nil }
            loggedXruns[output.name] = (count, now)
            return (output.name, count)
        }
    }

    /// Whether an output that is enabled has a volume.
    private static func hasMixer(_ outputs: [OutputState]) -> Bool {
        outputs.contains { $0.isEnabled && $0.mixer != .none }
    }

    /// Has outputs tell their listeners what is heard.
    package func showTitle() {
        let title = StreamTitle(NowPlayingInfo(zone))
        guard title != shownTitle else { return }
        shownTitle = title
        outputs.show(title)
    }

    // MARK: Pauses of the sound server's manager

    /// Records that a sink is gone.
    ///
    /// - Returns: Whether the zone was paused for that, and not by the user.
    package func recordLoss(at now: HostTime = .now) -> Bool {
        lossTime = now
        return busPauseTime.map { now - $0 < Self.overtakingTime } ?? false
    }

    /// Records that the message bus asks for a pause.
    ///
    /// - Returns: Whether the user does: WirePlumber pauses players of streams whose sink goes away (its setting
    ///   `linking.pause-playback`), also those that wait for it.
    package func recordBusPause(at now: HostTime = .now) -> Bool {
        busPauseTime = now
        return lossTime.map { now - $0 >= Self.relinkingTime } ?? true
    }

    /// Seconds between the removal of a sink and a pause for it.
    private static let relinkingTime = 1.0
    /// Seconds by which the pause may be known before the removal: who pauses and then turns the headset off is slower.
    private static let overtakingTime = 0.1

    // MARK: Errors

    /// The zone's error, if it differs from that of the last call; `nil` in the middle of a change of outputs.
    package func takeNewError() -> String? {
        guard openChanges == 0 else { return nil }
        defer { reportedError = zone.error }
        return zone.error == reportedError ? nil : zone.error
    }
}

extension StreamTitle {
    fileprivate init(_ info: NowPlayingInfo) {
        self.init(
            title: info.title ?? "",
            artist: info.artists.joined(separator: ", "),
            album: info.album ?? ""
        )
    }
}

extension OutputState {
    /// The state as clients see it.
    fileprivate var shown: OutputState {
        var shown = self
        shown.isOpen = false
        shown.attributes[ALSAOutput.xrunsAttribute] = nil
        shown.route = nil
        shown.routeLoss = nil
        shown.formats = nil
        shown.scalesSamples = false
        return shown
    }
}

extension RouteChange {
    /// Whether a later report tells of the same change, only with the sink's format.
    fileprivate func isTold(by other: RouteChange) -> Bool {
        guard format.isEmpty else { return self == other }
        return RouteChange(other.reason, from: other.previous, to: other.sink) == self
    }
}
