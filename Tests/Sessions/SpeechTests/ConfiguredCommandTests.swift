import Foundation
import Glibc
import Speech
import Testing

/// A configured program gets what it should, and nothing of a text is ever more than a text.
@Suite struct ConfiguredCommandTests {
    @Test(arguments: hostileTexts)
    func theTextIsAnArgumentAndNoMore(text: String) throws {
        let scratch = try Scratch()
        let body = "printf '%s' \"$1\" >$here/said; printf '%s' $# >$here/count; cp $here/sound.wav \"$2\""
        let file = try scratch.speaker(body, "{text}", "{output}").speak(text)
        // What begins with a hyphen has a blank before it, or it would be an option.
        #expect(try scratch.text("said") == (text.hasPrefix("-") ? " " : "") + text)
        #expect(try scratch.text("count") == "2")
        #expect(try Data(contentsOf: URL(filePath: file.path)) == wav)
        #expect(scratch.spoken == [file.path.split(separator: "/").last.map(String.init)])
        file.remove()
        #expect(scratch.spoken == [])
        file.remove()
    }

    @Test(arguments: hostileTexts)
    func theTextIsOnTheInputAndTheSoundOnTheOutput(text: String) throws {
        let scratch = try Scratch()
        let file = try scratch.speaker("cat >$here/said; cat $here/sound.wav").speak(text)
        #expect(try scratch.text("said") == text + "\n")
        #expect(try Data(contentsOf: URL(filePath: file.path)) == wav)
    }

    /// Of ours a program gets its three descriptors, the few variables that any program needs, and limits.
    @Test func aProgramInheritsNothing() throws {
        // One as libraries leave them: open in every program that is started.
        let leaked = unsafe open("/dev/null", O_RDONLY)
        defer { close(leaked) }
        try #require(leaked > 2 && fcntl(leaked, F_GETFD) == 0)
        unsafe setenv("SEGUE_TEST_SECRET", "secret", 1)
        defer { unsafe unsetenv("SEGUE_TEST_SECRET") }
        let scratch = try Scratch()
        let body = """
            env >$here/environment
            for f in /proc/self/fd/*; do readlink $f; done >$here/open
            while grep -q 'Max core file size  *[1-9u]' /proc/self/limits; do :; done
            while ! grep -q 'Max file size  *[0-9]' /proc/self/limits; do :; done
            cat /proc/self/limits >$here/limits
            cat $here/sound.wav
            """
        _ = try scratch.speaker(body).speak("x")
        let names = try scratch.text("environment").split(separator: "\n").map { String($0.prefix { $0 != "=" }) }
        #expect(names.contains("PATH") && !names.contains("SEGUE_TEST_SECRET"))
        #expect(try !scratch.text("open").contains("socket:"))
        #expect(try !scratch.text("open").contains("/dev/null"), "what was open here is open there")
        let limits = try scratch.text("limits")
        for (name, most) in [
            ("Max cpu time", "61"), ("Max file size", "\(128 << 20)"), ("Max address space", "\(8 << 30)"),
        ] {
            let line = limits.split(separator: "\n").first { $0.hasPrefix(name) } ?? ""
            #expect(line.split(separator: " ").contains(Substring(most)), "\(line)")
        }
    }

    @Test func placesAreFilledInsideOfArguments() throws {
        let scratch = try Scratch()
        var speaker = try scratch.speaker(
            "printf '%s|' \"$@\" >$here/said; cp $here/sound.wav ${3#--file=}",
            "--text={text}{text}",
            "/voices/{voice}.onnx",
            "--file={output}",
            "{other}"
        )
        speaker.voice = "en"
        let file = try speaker.speak("-{voice}")
        #expect(try scratch.text("said") == "--text=-{voice}-{voice}|/voices/en.onnx|--file=\(file.path)|{other}|")
        #expect(try speaker.speak("x", voice: "de_DE-thorsten").path != file.path)
        #expect(try scratch.text("said").contains("/voices/de_DE-thorsten.onnx|"))
    }

    @Test(arguments: [("one\ntwo", "one two"), ("a\r\n\tb\u{7}\u{1b}[31mc\u{85}d", "a   b  [31mc d"), ("\n-x", " -x")])
    func controlCharactersAreBlanks(text: String, said: String) throws {
        let scratch = try Scratch()
        _ = try scratch.speaker("cat >$here/said; cat $here/sound.wav").speak(text)
        #expect(try scratch.text("said") == said + "\n")
    }

    @Test(arguments: [
        ("", SpeechError.emptyText), (" \n\u{a0}\t", .emptyText), ("a\u{0}b", .textHasNUL),
        (String(repeating: "ü", count: 2_049), .textIsTooLong(bytes: 4_098, limit: 4_096)),
    ])
    func someTextsAreRefused(text: String, error: SpeechError) throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker("touch $here/ran; cat $here/sound.wav")
        #expect(throws: error) { try speaker.speak(text) }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/ran"))
        #expect(scratch.spoken == [])
    }

    @Test(arguments: [
        "/etc/passwd", "../x", "-x", "", "a b", "a\nb", "en;x", "en/us", ".hidden", String(repeating: "x", count: 65),
        "{text}",
    ])
    func clientsVoicesAreNames(voice: String) throws {
        let scratch = try Scratch()
        var speaker = try scratch.speaker("cp $here/sound.wav $2; printf '%s' $1 >$here/said", "{voice}", "{output}")
        #expect(throws: SpeechError.voiceIsNoName(voice)) { try speaker.speak("x", voice: voice) }
        // The owner's may be a path, and a client may ask for that one.
        speaker.voice = "/srv/voices/a"
        for asked in [nil, "/srv/voices/a"] as [String?] {
            _ = try speaker.speak("x", voice: asked)
            #expect(try scratch.text("said") == "/srv/voices/a")
        }
    }

    @Test func aVoiceIsNeededWhereThereIsAPlaceForOne() throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker("", "{voice}")
        #expect(throws: SpeechError.voiceIsNeeded) { try speaker.speak("x") }
    }

    @Test func leftoversAreRemovedAndNothingElse() throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker("cat $here/sound.wav")
        speaker.removeLeftovers()
        for _ in 0..<3 { _ = try speaker.speak("x") }
        try wav.write(to: URL(filePath: scratch.speech + "/mine.wav"))
        #expect(scratch.spoken.count == 4)
        speaker.removeLeftovers()
        #expect(scratch.spoken == ["mine.wav"])
    }

    @Test func filesAreForNobodyElse() throws {
        let scratch = try Scratch()
        let file = try scratch.speaker("cat $here/sound.wav").speak("secret")
        for path in [file.path, scratch.speech] {
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(try #require(mode) & 0o077 == 0)
        }
    }

    @Test func aProgramHasNoDescriptorsOfOurs() throws {
        let scratch = try Scratch()
        _ = try scratch.speaker("ls -l /proc/self/fd >$here/said; cat $here/sound.wav").speak("x")
        let files = try scratch.text("said").split(separator: "\n").filter { $0.contains("segue-speech") }
        #expect(files.count == 1 && files.first?.contains(" 0 -> ") == true, "\(files)")
    }
}
