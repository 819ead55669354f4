package import AudioTypes
internal import CommandOptions
package import Playback
package import TextEncodings

/// The events that `segue play --json` prints, documented in segue-json(7).
package enum PlayEvents {
    private typealias Field = JSON.Field

    /// The first event: what will be played.
    package static func started(count: Int, output: String) -> JSON {
        event(
            "started",
            [
                Field("version", .string(segueVersion)), Field("count", .integer(count)),
                Field("output", .string(output)),
            ]
        )
    }

    /// An argument or playlist entry cannot be played.
    package static func problem(_ message: String) -> JSON {
        event("problem", [Field("message", .string(message))])
    }

    /// A notice that is not an error, such as about the null output.
    package static func notice(_ message: String) -> JSON {
        event("notice", [Field("message", .string(message))])
    }

    /// A file of `--output dir:` is complete.
    package static func fileWritten(_ path: String) -> JSON { event("file_written", [Field("path", .string(path))]) }

    /// The last event.
    package static func finished(played: Int, failed: Int, exitStatus: Int32) -> JSON {
        event(
            "finished",
            [
                Field("played", .integer(played)), Field("failed", .integer(failed)),
                Field("exit_status", .integer(Int(exitStatus))),
            ]
        )
    }

    /// The position, printed every `--interval` seconds.
    package static func position(_ time: MediaTime, of item: PlayerItem) -> JSON {
        event("position", place(time, of: item))
    }

    /// The event for a notice; `nil` for notices with their own events above.
    package static func event(for notice: PlayNotice, item: PlayerItem?, time: MediaTime) -> JSON? {
        switch notice {
        case .itemStarted(let item, let index, let count): itemStarted(item, index: index, count: count)
        case .itemFailed(let item):
            event("item_failed", identity(item) + [Field("message", .string(message(item)))])
        case .itemDamaged(let item, let text): event("item_damaged", identity(item) + [Field("message", .string(text))])
        case .recordingFailed(let item, let text):
            event("recording_failed", identity(item) + [Field("message", .string(text))])
        case .itemEnded(let item): event("item_ended", identity(item))
        case .statusChanged(let status): statusChanged(status, time: time)
        case .jumped(let time): item.map { event("jumped", place(time, of: $0)) }
        case .outputLost(let reason): event("output_lost", [Field("message", .string(reason))])
        case .routeLost(let reason, let pauses):
            event("route_lost", [Field("message", .string(reason)), Field("pauses", .bool(pauses))])
        case .silenceRequested(let isRequested):
            event("silence_requested", [Field("requested", .bool(isRequested))])
        case .outputRestored: event("output_restored", [])
        case .outputGivenUp: event("output_given_up", [])
        case .outputFailed(let reason): event("output_failed", [Field("message", .string(reason))])
        case .reconnecting(let item, let wait, isNews: _): reconnecting(item, wait)
        case .reconnected(let item, let seconds):
            event("reconnected", identity(item) + [Field("after", .seconds(seconds))])
        case .stalled(let item): event("stalled", place(time, of: item))
        case .titleChanged(let item, let tags):
            event(
                "title_changed",
                identity(item) + [
                    Field("title", .optional(tags.title)), Field("artist", .optional(tags.artist)),
                    Field("station", .optional(item.tag("icy-name"))),
                ]
            )
        case .finished: nil
        }
    }

    private static func itemStarted(_ item: PlayerItem, index: Int?, count: Int) -> JSON {
        let stream = item.info?.audioStreams.first
        return event(
            "item_started",
            identity(item) + [
                Field("index", .optional(index.map { $0 + 1 })),
                Field("count", .integer(count)),
                Field("title", .optional(item.title)),
                Field("artist", .optional(item.artist)),
                Field("album", .optional(item.tag("album"))),
                Field("station", .optional(item.tag("icy-name"))),
                Field("duration", .seconds(item.duration?.seconds)),
                Field("container", .optional(item.info?.container)),
                Field("codec", .optional(stream?.codec)),
                Field("sample_rate", .optional(stream?.sampleRate)),
                Field("channels", .optional(stream?.channels?.count)),
                Field("seekable", item.info.map { .bool($0.isSeekable) } ?? .null),
            ]
        )
    }

    private static func reconnecting(_ item: PlayerItem, _ wait: StreamStatus.Reconnecting) -> JSON {
        event(
            "reconnecting",
            identity(item) + [
                Field("message", .string(wait.reason)), Field("attempt", .integer(wait.attempt)),
                Field("delay", .seconds(max(0, wait.next - .now))),
            ]
        )
    }

    private static func statusChanged(_ status: PlayerStatus, time: MediaTime) -> JSON {
        let (state, reason) = words(for: status.timeControlStatus)
        return event(
            "status_changed",
            [
                Field("state", .string(state)),
                Field("reason", .optional(reason)),
                Field("position", .seconds(time.seconds)),
                Field("speed", .number(status.defaultRate)),
                Field("pitch", .string(status.timePitchAlgorithm == .timeDomain ? "keep" : "follow")),
                Field("volume", .number(status.volume.percent)),
                Field("muted", .bool(status.isMuted)),
                Field("loop", .string(status.loopMode.rawValue)),
            ]
        )
    }

    private static func words(for status: TimeControlStatus) -> (state: String, reason: String?) {
        switch status {
        case .paused: ("paused", nil)
        case .playing: ("playing", nil)
        case .waitingToPlayAtSpecifiedRate(.toMinimizeStalls): ("waiting", "buffering")
        case .waitingToPlayAtSpecifiedRate(.evaluatingBufferingRate): ("waiting", "opening")
        case .waitingToPlayAtSpecifiedRate(.noItemToPlay): ("waiting", "no_item")
        case .waitingToPlayAtSpecifiedRate(.outputUnavailable): ("waiting", "no_sound_server")
        }
    }

    private static func identity(_ item: PlayerItem) -> [Field] {
        [Field("id", .integer(item.id.number)), Field("location", .string(item.entry.shownLocation))]
    }

    private static func place(_ time: MediaTime, of item: PlayerItem?) -> [Field] {
        [
            Field("id", .optional(item?.id.number)),
            Field("position", .seconds(time.seconds)),
            Field("duration", .seconds(item?.duration?.seconds)),
        ]
    }

    private static func message(_ item: PlayerItem) -> String {
        guard case .failed(let reason) = item.status else { return "cannot be played" }
        return reason
    }

    /// Fields without a value are left out.
    private static func event(_ name: String, _ fields: [Field]) -> JSON {
        .compact([Field("event", .string(name))] + fields)
    }
}
