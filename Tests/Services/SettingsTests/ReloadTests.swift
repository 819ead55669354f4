import Settings
import Testing

@Suite struct ReloadTests {
    /// A change, and the keys that need a restart for it.
    @Test(arguments: [
        ("log-level = \"error\"", []), ("allow-anonymous = \"any\"", []), ("[limits]\nmax-connections = 2", []),
        ("[replay-gain]\nmode = \"track\"", []), ("resume-within = 1", []), ("[[password]]\npassword = \"x\"", []),
        ("[tls]\nrequired = true\ncertificate = \"/x\"", []),
        ("music-directory = \"/other\"", ["music-directory"]),
        ("state-directory = \"/s\"", ["state-directory"]),
        ("listen = \"@x\"\nlog-level = \"error\"", ["listen"]),
        ("web = { listen = [], names = [\"x.example\"] }", ["web.listen"]),
        ("web.proxies = [\"10.0.0.1\"]", []), ("web.metrics = true", []),
        ("[[output]]\nname = \"A\"\ntype = \"null\"", ["output"]),
        ("[[zone]]\nname = \"z\"", ["zone"]), ("tags = \"none\"", ["tags"]),
        ("stream.buffer = 30", []), ("[[zone]]\nname = \"default\"\nstream.buffer = 3", []),
        ("stream.max-bitrate = \"128k\"", []), ("stream.reconnect-for = 3", ["stream"]),
        ("[stream]\nheaders = [\"A: b\"]", ["stream"]), ("stream.verify-certificates = false", ["stream"]),
        ("[session]\nduck = 3", []), ("announcements.volume = 50", []), ("spoken-genres = []", []),
        ("[[announcement-rule]]\nprefix = \"http://ha/\"\nuser = 0", []),
        ("category = \"ambient\"\nmode = \"spokenAudio\"", ["category", "mode"]),
        ("options = [\"mixWithOthers\"]\nauto-resume = false", ["options", "auto-resume"]),
        ("foreign-streams = true", []), ("[[foreign]]\nname = \"Firefox\"\nignore = true", []),
        ("log-format = \"json\"", ["log-format"]), ("auto-update = true", ["auto-update"]),
        (
            "follow-inside-symlinks = false\nfollow-outside-symlinks = false",
            ["follow-inside-symlinks", "follow-outside-symlinks"]
        ),
    ])
    func onlySomeChangesNeedARestart(text: String, keys: [String]) throws {
        let old = try parse("")
        let new = try parse(text)
        #expect(new.changesNeedingRestart(from: old) == keys)
        let applied = new.applicable(over: old)
        #expect(applied.changesNeedingRestart(from: old) == [])
        if keys.isEmpty { #expect(applied == new) }
        #expect(new.changesNeedingRestart(from: old, announcedUpTo: old) == keys)
        #expect(new.changesNeedingRestart(from: old, announcedUpTo: new) == [])
        #expect(new.applicable(over: new) == new)
    }
}
