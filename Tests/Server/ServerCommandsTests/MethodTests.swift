import JSONRPC
import LineProtocol
import ServerCommands
import ServerRequests
import Testing
import TextEncodings

/// Each method of JSON-RPC, and the request of MPD's protocol that it stands for.
@Suite struct MethodTests {
    /// A call of every method, and the words that it becomes.
    static let calls: [(method: String, arguments: String, line: String)] = [
        // Playing.
        ("status", "", "status"), ("currentsong", "", "currentsong"), ("stats", "", "stats"),
        ("clearerror", "", "clearerror"), ("play", #""position":3"#, "play 2"), ("playid", #""id":7"#, "playid 7"),
        ("pause", #""state":true"#, "pause 1"), ("stop", "", "stop"), ("next", "", "next"),
        ("previous", "", "previous"), ("seek", #""position":1,"time":2.5"#, "seek 0 2.5"),
        ("seekid", #""id":1,"time":2"#, "seekid 1 2"), ("seekcur", #""time":"+5""#, "seekcur +5"),
        ("speed", #""rate":1.5"#, "speed 1.5"), ("pitch", #""algorithm":"varispeed""#, "pitch varispeed"),
        ("buffer", "", "buffer"), ("mediaselection", "", "mediaselection"), ("chapters", "", "chapters"),
        ("selectmedia", #""group":"audible","option":"en""#, "selectmedia audible en"),
        ("lyrics", #""uri":"a.flac","start":1,"end":2"#, "lyrics a.flac 1:2"), ("why", #""zone":"hall""#, "why hall"),
        ("nowplaying", "", "nowplaying"),
        // Options.
        ("repeat", #""state":true"#, "repeat 1"), ("random", #""state":false"#, "random 0"),
        ("single", #""state":"once""#, "single oneshot"), ("consume", #""state":"off""#, "consume 0"),
        ("crossfade", #""seconds":3"#, "crossfade 3"), ("mixrampdb", #""decibels":-17"#, "mixrampdb -17"),
        ("mixrampdelay", #""seconds":2"#, "mixrampdelay 2"), ("setvol", #""volume":40"#, "setvol 40"),
        ("volume", #""change":-5"#, "volume -5"), ("getvol", "", "getvol"),
        ("replay_gain_mode", #""mode":"album""#, "replay_gain_mode album"),
        ("replay_gain_status", "", "replay_gain_status"),
        // The queue.
        ("add", #""uri":"a.flac","position":2"#, "add a.flac 1"),
        ("addid", #""uri":"a.flac","position":"+0""#, "addid a.flac +0"), ("clear", "", "clear"),
        ("delete", #""position":2,"count":3"#, "delete 1:4"), ("deleteid", #""id":4"#, "deleteid 4"),
        ("move", #""position":2,"to":1"#, "move 1 0"), ("moveid", #""id":4,"to":"-0""#, "moveid 4 -0"),
        ("shuffle", #""position":1,"count":9"#, "shuffle 0:9"),
        ("swap", #""position1":1,"position2":2"#, "swap 0 1"), ("swapid", #""id1":4,"id2":5"#, "swapid 4 5"),
        ("prio", #""priority":9,"position":1,"count":2"#, "prio 9 0:2"),
        ("prioid", #""priority":9,"ids":[4,5]"#, "prioid 9 4 5"),
        ("rangeid", #""id":4,"start":1.5,"end":3,"title":"x""#, "rangeid 4 1.5:3 title x"),
        ("addtagid", #""id":4,"tag":"title","value":"x""#, "addtagid 4 title x"),
        ("cleartagid", #""id":4,"tag":"title""#, "cleartagid 4 title"), ("playlist", "", "playlist"),
        ("playlistid", #""id":4"#, "playlistid 4"), ("playlistinfo", #""position":1,"count":50"#, "playlistinfo 0:50"),
        ("plchanges", #""version":0,"position":1"#, "plchanges 0 0"),
        ("plchangesposid", #""version":-1"#, "plchangesposid -1"),
        (
            "playlistfind", #""filter":"(a == 'b')","sort":"title","limit":5"#,
            "playlistfind \"(a == 'b')\" sort title window 0:5"
        ),
        ("playlistsearch", #""filter":"x","offset":5"#, "playlistsearch x window 5:"),
        // The library.
        ("find", #""filter":"x","sort":"-date","offset":5,"limit":5"#, "find x sort -date window 5:10"),
        ("search", #""filter":"x""#, "search x"),
        ("findadd", #""filter":"x","limit":5,"position":1"#, "findadd x window 0:5 position 0"),
        ("searchadd", #""filter":"x","position":"+0""#, "searchadd x position +0"),
        ("searchaddpl", #""name":"mine","filter":"x""#, "searchaddpl mine x"),
        ("count", #""filter":"x","group":"artist""#, "count x group artist"),
        ("searchcount", #""filter":"x""#, "searchcount x"),
        ("list", #""type":"album","filter":"x","group":["artist","date"]"#, "list album x group artist group date"),
        ("lsinfo", #""uri":"Blue""#, "lsinfo Blue"), ("listall", #""uri":"Blue""#, "listall Blue"),
        ("listallinfo", "", "listallinfo"), ("listfiles", #""uri":"Blue""#, "listfiles Blue"),
        ("readcomments", #""uri":"a.flac""#, "readcomments a.flac"),
        ("getfingerprint", #""uri":"a.flac""#, "getfingerprint a.flac"),
        ("identify", #""uris":["a.flac","mbid:x"]"#, "identify a.flac mbid:x"),
        ("albumart", #""uri":"a.flac","offset":0"#, "albumart a.flac 0"),
        ("readpicture", #""uri":"a.flac","offset":0"#, "readpicture a.flac 0"),
        (
            "artwork", #""type":"song","uri":"a.flac","size":300,"offset":0,"format":"jpeg""#,
            "artwork song a.flac 300 0 jpeg"
        ),
        ("thumbnail", #""uri":"a.mkv","size":300,"time":"10","offset":0"#, "thumbnail a.mkv 300 10 0"),
        ("update", #""uri":"Blue""#, "update Blue"), ("rescan", "", "rescan"),
        ("library.status", "", "library status"), ("library.problems", "", "library problems"),
        ("library.duplicates", "", "library duplicates"),
        ("library.loudness", #""uri":"a.flac""#, "library loudness a.flac"),
        (
            "library.media", #""uri":"Blue","filter":"not(covers)","limit":9"#,
            "library media Blue filter not(covers) window 0:9"
        ),
        ("library.pause", "", "library pause"), ("library.resume", "", "library resume"),
        ("listmounts", "", "listmounts"), ("mount", #""name":"nas","uri":"nfs://a/b""#, "mount nas nfs://a/b"),
        ("unmount", #""name":"nas""#, "unmount nas"),
        // Stored playlists.
        ("listplaylists", "", "listplaylists"), ("listplaylist", #""name":"mine""#, "listplaylist mine"),
        ("listplaylistinfo", #""name":"mine","position":1,"count":2"#, "listplaylistinfo mine 0:2"),
        ("searchplaylist", #""name":"mine","filter":"x","limit":3"#, "searchplaylist mine x 0:3"),
        ("load", #""name":"mine","first":1,"count":3,"position":"+0""#, "load mine 0:3 +0"),
        ("load", #""name":"mine","position":2"#, "load mine 0: 1"),
        ("playlistadd", #""name":"mine","uri":"a.flac","position":1"#, "playlistadd mine a.flac 0"),
        ("playlistclear", #""name":"mine""#, "playlistclear mine"),
        ("playlistdelete", #""name":"mine","position":1,"count":2"#, "playlistdelete mine 0:2"),
        ("playlistlength", #""name":"mine""#, "playlistlength mine"),
        ("playlistmove", #""name":"mine","position":1,"to":2"#, "playlistmove mine 0 1"),
        ("rename", #""name":"mine","new_name":"yours""#, "rename mine yours"), ("rm", #""name":"mine""#, "rm mine"),
        ("save", #""name":"mine","mode":"append""#, "save mine append"),
        // Stickers.
        ("sticker.get", #""type":"song","uri":"a.flac","name":"x""#, "sticker get song a.flac x"),
        ("sticker.set", #""type":"song","uri":"a.flac","name":"x","value":5"#, "sticker set song a.flac x 5"),
        ("sticker.inc", #""type":"song","uri":"a.flac","name":"x","value":5"#, "sticker inc song a.flac x 5"),
        ("sticker.dec", #""type":"song","uri":"a.flac","name":"x","value":5"#, "sticker dec song a.flac x 5"),
        ("sticker.delete", #""type":"song","uri":"a.flac""#, "sticker delete song a.flac"),
        ("sticker.list", #""type":"song","uri":"a.flac""#, "sticker list song a.flac"),
        (
            "sticker.find",
            #""type":"song","uri":"","name":"x","operator":">","value":"2","sort":"value","limit":2"#,
            "sticker find song \"\" x > 2 sort value window 0:2"
        ),
        ("stickernames", "", "stickernames"), ("stickertypes", "", "stickertypes"),
        ("stickernamestypes", #""type":"album""#, "stickernamestypes album"),
        // Outputs and zones.
        ("outputs", "", "outputs"), ("enableoutput", #""output":2"#, "enableoutput 1"),
        ("disableoutput", #""output":1.0"#, "disableoutput 0"),
        ("toggleoutput", #""output":1"#, "toggleoutput 0"),
        ("outputset", #""output":1,"name":"a","value":"b""#, "outputset 0 a b"),
        ("moveoutput", #""name":"hall""#, "moveoutput hall"), ("route.list", "", "route list"),
        ("route.outputs", "", "route outputs"), ("route.set", #""sink":"default""#, "route set default"),
        ("partition", #""name":"hall""#, "partition hall"), ("listpartitions", "", "listpartitions"),
        ("newpartition", #""name":"hall""#, "newpartition hall"),
        ("delpartition", #""name":"hall""#, "delpartition hall"),
        ("zone.handover", #""zone":"hall""#, "zone handover hall"),
        ("zone.remove", #""zone":"hall""#, "zone remove hall"),
        // Sessions and announcements.
        ("announce", #""uri":"bell.wav","volume":60,"zone":"hall""#, "announce bell.wav volume 60 zone hall"),
        ("announcement.list", "", "announcement list"),
        ("announcement.info", #""announcement":1"#, "announcement info 1"),
        ("announcement.cancel", #""announcement":"all""#, "announcement cancel all"),
        ("session.list", #""zone":"hall""#, "session list zone hall"),
        ("session.info", #""session":1"#, "session info 1"),
        (
            "session.open", #""name":"game","persistent":true,"class":"normal""#,
            "session open game persistent class normal"
        ),
        ("session.close", #""session":1"#, "session close 1"),
        (
            "session.category",
            #""session":1,"category":"playback","mode":"moviePlayback","options":["mixWithOthers"]"#,
            "session category 1 playback mode moviePlayback options mixWithOthers"
        ),
        ("session.activate", #""session":1"#, "session activate 1"),
        ("session.deactivate", #""session":1,"notify_others":true"#, "session deactivate 1 notifyothers"),
        ("session.playing", #""session":1,"playing":true"#, "session playing 1 1"),
        ("session.background", #""session":1,"background":false"#, "session background 1 0"),
        ("session.prefer", #""session":1,"preference":"autoResume","value":true"#, "session prefer 1 autoResume 1"),
        (
            "session.interrupt.begin", #""kind":"call","name":"Anna","bound":true"#,
            "session interrupt begin call name Anna bound 1"
        ),
        ("session.interrupt.accept", #""session":1"#, "session interrupt accept 1"),
        ("session.interrupt.end", #""session":1,"resume":false"#, "session interrupt end 1 resume 0"),
        ("session.codes", "", "session codes"), ("session.hint", "", "session hint"),
        ("session.events", #""since":5,"limit":2"#, "session events 5 window 0:2"),
        (
            "session.nowplaying", #""session":1,"title":"x","artist":["a","b"],"duration":200.5,"live":false"#,
            "session nowplaying 1 title x artist a artist b duration 200.5 live 0"
        ),
        ("session.commands", #""session":1,"commands":["play","pause"]"#, "session commands 1 play pause"),
        ("session.reply", #""token":"t","code":0"#, "session reply t 0"),
        ("session.send", #""session":"nowplaying","command":"pause""#, "session send nowplaying pause"),
        ("session.players", "", "session players"), ("session.foreign", "", "session foreign"),
        ("session.silence", #""on":true"#, "session silence 1"), ("session.lock", #""on":false"#, "session lock 0"),
        ("session.permission.list", "", "session permission list"),
        ("session.permission.grant", #""owner":"uid:1","class":"call""#, "session permission grant uid:1 call"),
        ("session.permission.deny", #""owner":"uid:1","class":"call""#, "session permission deny uid:1 call"),
        // Timers.
        ("sleep", #""time":"30m""#, "sleep 30m"), ("alarm.list", "", "alarm list"),
        ("alarm.info", #""alarm":1"#, "alarm info 1"),
        (
            "alarm.add", #""time":"07:00","days":"mon-fri","volume":40,"uri":"a.flac","ramp":300,"thenplay":true"#,
            "alarm add 07:00 mon-fri uri a.flac volume 40 ramp 300s thenplay 1"
        ),
        ("alarm.rm", #""alarm":1"#, "alarm rm 1"), ("alarm.enable", #""alarm":1"#, "alarm enable 1"),
        ("alarm.disable", #""alarm":1"#, "alarm disable 1"),
        ("alarm.skip", #""alarm":1,"skips":false"#, "alarm skip 1 0"),
        ("alarm.snooze", #""time":300"#, "alarm snooze 300s"), ("alarm.dismiss", "", "alarm dismiss"),
        ("alarm.holidays", "", "alarm holidays"),
        ("alarm.addholiday", #""first":"2026-12-24","last":"2026-12-26""#, "alarm addholiday 2026-12-24 2026-12-26"),
        ("alarm.rmholiday", #""first":"2026-12-24""#, "alarm rmholiday 2026-12-24"),
        ("schedule.list", "", "schedule list"), ("schedule.info", #""schedule":1"#, "schedule info 1"),
        (
            "schedule.add", #""time":"22:00","date":"2026-12-24","commands":["stop","setvol 20"],"zone":"hall""#,
            "schedule add 22:00 2026-12-24 command stop command \"setvol 20\" zone hall"
        ),
        ("schedule.rm", #""schedule":1"#, "schedule rm 1"), ("schedule.enable", #""schedule":1"#, "schedule enable 1"),
        ("schedule.disable", #""schedule":1"#, "schedule disable 1"),
        ("schedule.skip", #""schedule":1"#, "schedule skip 1"),
        // Clients.
        ("clients.list", "", "clients list"), ("clients.show", #""client":"tablet""#, "clients show tablet"),
        (
            "clients.set", #""client":"tablet","permissions":["read","add"],"songs_per_hour":3,"folder":["a","b"]"#,
            "clients set tablet permissions read,add songs-per-hour 3 folder a folder b"
        ),
        ("clients.revoke", #""client":"tablet""#, "clients revoke tablet"),
        ("clients.password", #""client":"tablet","permissions":"read""#, "clients password tablet permissions read"),
        ("clients.forget", #""client":"tablet""#, "clients forget tablet"),
        ("pair.request", #""name":"phone""#, "pair request phone"),
        ("pair.wait", "", "pair wait"), ("pair.status", "", "pair status"), ("pair.nonce", "", "pair nonce"),
        ("pair.prove", #""name":"phone","proof":"00""#, "pair prove phone 00"),
        ("pair.token", #""name":"phone","token":"00""#, "pair token phone 00"),
        ("pair.invitation", #""invitation":"x""#, "pair invitation x"),
        ("pair.preview", #""invitation":"x""#, "pair preview x"), ("pairing.list", "", "pairing list"),
        (
            "pairing.allow", #""permissions":"read","code":"123","name":"phone""#,
            "pairing allow phone code 123 permissions read"
        ),
        ("pairing.deny", #""name":"phone""#, "pairing deny phone"),
        ("pairing.reset", #""client":"uid:1""#, "pairing reset uid:1"),
        (
            "pairing.invite", #""permissions":"read","page":"http://pi/","name":"phone""#,
            "pairing invite phone page http://pi/ permissions read"
        ),
        (
            "picker.open",
            #""prompt":"For you","lasting":true,"ordered":true,"limit":5,"filter":"images","preselected":["a","b"],"continuous":true,"representation":"current""#,
            "picker open representation current filter images limit 5 ordered lasting continuous preselected a,b prompt \"For you\""
        ),
        ("picker.list", "", "picker list"), ("picker.wait", #""request":"p1","since":2"#, "picker wait p1 since 2"),
        ("picker.items", #""request":"p1""#, "picker items p1"),
        ("picker.load", #""handle":"00","offset":7"#, "picker load 00 7"),
        ("picker.withdraw", #""request":"p1""#, "picker withdraw p1"), ("picking.list", "", "picking list"),
        ("picking.take", #""request":"p1""#, "picking take p1"),
        (
            "picking.items", #""request":"p1","uri":"Holidays","filter":"bursts","offset":20,"limit":20"#,
            "picking items p1 Holidays filter bursts window 20:40"
        ),
        ("picking.selection", #""request":"p1""#, "picking selection p1"),
        ("picking.select", #""request":"p1","uris":["a","b"]"#, "picking select p1 a b"),
        ("picking.deselect", #""request":"p1","uris":"a""#, "picking deselect p1 a"),
        ("picking.move", #""request":"p1","uri":"a","to":2"#, "picking move p1 a 1"),
        ("picking.finish", #""request":"p1""#, "picking finish p1"),
        ("picking.cancel", #""request":"p1""#, "picking cancel p1"),
        ("picking.release", #""request":"p1""#, "picking release p1"),
        ("ceiling.list", "", "ceiling list"), ("ceiling.clear", #""zone":"kitchen""#, "ceiling clear kitchen"),
        (
            "ceiling.set", #""zone":"kitchen","until":4000000000,"volume":30,"speed":1.5,"hours":"22:00-07:00""#,
            "ceiling set kitchen volume 30 speed 1.5 hours 22:00-07:00 until 4000000000"
        ),
        ("audit.list", #""client":"tablet""#, "audit list tablet"), ("audit.why", "", "audit why"),
        ("audit.doors", "", "audit doors"),
        // The connection and the server.
        ("ping", "", "ping"), ("close", "", "close"), ("kill", "", "kill"),
        ("password", #""password":"x""#, "password x"), ("ticket", "", "ticket"),
        ("tagtypes", "", "tagtypes"), ("tagtypes.disable", #""tags":["Title","Date"]"#, "tagtypes disable Title Date"),
        ("tagtypes.enable", #""tags":"Title""#, "tagtypes enable Title"),
        ("tagtypes.reset", #""tags":"Title""#, "tagtypes reset Title"),
        ("tagtypes.clear", "", "tagtypes clear"), ("tagtypes.all", "", "tagtypes all"),
        ("tagtypes.available", "", "tagtypes available"), ("protocol", "", "protocol"),
        ("protocol.disable", #""features":"hide_playlists_in_root""#, "protocol disable hide_playlists_in_root"),
        ("protocol.enable", #""features":"hide_playlists_in_root""#, "protocol enable hide_playlists_in_root"),
        ("protocol.clear", "", "protocol clear"), ("protocol.all", "", "protocol all"),
        ("protocol.available", "", "protocol available"), ("subscribe", #""name":"x""#, "subscribe x"),
        ("unsubscribe", #""name":"x""#, "unsubscribe x"), ("channels", "", "channels"),
        ("readmessages", "", "readmessages"), ("sendmessage", #""name":"x","text":"a b""#, "sendmessage x \"a b\""),
        ("commands", "", "commands"), ("notcommands", "", "notcommands"), ("config", "", "config"),
        ("urlhandlers", "", "urlhandlers"), ("decoders", "", "decoders"),
        ("watch", #""topics":["player","queue"],"zones":["hall"]"#, "watch player queue zone hall"),
        ("unwatch", "", "unwatch"),
    ]

    private func call(_ method: String, _ params: String) throws -> RPCCall {
        let text = #"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#
        guard case .call(let request) = try RPCMessage(parsing: Array(text.utf8), mostCalls: 1) else { throw NoCall() }
        return try request.call.get()
    }

    private struct NoCall: Error {}

    /// The description has an example of each call with arguments, which the method takes.
    @Test func examplesAreComplete() throws {
        let methods = CommandTable.standard.methods.filter { $0.form?.parameters.isEmpty == false }
        #expect(MethodExamples.methods == Set(methods.map(\.name)))
        for method in methods {
            let arguments = MethodExamples.arguments(of: method.name)
            #expect(!arguments.isEmpty, "\(method.name)")
            #expect(throws: Never.self, "\(method.name)") { try method.words(.named(arguments)) }
        }
    }

    @Test func everyMethodIsTheRequestThatItStandsFor() throws {
        let table = CommandTable.standard
        for (name, arguments, line) in Self.calls {
            let call = try call(name, "{\(arguments)}")
            let method = try #require(table.method(name), "\(name)")
            let request = try RequestLine(parsing: Array(line.utf8))
            #expect(method.command.name == request.command, "\(name)")
            do {
                #expect(try method.words(call.arguments) == request.arguments, "\(name)")
            } catch {
                Issue.record("\(name): \(error)")
            }
        }
        let named = table.methods.map(\.name)
        #expect(Set(named).subtracting(Self.calls.map(\.method)) == [], "a method without an example here")
        #expect(Set(named).count == named.count)
    }

    /// Commands that belong to a connection of lines, and names that are none.
    @Test(arguments: [
        "idle", "noidle", "command_list_begin", "binarylimit", "json", "", ".", "alarm.", "alarm.fly", "alarm.add.x",
        "status.x", "session.interrupt", "Status", "alarm add",
    ])
    func thereIsNoSuchMethod(name: String) { #expect(CommandTable.standard.method(name) == nil) }

    /// A command with verbs takes words under its own name, and says which methods have named arguments.
    @Test func verbsAreWordsToo() throws {
        let alarm = try #require(CommandTable.standard.method("alarm"))
        #expect(try alarm.words(call("alarm", #"["info",1]"#).arguments) == ["info", "1"])
        let info = try #require(CommandTable.standard.method("alarm.info"))
        #expect(try info.words(call("alarm.info", "[1]").arguments) == ["info", "1"])
        #expect { try alarm.words(call("alarm", #"{"alarm":1}"#).arguments) } throws: {
            ($0 as? AckError)?.text.contains("alarm.info") == true
        }
        #expect(throws: AckError.self) { try alarm.words(call("alarm", "[[1]]").arguments) }
    }
}
