import LineProtocol
import ServerRequests
import Testing
import TextEncodings

/// Named arguments of JSON become words of MPD's protocol.
@Suite struct ParameterTests {
    private func fields(_ text: String) throws -> [JSON.Field] { try JSON(parsing: Array(text.utf8)).fields }

    private func words(_ parameters: [Parameter], _ text: String) throws -> [String] {
        try RequestForm(nil, parameters).words(of: fields(text))
    }

    /// A value of each form, and its words.
    @Test(
        arguments: [
            (.text, #""a b""#, ["a b"]), (.text, #""2024.10""#, ["2024.10"]), (.text, #""""#, [""]),
            (.scalar, "5", ["5"]), (.scalar, "0.5", ["0.5"]), (.scalar, #""5-40""#, ["5-40"]),
            (.oneOf(["x", "y"]), #""y""#, ["y"]), (.boolean, "false", ["0"]), (.mode, "true", ["1"]),
            (.booleanOr("default"), "true", ["1"]), (.booleanOr("default"), #""default""#, ["default"]),
            (.mode, #""once""#, ["oneshot"]), (.integer(0...9), "12", ["12"]), (.integer(0...9), "-1", ["-1"]),
            (.number(0...1), "0.25", ["0.25"]), (.number(0...1), "1e3", ["1000"]), (.place, "1", ["0"]),
            (.place, "3.0", ["2"]), (.integer(0...9), "5.0", ["5"]), (.duration, "90", ["90s"]),
            (.duration, #""10m""#, ["10m"]), (.insertPosition, "2", ["1"]),
            (.insertPosition, #""+0""#, ["+0"]), (.insertPosition, #""-3""#, ["-3"]), (.places, "4", ["3"]),
            (.words, #"["a",2.0]"#, ["a", "2"]), (.words, #""a""#, ["a"]), (.words, "[]", []),
            (.commas, #"["a","b"]"#, ["a,b"]),
        ] as [(Parameter.Form, String, [String])]
    )
    func values(form: Parameter.Form, json: String, expected: [String]) throws {
        #expect(try words([Parameter("n", form)], #"{"n":\#(json)}"#) == expected)
    }

    /// Values that a form refuses.
    @Test(
        arguments: [
            (.text, "{}"), (.text, "[]"), (.text, "5"), (.text, "true"), (.scalar, "true"), (.scalar, "[1]"),
            (.oneOf(["x"]), #""y""#), (.oneOf(["1"]), "1"), (.booleanOr("default"), #""other""#),
            (.booleanOr("default"), "1"), (.words, "[true]"), (.commas, "false"),
            (.boolean, "1"), (.boolean, #""yes""#), (.mode, #""never""#), (.mode, "2"),
            (.integer(0...9), "1.5"), (.integer(0...9), #""1""#), (.number(0...1), #""1""#), (.place, "0"),
            (.place, "-1"),
            (.place, #""1""#), (.place, "1.5"), (.duration, "true"), (.integer(0...9), "1e300"), (.insertPosition, "0"),
            (.insertPosition, #""2""#),
            (.places, "0"), (.places, #""1:2""#), (.places, "3000000000"), (.words, "[[1]]"), (.words, "[null]"),
            (.flag, "1"), (.text, #""a\nb""#), (.text, #""a\u0000b""#),
        ] as [(Parameter.Form, String)]
    )
    func wrongValues(form: Parameter.Form, json: String) {
        #expect { try words([Parameter("n", form)], #"{"n":\#(json)}"#) } throws: {
            ($0 as? AckError)?.code == .badArgument
        }
    }

    @Test func argumentsThatArePairsOfMembers() throws {
        let range = [Parameter("position", .places)]
        #expect(try words(range, #"{"position":3,"count":2}"#) == ["2:4"])
        #expect(try words(range, #"{"count":2147483647,"position":2147483647}"#) == ["2147483646:2147483647"])
        #expect(try words(range, #"{"position":3.0,"count":2.0}"#) == ["2:4"])
        #expect(throws: AckError.self) { try words(range, #"{"count":2}"#) }
        let window = [Parameter.key("window", .window)]
        #expect(try words(window, #"{"offset":10,"limit":5}"#) == ["window", "10:15"])
        #expect(try words(window, #"{"limit":5}"#) == ["window", "0:5"])
        #expect(try words(window, #"{"offset":5}"#) == ["window", "5:"])
        #expect(try words(window, "{}") == [])
        #expect(try words([.optional("start", .part)], #"{"start":1.5,"end":9}"#) == ["1.5:9"])
        #expect(try words([.optional("start", .part)], #"{"end":9}"#) == [":9"])
        #expect(try words([.optional("start", .part)], "{}") == [] && words([Parameter("start", .part)], "{}") == [":"])
        let comparison = [Parameter("operator", .comparison(["=", "contains"]), isRequired: false)]
        #expect(try words(comparison, #"{"value":2,"operator":"="}"#) == ["=", "2"] && words(comparison, "{}") == [])
        for wrong in [
            #"{"operator":"="}"#, #"{"value":2}"#, #"{"operator":"window","value":2}"#,
            #"{"operator":"=","value":true}"#,
        ] { #expect(throws: AckError.self) { try words(comparison, wrong) } }
    }

    /// Arguments come in the command's order, whatever theirs is in the object; `null` is none.
    @Test func orderAndAbsence() throws {
        let add = [Parameter("uri"), .optional("position", .insertPosition), .optional("x")]
        #expect(try words(add, #"{"position":1,"uri":"a"}"#) == ["a", "0"])
        #expect(try words(add, #"{"position":null,"uri":"a"}"#) == ["a"])
        #expect { try words(add, #"{"uri":"a","x":"b"}"#) } throws: {
            ($0 as? AckError)?.text.contains("'x' needs 'position', too") == true
        }
        #expect { try words(add, "{}") } throws: { ($0 as? AckError)?.text.contains("'uri' is missing") == true }
        #expect { try words(add, #"{"uri":"a","uri":"b"}"#) } throws: {
            ($0 as? AckError)?.text.contains("'uri' is there twice") == true
        }
        #expect { try words(add, #"{"uri":"a","z":"b"}"#) } throws: {
            ($0 as? AckError)?.text.contains("there is no argument 'z'") == true
        }
    }

    /// An argument in the middle that is absent has a word in its place, is recognised without, or is asked for.
    @Test func gaps() throws {
        let load = [Parameter("name"), .optional("first", .places, orElse: "0:"), .optional("position", .place)]
        #expect(try words(load, #"{"name":"x","position":2}"#) == ["x", "0:", "1"])
        #expect(try words(load, #"{"name":"x"}"#) == ["x"])
        let snooze = [Parameter.optional("alarm", .number), .optional("time", .duration)]
        #expect(try words(snooze, #"{"time":90}"#) == ["90s"])
        let tell = [Parameter.optional("session", .number), .detail("title")]
        #expect(try words(tell, #"{"session":1,"title":"x"}"#) == ["1", "title", "x"] && words(tell, "{}") == [])
        #expect { try words(tell, #"{"title":"x"}"#) } throws: {
            ($0 as? AckError)?.text.contains("needs 'session', too") == true
        }
    }

    /// Words that tell which argument it is.
    @Test func keywords() throws {
        let form = RequestForm.verb(
            "open it",
            Parameter("name"),
            .flag("notify_others", word: "notifyothers"),
            .key("sink"),
            .key("say", .words),
            .key("sound_volume", .scalar)
        )
        let text = #"{"sound_volume":5,"say":["a","b"],"sink":"x","notify_others":true,"name":"n"}"#
        #expect(
            try form.words(of: fields(text)) == [
                "open", "it", "n", "notifyothers", "sink", "x", "say", "a", "say", "b", "sound-volume", "5",
            ]
        )
        for wrong in [#"{"name":"n","sound-volume":5}"#, #"{"name":"n","sink":["x"]}"#, #"{"name":"n","tag":"x"}"#] {
            #expect(throws: AckError.self) { try form.words(of: fields(wrong)) }
        }
        #expect(try form.words(of: fields(#"{"name":"n","notify_others":false}"#)) == ["open", "it", "n"])
    }

    /// A value that the command would take for the keyword or the word of another argument.
    @Test func wordsOfTheCommand() throws {
        let media = [Parameter.optional("kind", .oneOf(["image"])), .optional("uri"), .key("window", .window)]
        #expect(try words(media, #"{"kind":"image","uri":"Blue"}"#) == ["image", "Blue"])
        let announce = [Parameter.required("uri", unless: "say"), .key("say"), .key("volume", .scalar)]
        #expect(try words(announce, #"{"say":"a"}"#) == ["say", "a"])
        #expect(try words(announce, #"{"uri":"bell","say":"say"}"#) == ["bell", "say", "say"])
        for (parameters, wrong) in [
            (media, #"{"uri":"image"}"#), (media, #"{"uri":"window"}"#), (announce, #"{"uri":"say"}"#),
            (announce, #"{"volume":5}"#),
        ] { #expect(throws: AckError.self) { try words(parameters, wrong) } }
    }

    @Test func namesThatExcludeEachOther() throws {
        let when = [Parameter("time"), .optional("days|date"), .key("name")]
        #expect(
            try words(when, #"{"time":"07:00","date":"2026-12-24","name":"x"}"#) == [
                "07:00", "2026-12-24", "name", "x",
            ]
        )
        #expect(try words(when, #"{"time":"07:00","name":"x"}"#) == ["07:00", "name", "x"])
        #expect(throws: AckError.self) { try words(when, #"{"time":"07:00","date":"a","days":"b"}"#) }
    }

    /// As many as a line may have.
    @Test func wordsAreCounted() throws {
        let members = (0...RequestLine.mostArguments).map { "\"\($0)\":1" }.joined(separator: ",")
        #expect { try words([.key("0")], "{\(members)}") } throws: { ($0 as? AckError)?.text == "Too many arguments" }
        let many = Array(repeating: "1", count: RequestLine.mostArguments)
        #expect(try words([Parameter("n", .words)], #"{"n":[\#(many.joined(separator: ","))]}"#).count == many.count)
        #expect(throws: AckError.self) {
            try words([Parameter("n", .words)], #"{"n":[1,\#(many.joined(separator: ","))]}"#)
        }
    }
}
