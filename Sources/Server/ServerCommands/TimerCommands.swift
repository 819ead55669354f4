internal import AudioTypes
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerTimers
internal import Songs
internal import ValueText
internal import Zones

/// The sleep timer.
let timerCommands: [Row<TimerServices>] = [
    .plain(
        "sleep",
        .player,
        library: .nothing,
        reply: .records(.sleep),
        .optional(.text("TIME|endofsong|chapter|queue|off").named("time", .duration))
    ) { request, word in
        let timers = request.services.sleepTimers
        guard let word else { return request.reply.appendSleep(of: request.zone, timers) }
        let end = word == "off" ? nil : try sleepEnd(word, at: request.now)
        guard timers.set(end, of: request.zone) else {
            throw AckError(.doesNotExist, "the current song has no chapters")
        }
    }
]

private func sleepEnd(_ word: String, at now: Double) throws(AckError) -> SleepEnd {
    switch word {
    case "endofsong": return .song
    case "chapter": return .chapter
    case "queue": return .queue
    default: break
    }
    let time: MediaTime
    do throws(ArgumentProblem) {
        time = try TimeArgument.parse(word)
    } catch {
        throw badParam("sleep takes a time such as 90, 30m or 1h30m, or endofsong, chapter, queue or off: \(error)")
    }
    guard (1...longestSleep).contains(time.seconds) else { throw badParam("sleep takes from 1 second to 24 hours") }
    return .time(now + time.seconds)
}

/// In seconds.
private let longestSleep = 86_400.0

extension Reply {
    /// The seconds until the zone's sleep timer pauses it, or where it does; nothing without one.
    mutating func appendSleep(of zone: Zone, _ timers: SleepTimers) {
        if let seconds = timers.remaining(in: zone) {
            line("sleep", Int(saturating: seconds.rounded(.up)))
        } else if let end = timers.end(of: zone) {
            line("sleep", end.word)
        }
    }
}
