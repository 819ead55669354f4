import ServerCommands
import ServerRequests

/// A request for every row of the command table that, where it can, needs the music.
enum StallCommands {
    /// Ends the server, is nothing that waits, or changes the connection's language.
    static let left: Set = ["kill", "close", "json", "watch", "unwatch"]

    static let lines: [String] = [
        "add one.flac", "add Blue", "add \"disc.cue/track0002\"", "addid two.flac", "addid new/nothing.flac",
        "addtagid 1 comment x", "albumart one.flac 0", "albumart \"Blue/01 So What.flac\" 0",
        "alarm list", "schedule list",
        "announce one.flac volume 1", "announce \"disc.cue/track0001\" volume 1", "announcement list",
        "artwork song one.flac 100 0", "artwork file one.flac 100 0", "artwork directory Blue 100 0",
        "artwork playlist mine 100 0",
        "artwork filter \"(title == 'One')\" 100 0", "binarylimit 8192",
        "buffer", "channels", "clear", "clearerror", "cleartagid 1 comment", "clients list", "pair status",
        "picker open", "picking list", "pairing list", "audit list", "ceiling list", "chapters", "ticket",
        "commands", "config",
        "consume 0",
        "count title One", "crossfade 0", "currentsong", "decoders", "delete 0", "deleteid 2", "delpartition spare",
        "disableoutput 0", "enableoutput 0", "find title One", "findadd title One", "getfingerprint one.flac", "getvol",
        "identify one.flac",
        "idle mount", "library status", "library problems", "library loudness one.flac", "library media", "list album",
        "listall", "listall Blue",
        "listallinfo",
        "listfiles", "listfiles Blue", "listmounts", "mount x nfs://x/y", "unmount x", "listpartitions",
        "listplaylist mine", "listplaylist lists/list.m3u",
        "listplaylistinfo mine", "listplaylists", "load mine", "load lists/list.m3u", "load disc.cue", "lsinfo",
        "lsinfo Blue", "lsinfo new", "lyrics one.flac", "mediaselection", "mixrampdb 0", "mixrampdelay 0", "move 0 1",
        "moveid 1 0",
        "moveoutput null",
        "newpartition more", "next", "notcommands", "nowplaying", "outputs", "outputset 0 x y", "partition spare",
        "password x", "pause", "ping", "pitch timeDomain", "play", "play 1", "playid 1", "playlist",
        "playlistadd mine two.flac", "playlistadd mine new/nothing.flac", "playlistclear other",
        "playlistdelete mine 0",
        "playlistfind title One", "playlistid", "playlistinfo", "playlistlength mine", "playlistmove mine 0 1",
        "playlistsearch \"(title =~ 'O.e')\"", "plchanges 0", "plchangesposid 0", "previous", "prio 1 0", "prioid 1 1",
        "protocol", "random 0", "rangeid 1 0:1", "readcomments one.flac", "readmessages", "readpicture two.flac 0",
        "rename mine yours", "repeat 0", "replay_gain_mode off", "replay_gain_status", "rescan", "rm other",
        "route list", "route outputs", "save saved", "search title One", "search \"(title =~ 'O.e')\"",
        "searchadd title One",
        "searchaddpl mine title One", "searchcount title One", "searchplaylist mine \"(title contains 'One')\"",
        "seek 0 1", "seekcur 1", "seekid 1 1", "sendmessage x y", "selectmedia audible 1", "session list", "setvol 50",
        "shuffle", "single 0", "sleep 30m",
        "speed 1", "stats", "status", "sticker get song one.flac x", "sticker set song one.flac x 1",
        "sticker find song \"\" x", "stickernames", "stickernamestypes", "stickertypes", "stop", "subscribe x",
        "swap 0 1", "swapid 1 2", "tagtypes", "thumbnail one.flac 100 0 0", "toggleoutput 0", "unsubscribe x", "update",
        "urlhandlers", "volume 0",
        "why", "zone handover spare",
    ]

    /// Commands of the table without a line.
    static var forgotten: [String] {
        let named = Set(lines.map { String($0.prefix { $0 != " " }) })
        return CommandTable.standard.commands.map(\.name).filter { !named.contains($0) && !left.contains($0) }
    }
}
