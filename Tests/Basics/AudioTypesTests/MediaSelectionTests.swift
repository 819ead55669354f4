import AudioTypes
import Testing

/// Languages, and what is chosen of a medium's streams by them.
@Suite struct MediaSelectionTests {
    @Test(
        arguments: [
            ("de", "de"), ("deu", "de"), ("ger", "de"), ("DE_de.UTF-8", "de"), ("pt-BR", "pt"), ("eng", "en"),
            ("tlh", "tlh"),
            ("und", nil), ("zxx", nil), ("", nil), ("C", nil), ("english", nil), ("日本", nil), ("C.UTF-8", nil),
        ] as [(String, String?)]
    )
    func codesOfALanguageAreEqual(_ text: String, _ code: String?) { #expect(LanguageCode(text)?.code == code) }

    @Test(
        arguments: [
            (["LANG": "de_DE.UTF-8"], ["de"]), (["LC_ALL": "C", "LANG": "de_DE", "LANGUAGE": "fr"], []),
            (["LANG": "de_DE", "LANGUAGE": "sv:en"], ["sv", "en", "de"]), ([:], []), (["LANG": "POSIX"], []),
            (["LANG": "en_US", "LC_MESSAGES": "fr_FR", "LANGUAGE": ""], ["fr"]),
        ] as [([String: String], [String])]
    )
    func theEnvironmentNamesTheUsersLanguages(_ variables: [String: String], _ codes: [String]) {
        #expect(LanguageCode.preferred { variables[$0] }.map(\.code) == codes)
    }

    private func medium(_ streams: (StreamInfo.Kind, String?, [String])...) -> MediaInfo {
        var info = MediaInfo(container: "matroska")
        info.streams = streams.enumerated().map { index, stream in
            var made = StreamInfo(index: index, kind: stream.0, codec: "x")
            (made.language, made.dispositions) = (stream.1, stream.2)
            return made
        }
        return info
    }

    private func automatic(_ info: MediaInfo, audio: String?, _ languages: String...) -> Int? {
        MediaSelectionGroup(.legible, of: info).automaticSubtitles(
            audio: audio.flatMap { LanguageCode($0) },
            languages: languages.compactMap { LanguageCode($0) }
        )?.stream
    }

    @Test func foreignAudioIsTranslated() {
        let info = medium(
            (.audio, "jpn", ["default"]),
            (.subtitle, "eng", ["forced"]),
            (.subtitle, "eng", []),
            (.subtitle, "eng", []),
            (.subtitle, "ger", ["default"])
        )
        #expect(automatic(info, audio: "jpn", "en", "de") == 2)
        #expect(automatic(info, audio: "jpn", "de", "en") == 4)
        #expect(automatic(info, audio: "jpn", "fr") == nil)
        #expect(automatic(info, audio: "jpn") == nil)
        // In the user's own language, only what is forced for it.
        #expect(automatic(info, audio: "eng", "en") == 1)
        #expect(automatic(info, audio: "ger", "de") == nil)
        #expect(automatic(info, audio: nil, "fr") == 1)
    }

    /// Row 113: the criteria's languages in their order, and never what is for some users only while there is another.
    @Test func languagesArePreferredInTheirOrder() {
        let info = medium(
            (.audio, "eng", ["default"]),
            (.audio, "ger", ["comment"]),
            (.audio, "ger", []),
            (.audio, "fra", ["visual_impaired"]),
            (.subtitle, "ger", ["hearing_impaired"]),
            (.subtitle, "ger", []),
            (.subtitle, "fra", ["hearing_impaired"])
        )
        let audible = MediaSelectionGroup(.audible, of: info)
        func chosen(_ codes: String...) -> Int? {
            audible.option(for: .languages(codes.compactMap { LanguageCode($0) }))?.stream
        }
        #expect([chosen("de", "en"), chosen("sv", "de"), chosen("sv"), chosen("fr"), chosen()] == [2, 2, 0, 3, 0])
        #expect(automatic(info, audio: "eng", "de") == 5)
        #expect(automatic(info, audio: "eng", "fr") == 6)
        let unmarked = medium((.audio, "eng", ["comment"]), (.audio, "eng", []))
        #expect(MediaSelectionGroup(.audible, of: unmarked).defaultOption?.stream == 1)
    }

    @Test func renditionsArePutInPlaceOfWhatIsFetched() {
        var info = medium((.audio, nil, []), (.subtitle, "swe", []))
        var rendition = StreamInfo(index: 0, kind: .audio, codec: "unknown")
        rendition.language = "fr"
        info.renditions = [rendition]
        #expect(MediaSelectionGroup(.audible, of: info).options.map(\.language?.code) == ["fr"])
        #expect(MediaSelectionGroup(.legible, of: info).options.map(\.language?.code) == ["sv"])
    }

    @Test func groupsHaveTheirOptionsInOrder() {
        let info = medium((.audio, "eng", []), (.audio, "ger", ["default"]), (.subtitle, "ger", []), (.video, nil, []))
        let audible = MediaSelectionGroup(.audible, of: info)
        #expect(audible.options.map(\.stream) == [0, 1] && audible.defaultOption?.stream == 1)
        #expect(!audible.allowsEmptySelection && audible.option(number: 1)?.stream == 0)
        #expect(audible.option(number: 0) == nil && audible.option(number: 3) == nil)
        let selected = [
            TrackSelection.automatic, .number(1), .number(3), .preferred(1), .preferred(3), .language("de"),
        ]
        #expect(selected.map { audible.option(for: $0)?.stream } == [1, 0, nil, 0, 1, 1])
        let legible = MediaSelectionGroup(.legible, of: info)
        #expect(legible.allowsEmptySelection && legible.defaultOption == nil)
        #expect(LanguageCode("de").flatMap { legible.option(in: $0) }?.stream == 2)
    }
}
