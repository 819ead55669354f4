import TestSupport

/// Values for the arguments of commands: plausible ones, extreme ones, and bytes.
enum FuzzValues {
    /// Addresses at which nothing answers; a host never comes from chance.
    private static let urls = [
        "http://127.0.0.1:9/a.mp3", "http://127.0.0.1:9/a.m3u8", "http://[::1]:9/b.pls", "rtsp://127.0.0.1:9/",
    ]
    private static let paths = [
        "one.flac", "two.flac", "Blue", "Blue/01 So What.flac", "other/untagged.wav", "lists/list.m3u", "notes.txt", "",
        "/", "..", "../..", "Blue/..", "nothing", "file:///etc/hostname", "/etc/hostname", "lists/list.m3u/track0001",
    ]
    private static let tags = [
        "Title", "artist", "Album", "AlbumArtist", "Date", "MUSICBRAINZ_TRACKID", "any", "file", "base",
    ]
    private static let classes = ["normal", "call", "alarm", "assistant"]
    private static let names = ["a", "default", "kitchen", "porch", "z 1", "one", "list"]
    private static let whole = ["0", "1", "2", "3", "7", "100"]
    private static let ranges = ["0:1", "0:3", "1:", ":", "0", "2:100", "-1", "0:0"]
    private static let seconds = ["0", "1", "0.5", "2.25", "10", "+3", "-3"]
    private static let filters = [
        "(artist == 'Miles Davis')", "(title contains \"o\")", "((album =~ '.*a') AND (!(date == '1959')))",
        "(base 'Blue')", "(modified-since '2001-01-01T00:00:00Z')", "(AudioFormat =~ '44100:*:2')", "(prio >= 1)",
        "(added-since '0')", "title", "(file starts_with 'o')", "(title eq_cs 'x')", "(!((((title != 'x')))))",
    ]

    /// By the name that an argument has in usages.
    static let plausible: [String: [String]] = [
        "TOPIC": ["player", "queue", "zones", "audit"], "URI": urls + paths, "NAME": names, "NEW_NAME": names,
        "TEXT": ["Dinner is ready", "a", ""],
        "ZONE": names + ["all"],
        "SONGPOS": whole, "SONGID": whole, "SONG1": whole, "SONG2": whole, "ID": whole, "OUTPUTID": whole, "TO": whole,
        "POSITION": whole + ["+0", "-0", "+1"], "OFFSET": ["0", "1", "8192", "20000"],
        "SIZE": ["64", "8192", "1000000"],
        "START:END": ranges, "FROM": whole, "TIME": seconds, "SECONDS": seconds, "RATE": ["0.5", "1", "2", "0"],
        "DECIBELS": ["-17", "0", "12", "nan"], "VOL": whole, "CHANGE": ["-10", "10", "0"],
        "STATE": ["0", "1", "oneshot"],
        "BOOLEAN": ["0", "1"], "PRIORITY": ["0", "1", "255"], "VERSION": whole,
        "MODE": ["off", "track", "album", "auto", "create", "append", "replace"],
        "TAG": tags, "TYPE": tags + ["song", "playlist", "filter", "directory"], "FILTER": filters,
        "VALUE": seconds + names,
        "CHANNEL": ["a", "b", "ratings"], "SUBSYSTEM": ["player", "database", "sticker", "message", "session"],
        "FEATURE": ["hide_playlists_in_root"], "SINK": ["default", "here"], "CLASS": classes,
        "CATEGORY": ["playback", "ambient", "soloAmbient", "playAndRecord", "record", "multiRoute"],
        "SESSIONMODE": ["default", "spokenAudio", "voiceChat", "moviePlayback"],
        "OPTIONS": ["mixWithOthers", "duckOthers,mixWithOthers", "interruptSpokenAudioAndMixWithOthers"],
        "POLICY": ["default", "longFormAudio"], "PREFERENCE": ["autoResume", "interruptOnRouteDisconnect"],
        "OWNER": ["uid 0", "uid 1000", "127.0.0.1"], "STICKERTYPE": ["song", "playlist", "filter", "Album"],
        "OPERATOR": ["=", ">", "<", "contains", "starts_with", "gt", "eq"], "VERB": ["fly", "list", "open", "hint"],
        "INFO": ["title", "artist", "duration", "elapsed", "live", "queueindex", "artwork"],
        "PICK": ["p1", "p2", "p3", "p4", "p0", "p4294967296"],
        "ASSETS": ["0123456789abcdef0123456789abcdef", "a,b", "", ",,"],
        "MEDIAFILTER": ["images", "not(covers)", "any()", "all(images,not(any(panoramas,bursts)))", "videos"],
        "REMOTE": ["play", "togglePlayPause", "nextTrack", "skipForward", "changePlaybackPosition", "like"],
        "audible|legible|visual": ["audible", "legible", "visual"], "OPTION": ["1", "2", "de", "eng", "auto"],
        "PASSWORD": ["x"],
        "CLIENT": ["tablet", "192.0.2.7", "uid:4242", "uid:0", "a b"],
        "PERMISSIONS": ["read", "read,add", "all", "none", "default"], "HOURS": ["07:00-20:00", "always", "1:00"],
        "CLOCK": ["07:00", "23:59:59", "0:00", "24:00"], "DAYS": ["daily", "mon-fri", "sun,mon", "fri-tue"],
        "DATE": ["2030-12-24", "2030-02-30", "9999-12-31"],
        "FORMAT": ["jpeg", "png", "webp", "rgba"], "GROUP": tags,
    ]

