import ServerCommands
import ServerRequests

/// A request for every row of the command table, as a client gives it that sees a part of the library.
///
/// `%S` is the URI of a song that it does not see, `%D` that of its folder, `%P` a stored playlist, `%T` a title, `%I` a
/// portable identifier.
enum SecretSongLines {
    /// End the connection or the server, or change the connection's language.
    static let left: Set = ["kill", "close", "json", "watch", "unwatch"]

    static let lines: [String] = [
        "status", "currentsong", "playlist", "playlistinfo", "playlistinfo 1:3", "playlistid", "plchanges 0",
        "plchangesposid 0", "playlistfind title \"%T\"", "playlistsearch title \"%T\"",
        "playlistsearch \"(title =~ '.*')\"", "playlistfind file \"%S\"", "stats", "buffer", "mediaselection",
        "chapters", "ticket",
        "find title \"%T\"", "find file \"%S\"", "find base \"%D\"", "find \"(base '%D')\"", "find genre Noise",
        "find \"(genre == 'Noise')\" sort title window 0:10", "find \"(title =~ '.*')\" sort artist",
        "search any q", "search any noise", "search title \"%T\"", "search title s window 0:5", "search file secret",
        "searchcount any noise", "count genre Noise", "count group artist", "count genre Noise group album",
        "list title", "list artist", "list album group artist", "list file", "list file title \"%T\"", "list genre",
        "list album artist \"%T\"", "list album \"%T\"", "listall", "listall \"%S\"", "listall \"%D\"", "listall Mixed",
        "listallinfo", "listallinfo \"%S\"", "listallinfo \"%D\"", "lsinfo", "lsinfo \"%S\"", "lsinfo \"%D\"",
        "lsinfo Mixed", "listfiles", "listfiles \"%D\"", "listfiles \"%S\"", "listfiles Mixed", "albumart \"%S\" 0",
        "readpicture \"%S\" 0", "readcomments \"%S\"", "lyrics \"%S\"", "thumbnail \"%S\" 64 0 0",
        "artwork song \"%S\" 64 0", "artwork file \"%S\" 64 0", "artwork directory \"%D\" 64 0",
        "artwork directory Mixed 64 0",
        "artwork playlist \"%P\" 64 0", "artwork filter \"(title == '%T')\" 64 0", "identify \"%S\"", "identify %I",
        "identify \"%S\" \"Open/song 1.flac\"", "library status", "library problems", "library duplicates",
        "library loudness \"%S\"", "getfingerprint \"%S\"", "schedule list", "schedule info 1",
        "schedule add 07:00 command \"add Mixed\"", "audit list", "audit why", "pair status", "pairing list",
        "picker open", "picker open kind media", "picker open kind songs", "picker open kind songs purpose extend",
        "picker open kind songs purpose extend lasting",
        "picker list",
        "picker items p1", "picking list", "picking items p1",
        "ceiling list",
        "library media", "library media \"%D\"", "library media \"%S\"",
        "listplaylists", "listplaylist \"%P\"", "listplaylistinfo \"%P\"", "listplaylist party",
        "listplaylist \"%D.m3u\"",
        "playlistlength \"%P\"", "playlistlength party", "searchplaylist \"%P\" any noise",
        "searchplaylist party \"(title =~ '.*')\"", "sticker get song \"%S\" x", "sticker list song \"%S\"",
        "sticker find song \"\" x", "sticker find song \"%D\" x", "sticker set song \"%S\" x 1",
        "sticker inc song \"%S\" x 1", "sticker delete song \"%S\"", "sticker list playlist \"%P\"",
        "sticker find playlist \"\" x", "stickernames", "stickertypes", "stickernamestypes", "nowplaying",
        "session list", "session info", "session info 1", "session info 2", "session info 3", "session nowplaying",
        "session events", "session players", "session hint", "session foreign", "session codes", "announcement list",
        "announcement info 1", "announcement info 2", "alarm list", "alarm info 1", "alarm info 2", "why",
        "commands", "notcommands", "tagtypes", "urlhandlers", "decoders", "outputs", "listpartitions", "listmounts",
        "channels", "readmessages", "replay_gain_status", "getvol", "protocol", "config", "clients list",
        "ping", "binarylimit 8192", "password nothing:wrong", "idle playlist",
        // What changes something.
        "add \"%S\"", "add \"%D\"", "add Mixed", "addid \"%S\"", "addid \"%D\"", "findadd title \"%T\"",
        "findadd genre Noise", "searchadd title \"%T\"", "searchaddpl party title \"%T\"", "load \"%P\"", "load party",
        "load \"%D.m3u\"", "addtagid 1 comment x", "cleartagid 1", "rangeid 1 0:1", "playlistadd party \"%S\"",
        "playlistclear party", "playlistdelete party 0", "playlistmove party 0 1", "rename party \"%P\"", "rm \"%P\"",
        "save \"%P\"", "update \"%S\"", "update \"%D\"", "rescan \"%D\"", "mount x \"%S\"", "unmount \"%S\"",
        "announce \"%S\"", "announce say hello chime \"%S\"", "alarm add 07:00 uri \"%S\"",
        "alarm add 07:00 uri \"%D\"",
        "alarm add 07:00 uri \"%P\"", "alarm add 07:00 fallback \"%S\"",
        "play 0", "playid 1", "pause 1", "pause 0", "next", "previous", "seek 0 1", "seekid 1 1", "seekcur 1",
        "status", "currentsong", "move 0 1", "moveid 1 0", "swap 0 1", "swapid 1 2", "shuffle", "prio 5 0",
        "prioid 5 1", "random 0", "repeat 0", "single 0", "consume 0", "crossfade 0", "mixrampdb 0", "mixrampdelay 0",
        "replay_gain_mode off", "setvol 50", "volume 1", "speed 1", "pitch timeDomain", "sleep 30m",
        "selectmedia audible 1", "subscribe x", "sendmessage x y", "unsubscribe x", "route list", "route outputs",
        "outputset 0 x y", "moveoutput null", "disableoutput 0", "enableoutput 0", "toggleoutput 0", "toggleoutput 0",
        "newpartition more", "partition more", "partition default", "zone handover more", "partition more",
        "playlistinfo", "status", "partition default", "delpartition more", "clearerror", "playlistinfo",
        "delete 0", "deleteid 2", "stop", "status", "clear",
    ]

    /// Commands of the table without a line.
    static var forgotten: [String] {
        let named = Set(lines.map { String($0.prefix { $0 != " " }) })
        return CommandTable.standard.commands.map(\.name).filter { !named.contains($0) && !left.contains($0) }
    }
}
