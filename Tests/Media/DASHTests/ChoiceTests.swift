import AudioTypes
import Segments
import TestThreads
import Testing

@testable import DASH

@Suite(.blocking) struct ChoiceTests {
    private static func set(
        _ ids: [String],
        _ bandwidths: [Int],
        type: String = "audio/mp4",
        codecs: String = "mp4a.40.2",
        language: String? = nil,
        content: String = "",
        attributes: String = ""
    ) -> String {
        let language = language.map { "lang=\"\($0)\"" } ?? ""
        let all = zip(ids, bandwidths).map { id, bandwidth in
            "<Representation id=\"\(id)\" bandwidth=\"\(bandwidth)\"><BaseURL>\(id)</BaseURL></Representation>"
        }
        return "<AdaptationSet mimeType=\"\(type)\" codecs=\"\(codecs)\" \(language) \(attributes)>\(content)"
            + all.joined() + "</AdaptationSet>"
    }

    private static func role(_ value: String) -> String {
        "<Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"\(value)\"/>"
    }

    private static let video = set(["v1", "v2"], [500_000, 900_000], type: "video/mp4", codecs: "avc1.4d401e")
    private static let three = set(["b", "c", "a"], [128_000, 256_000, 48_000])

    @Test(arguments: [(nil, "c"), (256_000, "c"), (255_999, "b"), (100_000, "a"), (1, "a")])
    func theLimitChooses(limit: Int?, expected: String) throws {
        let ladder = try Played(vod(Self.video + Self.three), limit: limit).ladder
        #expect(ladder.steps.map(\.uri) == ["a", "b", "c"])
        #expect(ladder.steps[ladder.ceiling].uri == expected)
    }

    /// FFmpeg writes an adaptation set for each stream.
    @Test func setsThatAreAlikeAreOneLadder() throws {
        let text =
            Self.set(["a"], [64_000], codecs: "mp4a.40.5") + Self.set(["b"], [128_000])
            + Self.set(["o"], [96_000], type: "audio/webm", codecs: "opus")
        #expect(try Played(vod(text)).ladder.steps.map(\.uri) == ["a", "b"])
    }

    @Test(arguments: [
        (TrackSelection.automatic, "de"), (.language("fr"), "fr"), (.language("fr-CA"), "fr"), (.number(1), "en"),
        (.number(3), "fr"), (.number(9), "de"), (.language("xx"), "de"),
    ])
    func languages(track: TrackSelection, expected: String) throws {
        let text = ["en", "de", "fr"].map { language in
            Self.set([language], [64_000], language: language, content: language == "de" ? Self.role("main") : "")
        }
        let played = try Played(vod(Self.video + text.joined()), track: track)
        #expect(played.locations == ["http://host/dir/\(expected)"])
        #expect(played.ladder.tracks.map(\.language) == ["en", "de", "fr"])
        #expect(played.ladder.tracks.map(\.isDefault) == [false, true, false])
        #expect(played.ladder.selectedTrack == ["en", "de", "fr"].firstIndex(of: expected))
    }

    @Test func commentariesAreForThoseWhoAsk() throws {
        let text =
            Self.set(["c"], [64_000], language: "en", content: Self.role("commentary"))
            + Self.set(["d"], [64_000], language: "en", content: "<Accessibility schemeIdUri=\"x\" value=\"1\"/>")
            + Self.set(["m"], [64_000], language: "en", content: "<Label>English</Label>")
        let played = try Played(vod(text))
        #expect(played.ladder.steps.map(\.uri) == ["m"])
        #expect(played.ladder.tracks.map(\.name) == ["commentary", "", "English"])
    }

    @Test func surroundSoundIsForWhereThereIsNothingElse() throws {
        func channels(_ count: Int) -> String {
            let scheme = "urn:mpeg:dash:23003:3:audio_channel_configuration:2011"
            return "<AudioChannelConfiguration schemeIdUri=\"\(scheme)\" value=\"\(count)\"/>"
        }
        let six = Self.set(["six"], [384_000], content: channels(6))
        let two = Self.set(["two"], [128_000], content: channels(2))
        #expect(try Played(vod(six + two)).ladder.steps.map(\.uri) == ["two"])
        #expect(try Played(vod(six)).ladder.steps.map(\.uri) == ["six"])
    }

    @Test func whatHasAPictureInItIsTakenCheaply() throws {
        let text = Self.set(["big", "small"], [900_000, 300_000], type: "video/mp4", codecs: "avc1.4d401e,mp4a.40.2")
        let ladder = try Played(vod(text)).ladder
        #expect(ladder.steps[ladder.ceiling].uri == "small")
        #expect(try Played(vod(text + Self.three)).ladder.steps.map(\.uri) == ["a", "b", "c"])
    }

    @Test(arguments: [
        set(["v"], [1], type: "video/mp4", codecs: "avc1.4d401e"),
        set(["t"], [1], type: "text/vtt", codecs: ""), set(["s"], [1], type: "application/mp4", codecs: "stpp"),
        set(["u"], [1], codecs: "ac-4.02.01.01"), "<AdaptationSet/>", "",
    ])
    func withoutSoundThereIsNothing(text: String) {
        #expect(failure(vod(text)) == .noAudio)
    }

    // MARK: Encryption

    private static let protection = """
        <ContentProtection schemeIdUri="urn:mpeg:dash:mp4protection:2011" value="cenc"/>
        <ContentProtection schemeIdUri="urn:uuid:EDEF8BA9-79D6-4ACE-A3C8-27DCD51D21ED"/>
        """

    @Test func encryptedSegmentsAreAnErrorOfTheirOwn() throws {
        let played = try Played(vod(Self.set(["a"], [64_000], content: Self.protection)))
        #expect(played.playlist.segments.map(\.encryption) == [.unsupported("Common Encryption (cenc)")])
    }

    @Test func whatIsInTheClearIsPreferred() throws {
        let text = Self.set(["a"], [128_000], content: Self.protection) + Self.set(["b"], [64_000])
        let played = try Played(vod(text))
        #expect(played.ladder.steps.map(\.uri) == ["b"])
        #expect(played.playlist.segments.map(\.encryption) == [nil])
    }

    // MARK: Several periods

    @Test func aStepIsFoundInEveryPeriod() throws {
        let one = Self.set(["a", "b"], [64_000, 128_000], language: "en") + Self.set(["x"], [64_000], language: "de")
        let two = Self.set(["y"], [64_000], language: "de") + Self.set(["c", "d"], [60_000, 100_000], language: "en")
        let text = """
            <MPD mediaPresentationDuration="PT20S"><Period duration="PT10S">\(one)</Period><Period>\(two)</Period></MPD>
            """
        #expect(try Played(text).locations.last == "http://host/dir/d")
        #expect(try Played(text, limit: 64_000).locations.last == "http://host/dir/c")
        #expect(try Played(text, track: .language("de")).locations.last == "http://host/dir/y")
    }
}