    /// Numbers, times and ranges at the limits of machine integers and floating point, and overlong texts.
    private static let extreme: [String] = [
        "1e300", "-1e300", "1e-320", "nan", "-nan", "inf", "-inf", "-0", "0.0000001", "9223372036854775807",
        "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296", "65536",
        "99999999999999999999999999999999", "0x7fffffff", "1e18", "1e19", "9.3e18", "0:1e300", "1e300:", "5:3", "-1:5",
        "9223372036854775807:9223372036854775807", "0:9223372036854775807", "2147483647:", "+9223372036854775807",
        "-9223372036854775807", "+1e300", "-", "+", ":", "", " ", "%s%n", "\u{0}", "\u{feff}", "é", "🎵",
        String(repeating: "(", count: 3_000), String(repeating: "a", count: 3_000),
        String(repeating: "é", count: 5_000),
        "(title =~ '(a+)+$')", "(title =~ '\(String(repeating: "(a?){9}", count: 40))')",
    ]

    /// What a damaged line may get put in.
    static let pieces: [[UInt8]] = ["\"", "\\", "'", "\t", "\u{0}", " ", "\r"].map { Array($0.utf8) }

    /// A value for an argument; mostly one that it may have.
    static func value(_ argument: String, _ generator: inout SplitMix) -> [UInt8] {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<12: return Array((plausible[argument]?.randomElement(using: &generator) ?? "").utf8)
        case 12..<18: return Array((extreme.randomElement(using: &generator) ?? "").utf8)
        case 18:
            let others = plausible.keys.sorted().randomElement(using: &generator).flatMap { plausible[$0] } ?? []
            return Array((others.randomElement(using: &generator) ?? "").utf8)
        default:
            return (0..<Int.random(in: 1...40, using: &generator)).map { _ in .random(in: 1...255, using: &generator) }
        }
    }

    /// A value as an argument of a request.
    static func written(_ value: [UInt8], _ generator: inout SplitMix) -> [UInt8] {
        let isPlain = !value.isEmpty && value.allSatisfy { $0 > 0x20 && !"\"'\\".utf8.contains($0) }
        if isPlain, !generator.isOne(in: 4) { return value }
        var result: [UInt8] = [UInt8(ascii: "\"")]
        for byte in value {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return result + [UInt8(ascii: "\"")]
    }
}
