import AudioTypes
import TestThreads
import Testing

@testable import HLS
@testable import Segments

@Suite(.blocking) struct VariantLadderTests {
    /// A master playlist's tags, shortly: `v` a variant with a picture, `a` one without, `u` one that does not say.
    private static func list(_ lines: [String]) throws -> MasterPlaylist {
        try master("#EXTM3U\n" + lines.joined(separator: "\n") + "\n")
    }

    private static func variant(_ uri: String, _ bandwidth: Int, _ codecs: String?, group: String? = nil) -> String {
        let codecs = codecs.map { ",CODECS=\"\($0)\"" } ?? ""
        let group = group.map { ",AUDIO=\"\($0)\"" } ?? ""
        return "#EXT-X-STREAM-INF:BANDWIDTH=\(bandwidth)\(codecs)\(group)\n\(uri)"
    }

    private static func audio(
        _ group: String,
        _ name: String,
        _ language: String,
        uri: String?,
        isDefault: Bool = false,
        channels: Int = 2
    ) -> String {
        let uri = uri.map { ",URI=\"\($0)\"" } ?? ""
        let marks = isDefault ? ",DEFAULT=YES,AUTOSELECT=YES" : ""
        return "#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"\(group)\",NAME=\"\(name)\",LANGUAGE=\"\(language)\""
            + ",CHANNELS=\"\(channels)\"\(uri)\(marks)"
    }

    private static let radio = [
        variant("high", 256_000, nil), variant("low", 48_000, nil), variant("middle", 128_000, nil),
    ]

    @Test(arguments: [
        (nil, "high"), (256_000, "high"), (255_999, "middle"), (100_000, "low"), (1, "low"),
    ])
    func theLimitChooses(limit: Int?, expected: String) throws {
        let ladder = try VariantLadder(Self.list(Self.radio), track: .automatic, limit: limit)
        #expect(ladder.steps.map(\.uri) == ["low", "middle", "high"])
        #expect(ladder.steps[ladder.ceiling].uri == expected)
    }

    @Test func soundAloneIsPreferred() throws {
        let ladder = try VariantLadder(
            Self.list([
                Self.variant("film", 2_000_000, "avc1.4d401e,mp4a.40.2"), Self.variant("sound", 64_000, "mp4a.40.5"),
            ]),
            track: .automatic,
            limit: nil
        )
        #expect(ladder.steps.map(\.uri) == ["sound"])
    }

    @Test func whatHasAPictureInItIsTakenCheaply() throws {
        let ladder = try VariantLadder(
            Self.list([
                Self.variant("big", 5_000_000, "avc1.4d401e,mp4a.40.2"), Self.variant("mute", 100_000, "avc1.4d401e"),
                Self.variant("small", 400_000, "avc1.4d401e,mp4a.40.2"),
            ]),
            track: .automatic,
            limit: nil
        )
        #expect(ladder.steps.map(\.uri) == ["small", "big"])
        #expect(ladder.ceiling == 0)
    }

    @Test func renditionsBesideThePictureAreTakenInstead() throws {
        let list = try Self.list([
            Self.audio("lo", "English", "en", uri: "en-lo", isDefault: true),
            Self.audio("lo", "Deutsch", "de", uri: "de-lo"),
            Self.audio("hi", "English", "en", uri: "en-hi", isDefault: true),
            Self.audio("hi", "Deutsch", "de", uri: "de-hi"),
            Self.audio("surround", "English", "en", uri: "en-51", isDefault: true, channels: 6),
            Self.variant("v1", 800_000, "avc1.4d401e,mp4a.40.5", group: "lo"),
            Self.variant("v2", 2_000_000, "avc1.4d401e,mp4a.40.2", group: "hi"),
            Self.variant("v3", 3_000_000, "avc1.4d401e,mp4a.40.2", group: "hi"),
            Self.variant("v4", 4_000_000, "avc1.4d401e,ac-3", group: "surround"),
        ])
        let ladder = try VariantLadder(list, track: .automatic, limit: nil)
        #expect(ladder.steps.map(\.uri) == ["en-lo", "en-hi"])
        #expect(ladder.steps.map(\.bandwidth) == [800_000, 2_000_000])
        #expect(ladder.tracks.map(\.name) == ["English", "Deutsch"])
        #expect(ladder.selectedTrack == 0)
    }

    @Test(arguments: [
        (TrackSelection.automatic, "fr"), (.number(1), "en"), (.number(3), "ch"), (.number(9), "fr"),
        (.language("en"), "en"), (.language("de"), "ch"), (.language("deu"), "fr"), (.language("de-CH"), "ch"),
        (.language("fra"), "fr"),
    ])
    func theTrackIsChosen(selection: TrackSelection, expected: String) throws {
        let list = try Self.list([
            Self.audio("a", "English", "en", uri: "en"),
            Self.audio("a", "Français", "fr", uri: "fr", isDefault: true),
            Self.audio("a", "Schwyz", "de-CH", uri: "ch"),
            Self.variant("v", 800_000, "mp4a.40.2", group: "a"),
        ])
        let ladder = try VariantLadder(list, track: selection, limit: nil)
        #expect(ladder.steps.map(\.uri) == [expected])
    }

    @Test func aRenditionWithoutALocationIsInItsVariant() throws {
        let list = try Self.list([
            Self.audio("a", "English", "en", uri: nil, isDefault: true), Self.audio("a", "Deutsch", "de", uri: "de"),
            Self.variant("both", 800_000, "avc1.4d401e,mp4a.40.2", group: "a"),
        ])
        #expect(try VariantLadder(list, track: .automatic, limit: nil).steps.map(\.uri) == ["both"])
        #expect(try VariantLadder(list, track: .language("de"), limit: nil).steps.map(\.uri) == ["de"])
    }

    @Test func withoutSoundThereIsNothing() throws {
        let list = try Self.list([Self.variant("mute", 100_000, "avc1.4d401e,wvtt")])
        #expect(throws: SegmentError.noAudio) { try VariantLadder(list, track: .automatic, limit: nil) }
        let strange = try Self.list([Self.variant("new", 100_000, "ac-4.02.01")])
        #expect(throws: SegmentError.noAudio) { try VariantLadder(strange, track: .automatic, limit: nil) }
    }
}
