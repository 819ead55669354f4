import Announcements
import AudioSessions
import AudioTypes
import LineProtocol
import Testing

@testable import Authorization

/// What grants come to, and how they are written.
@Suite struct GrantValueTests {
    private func moment(_ clock: String, seconds: Double = 0) -> Moment {
        let parts = clock.split(separator: ":").compactMap { Int($0) }
        let minute = parts[0] * 60 + parts[1]
        return Moment(seconds: Double(minute * 60) + seconds, minute: minute)
    }

    private func grants(_ words: String...) throws -> Grants {
        var grants = Grants()
        try grants.change(words)
        return grants
    }

    @Test func whatIsNotStatedIsAsConfigured() throws {
        let configured: Permissions = [.read, .add]
        #expect(Grants().rights(configured: configured, at: moment("12:00")) == Rights(permissions: configured))
        #expect(Grants.denied.rights(configured: configured, at: moment("12:00")).isEmpty)
        let player = try grants("permissions", "read,player")
        #expect(player.rights(configured: configured, at: moment("12:00")).permissions == [.read, .player])
    }

    @Test func zonesNarrow() throws {
        let child = try grants("permissions", "read,player", "zone", "kitchen=read,add", "zone", "nursery")
        let rights = child.rights(configured: .all, at: moment("12:00"))
        #expect(rights.permissions(in: "kitchen") == .read)
        #expect(rights.permissions(in: "nursery") == [.read, .player])
        #expect(rights.permissions(in: "hall") == [])
        let guest = try grants("permissions", "read,add-only", "zone", "a", "zone", "b=read", "songs", "3")
        let narrowed = guest.rights(configured: .all, at: moment("12:00"))
        #expect(narrowed.permissions(in: "a") == [.read, .addOnly] && narrowed.permissions(in: "b") == .read)
        #expect(narrowed.songs == 3)
        var anywhere = child
        try anywhere.change(["zone", "all"])
        #expect(anywhere.rights(configured: .all, at: moment("12:00")).permissions(in: "hall") == [.read, .player])
        let nothing = try grants("permissions", "read", "zone", "a=player")
        #expect(nothing.rights(configured: [], at: moment("1:00")).isEmpty)
    }

    /// What was granted for a time leaves nothing behind, also where the configuration gives something.
    @Test func grantsEnd() throws {
        let noon = moment("12:00")
        let guest = try grants("permissions", "read", "until", "\(Int(noon.seconds))")
        #expect(guest.rights(configured: .all, at: moment("11:59")).permissions == .read)
        #expect(guest.rights(configured: .all, at: noon).isEmpty)
        #expect(guest.validity.nextChange(after: moment("11:00")) == noon.seconds)
        #expect(guest.validity.nextChange(after: noon) == nil)
    }

    @Test func timesOfDay() throws {
        let child = try grants("permissions", "read", "hours", "07:00-20:00")
        for (clock, may) in [("06:59", false), ("07:00", true), ("19:59", true), ("20:00", false)] {
            #expect(child.rights(configured: .all, at: moment(clock)).isEmpty == !may, "\(clock)")
        }
        #expect(child.validity.nextChange(after: moment("19:30", seconds: 10)) == moment("20:00").seconds)
        // Clocks are put forward at a full hour.
        #expect(child.validity.nextChange(after: moment("09:30")) == moment("10:00").seconds)
        #expect(child.validity.nextChange(after: moment("20:00")) == moment("21:00").seconds)
    }

    /// In quiet hours a client only reads; what withholds for a while is a restriction, and what has ended is none.
    @Test func quietHours() throws {
        let end = moment("23:00")
        let child = try grants(
            "permissions",
            "read,player",
            "classes",
            "alarm,no-call",
            "hours",
            "07:00-22:00",
            "quiet-hours",
            "13:00-15:00,21:00-23:30",
            "until",
            "\(Int(end.seconds))"
        )
        func rights(_ clock: String) -> Rights { child.rights(configured: [], at: moment(clock)) }
        #expect(rights("12:59").permissions == [.read, .player] && !rights("12:59").isRestricted)
        #expect(rights("12:59").permit(.alarm, holding: []) && rights("12:59").isTimed)
        #expect(rights("13:00").permissions == .read && rights("13:00").isRestricted)
        #expect(!rights("13:00").permit(.alarm, holding: []) && !rights("13:00").permit(.call, holding: .all))
        #expect(rights("15:00").permissions == [.read, .player])
        #expect(rights("22:30").permissions == [] && rights("22:30").isRestricted)
        #expect(rights("23:00").permissions == [] && !rights("23:00").isRestricted)
        func next(_ clock: String) -> Double? { child.nextChange(after: moment(clock)) }
        #expect(next("12:10") == moment("13:00").seconds && next("20:40") == moment("21:00").seconds)
        let reader = try grants("permissions", "read", "quiet-hours", "00:00-24:00")
        #expect(!reader.rights(configured: [], at: moment("12:00")).isRestricted, "it lacks nothing")
        func status(_ rights: Rights) -> AuthorizationStatus { AuthorizationStatus(rights, isDecided: true) }
        #expect(status(rights("13:00")) == .restricted && status(rights("22:30")) == .restricted)
        #expect(status(rights("12:00")) == .limited && status(rights("23:00")) == .denied)
    }

