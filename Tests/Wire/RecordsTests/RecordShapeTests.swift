import Testing
import TextEncodings

@testable import Records

/// Lines of replies become records.
@Suite struct RecordShapeTests {
    private func lines(_ text: String) -> [ReplyLine] {
        text.split(separator: "\n").map { line in
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
        }
    }

    private func json(_ shape: RecordShape, _ text: String) -> [String] { shape.records(of: lines(text)).map(\.text) }

    // MARK: Shapes

    @Test func aReplyIsOneRecordUnlessLinesBeginSome() {
        let one = RecordShape(fields: [.integer("a")])
        #expect(json(one, "a: 1\na: 2") == [#"{"a":1}"#])
        #expect(json(one, "") == [])
        let many = RecordShape("a", "b", fields: [.integer("a"), .integer("b"), .text("c")])
        #expect(
            json(many, "c: early\na: 1\nc: x\nb: 2\na: 3\nc: y") == [
                #"{"a":1,"c":"x"}"#, #"{"b":2}"#, #"{"a":3,"c":"y"}"#,
            ]
        )
    }

    /// Each kind of field: what a line becomes, and what its absence does.
    @Test(
        arguments: [
            (.text("k"), "k: x", #"{"k":"x"}"#), (.text("k"), "k: ", "{}"), (.text("k", or: "y"), "", #"{"k":"y"}"#),
            (.anyText("k", as: "n"), "k: ", #"{"n":""}"#), (.word("k", ["1": "on"]), "k: 1", #"{"k":"on"}"#),
            (.word("k", ["1": "on"], or: "off"), "", #"{"k":"off"}"#), (.word("k", [:]), "k: new", #"{"k":"new"}"#),
            (.integer("k"), "k: -7", #"{"k":-7}"#), (.integer("k"), "k: x", "{}"),
            (.integer("k", or: 0), "k: x", #"{"k":0}"#),
            (.count("k"), "k: -1", "{}"), (.place("k", as: "n"), "k: 0", #"{"n":1}"#),
            (.place("k", as: "n"), "k: \(Int.max)", "{}"), (.number("k"), "k: 1.50", #"{"k":1.5}"#),
            (.number("k"), "k: inf", "{}"), (.seconds("k"), "k: 0.1234567", #"{"k":0.123457}"#),
            (.flag("k"), "k: 1", #"{"k":true}"#), (.flag("k", or: false), "", #"{"k":false}"#), (.flag("k"), "", "{}"),
            (.words("k"), "k: a,b", #"{"k":["a","b"]}"#), (.words("k"), "", #"{"k":[]}"#),
            (.texts("k", as: "ks"), "k: a\nk: b", #"{"ks":["a","b"]}"#), (.texts("k", as: "ks"), "", "{}"),
            (.texts("k", as: "ks", isAlways: true), "", #"{"ks":[]}"#),
            (.integers("k", as: "n"), "k: 1\nk: x", #"{"n":[1]}"#),
            (.integer("k", or: 0).onlyWith("l"), "", "{}"), (.integer("k", or: 0).onlyWith("l"), "l: ", #"{"k":0}"#),
            (.others(), "a: 1\nb: x\na: 2", #"{"a":1,"b":"x","a":2}"#),
            (.otherTexts([.flag("k", as: "n")]), "a: 1\nk: 1", #"{"a":"1","n":true}"#),
            (.tags(as: "tags"), "A: x\nB: y\nA: z", #"{"tags":{"a":["x","z"],"b":["y"]}}"#),
            (.tags(as: "tags"), "", "{}"),
        ] as [(RecordField, String, String)]
    ) func fields(field: RecordField, text: String, json: String) {
        #expect(RecordShape(fields: [field]).record(lines(text)).text == json)
        // Another field before and behind it, as in most records.
        let shape = RecordShape(fields: [.integer("first"), field, .integer("last")])
        let record = [("first", "1")] + lines(text) + [("last", "2")]
        var written: [UInt8] = []
        shape.write(record, to: &written)
        #expect(String(decoding: written, as: UTF8.self) == shape.record(record).text)
    }

    @Test func aSessionIsWhole() {
        let text = """
            session: 4
            place: sink:server/speaker
            outputvolume: 0.5
            state: interrupted
            recording: 0
            promptstyle: short
            interruptedby: 9
            reason: 0 default
            stream: 12
            silencedby: mute
            levelheld: 1
            """
        #expect(
            json(.sessions, text) == [
                #"{"session":4,"name":"","kind":"","sinks":["speaker"],"options":[],"class":"normal","#
                    + #""state":"interrupted","playing":false,"ducked":false,"muted":false,"gain":0,"background":false,"#
                    + #""interrupted_by":[9],"reasons":["0 default"],"output_volume":0.5,"recording":false,"#
                    + #""prompt_style":"short","stream":12,"silenced_by":"mute","level_held":true}"#
            ]
        )
    }

    /// A line above records holds for all of them, until it comes again.
    @Test func headingsHold() {
        #expect(
            json(.values(of: "Album", groupedBy: ["Artist"]), "Artist: A\nAlbum: x\nAlbum: y\nArtist: B\nAlbum: z")
                == [
                    #"{"album":"x","artist":"A"}"#, #"{"album":"y","artist":"A"}"#, #"{"album":"z","artist":"B"}"#,
                ]
        )
    }

    @Test func linesAreDescribed() {
        let shape = RecordShape("a", fields: [.text("b"), .records("c", .mediaOptions)], omitting: ["d"])
        #expect(["a", "b", "d", "option", "forced"].allSatisfy(shape.describes) && !shape.describes("e"))
        #expect(RecordShape.songs.describes("Title") && RecordShape.alarms.describes("x"))
        #expect(!RecordShape.sessions.describes("x"))
        #expect(shape.record(lines("b: 1\nd: 2")).text == #"{"b":"1","c":[]}"#)
    }

    @Test func recordsHaveRecords() {
        let inner = RecordShape("i", fields: [.integer("i"), .text("x")])
        let outer = RecordShape("o", fields: [.text("o"), .records("all", inner), .otherTexts()])
        #expect(
            json(outer, "o: a\ni: 1\nx: y\ni: 2\no: b\nz: 3")
                == [#"{"o":"a","all":[{"i":1,"x":"y"},{"i":2}]}"#, #"{"o":"b","all":[],"z":"3"}"#]
        )
    }

    // MARK: Replies

    /// As mpd 0.16 has it, without seconds' fractions, and as segued does.
    @Test func statusOfOldAndNewServers() {
        #expect(
            json(.status, "volume: -1\nstate: pause\nsong: 3\ntime: 12:240\nbitrate: 0\nsingle: 1")
                == [
                    #"{"state":"paused","position":4,"queue_length":0,"elapsed":12,"duration":240,"repeat":false,"#
                        + #""random":false,"single":"on","consume":"off","speed":1}"#
                ]
        )
        let new = json(
            .status,
            "volume: 50\npartition: kitchen\nstate: play\nelapsed: 1.250\nduration: 2.5\nbitrate: 128\nerror: x\nxfade: 3"
        )
        #expect(
            new == [
                #"{"state":"playing","zone":"kitchen","queue_length":0,"elapsed":1.25,"duration":2.5,"volume":50,"#
                    + #""repeat":false,"random":false,"single":"off","consume":"off","crossfade":3,"speed":1,"#
                    + #""bit_rate":128000,"error":"x"}"#
            ]
        )
        #expect(!json(.status, "bitrate: \(Int.max)")[0].contains("bit_rate"))
    }

    @Test func songs() {
        let reply =
            "file: a.flac\nTitle: T\nArtist: X\nArtist: Y\nTime: 3\nduration: 3.2\nPos: 0\nId: 7\nAddedBy: uid 1\n"
            + "directory: d\nLast-Modified: 2026\nfile: b.flac\nAlbumArtist: Z"
        #expect(
            json(.songs, reply) == [
                #"{"file":"a.flac","position":1,"id":7,"title":"T","artist":"X, Y","duration":3.2,"#
                    + #""tags":{"title":["T"],"artist":["X","Y"],"addedby":["uid 1"]}}"#,
                #"{"directory":"d","last_modified":"2026"}"#,
                #"{"file":"b.flac","artist":"Z","tags":{"albumartist":["Z"]}}"#,
            ]
        )
    }

    @Test func events() {
        let reply = "oldest: 1\nevent: 2\ntime: T\nsession: 4\ntype: routeChange\nroute: a\npreviousroute: b\ngain: -20"
        #expect(
            json(.events, reply) == [
                #"{"event":2,"time":"T","session":4,"type":"routeChange","route":"a","previous_route":"b","gain":-20}"#
            ]
        )
    }

    @Test func lyrics() {
        #expect(
            json(.lyrics, "source: file\nsynced: 1\ntime: 1.5\nline: a\nline: ") == [
                #"{"source":"file","synced":true,"lines":[{"time":1.5,"line":"a"},{"line":""}]}"#
            ]
        )
    }

    @Test func clients() {
        let reply = "client: uid 1\nallowed: kitchen\nconnection: 3\npartition: default\nidle: 0\nclient: uid 2"
        #expect(
            json(.clients, reply) == [
                #"{"client":"uid 1","zones":["kitchen"],"connections":[{"connection":3,"zone":"default","idle":0}]}"#,
                #"{"client":"uid 2","zones":[],"connections":[]}"#,
            ]
        )
    }
}
