import TestSupport
import TestTiming
import Testing

extension GuestZoneTests {
    /// All commands, with all verbs, and with all that has a number or a name in another zone.
    ///
    /// The other zone stays as it was, whatever the answers are.
    @Test(.timed) func nothingElsewhereIsChanged() async throws {
        let start = ContinuousClock.now
        try owner.order("alarm add \(timeOfDay(in: 3)) length 60")
        try expect(ContinuousClock.now - start, atMost: .seconds(2), since: start)
        try TestSupport.wait(for: "the alarm") { try owner.values("status")["alarm"] == "1" }
        for command in [
            "alarm snooze 2h", "alarm add \(timeOfDay(in: 43_200)) daily", "alarm addholiday 2030-12-24",
            "add one.flac", "add two.flac", "play", "pause 1", "sleep endofsong",
            "schedule add \(timeOfDay(in: 43_200)) command stop", "session open Mine persistent",
        ] { try owner.order(command) }
        let sessions = [try interruption(by: owner), try #require(owner.values("session info")["session"]), "1"]
        for _ in 0..<2 { try owner.order("announce one.flac expires 3600") }
        // A song that is paused is opened a moment later.
        try TestSupport.wait(for: "the song's format") { try owner.values("status")["audio"] != nil }
        let guest = try guest("read,add,player,control,outputs,network")
        let before = try elsewhere()
        let names = try owner.order("commands").compactMap { $0.hasPrefix("command: ") ? $0.dropFirst(9) : nil }
        #expect(names.count > 120)
        for name in names where !Self.leftOut.contains(String(name)) {
            let lines = Self.words(for: String(name), sessions).map { "\(name) \($0)" }
            guest.send(lines.joined(separator: "\n") + "\n")
            for line in lines { #expect(!guest.reply().isEmpty, "\(line)") }
            let after = try elsewhere()
            #expect(after == before, "\(name): \(Set(after).symmetricDifference(before).sorted())")
            if after != before { return }
        }
    }

    /// Commands that end a connection or wait, or with replies that are not lines.
    private static let leftOut: Set = [
        "idle", "noidle", "close", "json", "watch", "kill", "password", "command_list_begin", "command_list_ok_begin",
        "command_list_end", "pair", "albumart", "readpicture",
    ]

    /// The words after a command: verbs with what they may name, or any one or two that name something.
    private static func words(for command: String, _ sessions: [String]) -> [String] {
        let numbers = ["0", "1", "2"]
        let zones = ["default", "kitchen", "all", "default,kitchen"]
        func each(_ verbs: [String], _ names: [String], _ rest: String = "") -> [String] {
            verbs.flatMap { verb in names.map { "\(verb) \($0) \(rest)" } }
        }
        switch command {
        case "session":
            let commands = ["play", "pause", "stop", "nextTrack", "changePlaybackPosition 1", "changeRepeatMode all"]
            return ["silence 1", "lock 1", "reply 1 0", "permission deny uid:0 call"]
                + commands.flatMap { each(["send"], sessions + ["nowplaying"], $0) }
                + each(["close", "activate", "deactivate", "nowplaying", "commands"], sessions)
                + each(["playing", "background"], sessions, "1") + each(["category"], sessions, "ambient")
                + each(["prefer"], sessions, "volume 1") + each(["interrupt accept", "interrupt end"], sessions)
                + each(["interrupt begin call zone", "interrupt begin alarm style banner zone"], zones)
                + each(["open Intercom sink"], ["here", "there", "default"])
        case "alarm":
            return ["dismiss", "snooze", "snooze 10m", "addholiday 2030-01-01", "rmholiday 2030-12-24"]
                + each(["rm", "enable", "disable", "skip", "dismiss", "snooze"], numbers)
                + each(["add 07:00 daily zone"], zones) + ["add 07:00 daily zone kitchen zone default"]
        case "announcement": return each(["cancel"], numbers + ["all"])
        case "announce": return each(["two.flac zone"], zones) + each(["two.flac zone kitchen zone"], zones)
        case "schedule":
            return each(["rm", "enable", "disable", "skip"], numbers)
                + each(["add 22:00 zone"], zones, "command stop")
        case "zone": return each(["handover", "remove"], zones)
        case "route": return each(["set"], ["here", "there", "default"])
        case "clients":
            return each(["set", "revoke", "forget", "password"], ["127.0.0.1", "uid:0"], "permissions all")
        case "moveoutput": return ["here", "there"]
        case "sticker":
            return each(["set song", "delete song", "inc song"], ["one.flac"], "rating 1")
        default:
            let any = numbers + sessions + ["default", "kitchen", "all", "here", "off"]
            return [""] + any + any.flatMap { first in any.map { "\(first) \($0)" } }
        }
    }

    /// All that the owner is told of the zone that the guest must not reach.
    private func elsewhere() throws -> [String] {
        let questions = [
            "status", "playlistinfo", "outputs", "listpartitions", "sleep", "why", "session list zone default",
            "session permission list", "alarm info 1", "alarm info 2", "alarm holidays", "schedule info 1",
            "announcement info 1", "announcement info 2", "clients show 127.0.0.1", "replay_gain_status",
        ]
        return try questions.flatMap { question in
            try owner.order(question).filter { line in Self.changing.allSatisfy { !line.hasPrefix($0) } }
                .map { "\(question) \($0)" }
        }
    }

    /// Keys of values that change by themselves, or with the guest's own zone.
    private static let changing = [
        "elapsed: ", "time: ", "updating_db: ", "connection: ", "since: ", "idle: ", "used: ",
    ]
}