    @Test(arguments: [
        ["permissions", "fly"], ["permissions"], ["zone", "=read"], ["zone", "a=fly"], ["until", "nan"],
        ["until", "-1"],
        ["until", "1e300"], ["hours", "25:00-3:00"], ["wings", "2"], ["songs", "-1"],
        ["permissions", "read", "until", "x"], ["volume", "101"], ["volume", "=3"], ["volume", "a=x"], ["speed", "9"],
        ["library", "some"], ["folder", ""], ["folder", "/"], ["filter", "title"], ["songs-per-hour", "-1"],
        ["announcements-per-minute", "x"], ["megabytes-per-hour", "0"], ["megabytes-per-hour", "1e300"],
        ["megabytes-per-hour", "1000001"], ["quiet-hours", "always"], ["quiet-hours", "22:00"], ["order", "odd"],
        ["classes", ""], ["classes", "boss"],
        ["classes", "alarm,no-alarm"], ["classes", "alarm,"], ["classes", "no-no-call"], ["commands", "clear"],
        ["commands", "no-"],
        ["commands", "no-clear,"], ["commands", "no-CLEAR"], ["commands", ""],
        ["commands", "no-" + String(repeating: "a", count: 33)],
        ["commands", (0...100).map { "no-a\($0)" }.joined(separator: ",")],
    ]) func badWordsChangeNothing(words: [String]) throws {
        var kept = try grants("permissions", "player", "zone", "a")
        let before = kept
        #expect(throws: GrantProblem.self) { try kept.change(words) }
        #expect(kept == before)
    }

    @Test(arguments: [
        "permissions none", "classes normal,no-assistant,alarm,no-call",
        "permissions read,add,no-network classes alarm zone a zone b=read", "until 1790000000 songs 5",
        "permissions read,add,player,control,admin hours 07:00-20:00,22:00-23:00", "commands no-clear,no-stop",
        "songs 5 hours 07:00-20:00 quiet-hours 12:00-14:00,19:00-20:00 megabytes-per-hour 20",
    ]) func wordsComeBack(line: String) throws {
        var grants = Grants()
        try grants.change(line.split(separator: " ").map(String.init))
        #expect(grants.words.joined(separator: " ") == line)
    }

    /// What is granted ends with the grants; what is denied stays so.
    @Test func classes() throws {
        let (noon, held) = (moment("12:00"), Permissions([.read, .player]))
        let guest = try grants("classes", "alarm,no-normal", "until", "\(Int(noon.seconds))")
        func may(_ kind: SessionClass, _ clock: String, _ held: Permissions) -> Bool {
            guest.rights(configured: held, at: moment(clock)).permit(kind, holding: held)
        }
        #expect(may(.alarm, "11:59", held) && !may(.normal, "11:59", held) && !may(.call, "11:59", held))
        #expect(may(.call, "11:59", .all), "what is not decided goes by the permission control")
        #expect(!may(.alarm, "12:00", held) && !may(.normal, "12:00", held))
        #expect(Rights(permissions: held).permit(.normal, holding: held))
        var changed = guest
        try changed.change(["classes", "default", "until", "never"])
        #expect(changed == Grants())
    }

    @Test func names() {
        #expect(PrincipalID("uid 1000") == .user(1_000))
        #expect(PrincipalID("uid:0") == .user(0))
        #expect(PrincipalID("192.0.2.1").map { "\($0)" } == "192.0.2.1")
        #expect(PrincipalID("::ffff:192.0.2.1") == PrincipalID("192.0.2.1"))
        #expect(PrincipalID("tablet-2.x").map { "\($0)" } == "tablet-2.x")
        for bad in ["", "uid ", "uid 99999999999", "a b", "a\nb", "uid +5", String(repeating: "a", count: 65), "ü"] {
            #expect(PrincipalID(bad) == nil, "\(bad)")
        }
    }

    @Test func theStoreComesBack() throws {
        var (store, journal) = (GrantStore(), [[String]]())
        let tablet = try #require(PrincipalID("tablet"))
        var entry = GrantStore.Entry()
        entry.grants = try grants("permissions", "read", "zone", "kitchen")
        entry.password = PasswordHash("$y$j9T$salt$hash")
        journal.append(store.set(tablet, entry))
        journal.append(store.set(.user(1_000), GrantStore.Entry()))
        let forgotten = (store.forget(.user(1_000)), store.forget(.user(1_000)))
        journal.append(try #require(forgotten.0))
        #expect(forgotten.1 == nil)
        for lines in [journal, store.lines] {
            var later = GrantStore()
            for line in lines {
                let isUnderstood = later.apply(line)
                #expect(isUnderstood)
            }
            #expect(later.entries == store.entries)
        }
    }

    /// A line that cannot be read denies everything.
    @Test func damageDenies() {
        var store = GrantStore()
        for line in [
            ["client", "tablet", "", "permissions", "raed"], ["client"], ["client", "a b", ""], ["x", "tablet"],
        ] {
            let isUnderstood = store.apply(line)
            #expect(!isUnderstood, "\(line)")
        }
        #expect(store.entries.values.map(\.grants) == [.denied])
    }

    @Test func status() throws {
        func status(_ grants: Grants?, configured: Permissions) -> AuthorizationStatus {
            let rights = (grants ?? Grants()).rights(configured: configured, at: moment("12:00"))
            return AuthorizationStatus(rights, isDecided: grants != nil)
        }
        #expect(status(nil, configured: []) == .notDetermined)
        #expect(status(nil, configured: .read) == .authorized)
        #expect(status(.denied, configured: .all) == .denied)
        let (reader, kitchen) = (try grants("permissions", "read"), try grants("zone", "a"))
        #expect(status(reader, configured: []) == .limited)
        #expect(status(kitchen, configured: .all) == .limited)
        let everything = try grants("permissions", "all")
        #expect(status(everything, configured: []) == .authorized)
    }

    /// A class that is granted says nothing about what else the client may do.
    @Test func classesAloneDecideNothing() throws {
        func status(_ words: String..., configured: Permissions) throws -> AuthorizationStatus {
            var entry = GrantStore.Entry()
            try entry.grants.change(words)
            let rights = entry.grants.rights(configured: configured, at: moment("12:00"))
            return AuthorizationStatus(rights, isDecided: entry.isDecided)
        }
        #expect(try status("classes", "alarm", configured: []) == .notDetermined)
        #expect(try status("classes", "no-alarm", configured: []) == .notDetermined)
        #expect(try status("classes", "alarm", configured: .read) == .authorized)
        #expect(try status("classes", "no-alarm", configured: .all) == .limited)
        #expect(try status("classes", "alarm", "permissions", "none", configured: .all) == .denied)
        #expect(try status("classes", "alarm", "zone", "a", configured: .all) == .limited)
    }

    /// The last use counts, also where the clock was wrong before.
    @Test func uses() throws {
        let (tablet, phone) = (try #require(PrincipalID("tablet")), try #require(PrincipalID("phone")))
        var store = LastUses()
        store.record(tablet, at: 100.9, now: 101)
        store.record(tablet, at: 90, now: 101)
        store.record(phone, at: 5_000, now: 5_000)
        store.record(phone, at: 200, now: 201)
        #expect(store[tablet] == 100 && store[phone] == 200)
        let (lines, again) = (store.takeUnwritten(), store.takeUnwritten())
        #expect(lines == [["used", "phone", "200"], ["used", "tablet", "100"]] && again == [])
        let (gone, nothing) = (store.forget(phone), store.forget(phone))
        #expect(gone == ["unused", "phone"] && nothing == nil && store.lines == [["used", "tablet", "100"]])
        var later = LastUses()
        for line in lines + [["unused", "phone"]] {
            let isUnderstood = later.apply(line)
            #expect(isUnderstood)
        }
        #expect(later.lines == store.lines && later.takeUnwritten() == [])
        for line in [["used", "tablet"], ["used", "a b", "1"], ["used", "tablet", "-1"], ["used", "tablet", "1e9"]] {
            let isUnderstood = later.apply(line)
            #expect(!isUnderstood, "\(line)")
        }
        #expect(later.lines == store.lines)
    }
}
