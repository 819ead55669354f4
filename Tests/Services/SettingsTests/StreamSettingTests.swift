import AudioTypes
import Charsets
import Settings
import Testing

/// How media of the network are read.
@Suite struct StreamSettingTests {
    private static func everywhere(
        _ change: @escaping @Sendable (inout StreamOptions) -> Void
    ) -> @Sendable (inout Configuration) -> Void {
        { configuration in
            change(&configuration.stream)
            for index in configuration.zones.indices { change(&configuration.zones[index].stream) }
        }
    }

    /// Each key alone, and what it changes; for `SettingTests`.
    static let cases: [(String, @Sendable (inout Configuration) -> Void)] = [
        ("[stream]\nbuffer = 30", everywhere { $0.preferredForwardBuffer = 30 }),
        ("stream.buffer = \"1m\"", everywhere { $0.preferredForwardBuffer = 60 }),
        ("stream.reconnect-for = \"10m\"", everywhere { $0.reconnectLimit = 600 }),
        ("stream.reconnect-for = \"forever\"", everywhere { $0.reconnectLimit = .infinity }),
        ("stream.reconnect-for = 0", everywhere { $0.reconnectLimit = 0 }),
        ("stream.first-contact = \"30s\"", everywhere { $0.firstContactLimit = 30 }),
        ("stream.first-contact = \"forever\"", everywhere { $0.firstContactLimit = .infinity }),
        ("stream.max-bitrate = \"128k\"", everywhere { $0.preferredPeakBitRate = 128_000 }),
        ("stream.max-bitrate = 1_500_000", everywhere { $0.preferredPeakBitRate = 1_500_000 }),
        ("stream.user-agent = \"me/1\"", everywhere { $0.http.userAgent = "me/1" }),
        ("stream.headers = [\"A: b\"]", everywhere { $0.http.headers = [.init(name: "A", value: "b")] }),
        ("stream.verify-certificates = false", everywhere { $0.http.verifiesCertificates = false }),
        (
            "charset = \"koi8-r\"",
            {
                $0.charsets.everywhere = Charset(named: "koi8-r")
                $0.stream.charsets = $0.charsets
                for index in $0.zones.indices { $0.zones[index].stream.charsets = $0.charsets }
            }
        ),
        // What a zone says counts more, key for key.
        (
            "[stream]\nbuffer = 30\nuser-agent = \"me\"\n[[zone]]\nname = \"default\"\n[zone.stream]\nbuffer = 5",
            {
                $0.stream.preferredForwardBuffer = 30
                $0.stream.http.userAgent = "me"
                $0.zones[0].stream = $0.stream
                $0.zones[0].stream.preferredForwardBuffer = 5
            }
        ),
    ]

    @Test func charsetsAreOfFoldersAndAddresses() throws {
        let text = """
            [[zone]]
            name = "kitchen"
            [charset]
            "Kino" = "windows-1251"
            "http://radio.example/" = "koi8-r"
            "/" = "cp1250"
            """
        let configuration = try parse(text)
        #expect(configuration.charsets["Kino/a.mp3"]?.name == "windows-1251")
        #expect(configuration.charsets["http://radio.example/live"]?.name == "koi8-r")
        #expect(configuration.charsets["other/a.mp3"]?.name == "cp1250")
        for zone in configuration.zones { #expect(zone.stream.charsets == configuration.charsets) }
        #expect(try parse("charset = \"utf-8\"").charsets == CharsetRules(everywhere: .utf8))
    }

    @Test(arguments: [
        (
            "charset = 1",
            "\"charset\" must be a character set such as \"windows-1251\" (see iconv -l), or a table of folders and addresses with such names, not 1"
        ),
        (
            "charset = \"klingon\"",
            "\"charset\" must be a character set such as \"windows-1251\" (see iconv -l), not \"klingon\""
        ),
        (
            "[charset]\nKino = \"klingon\"",
            "\"Kino\" must be a character set such as \"windows-1251\" (see iconv -l), not \"klingon\""
        ),
        (
            "[charset]\n\"/music\" = \"koi8-r\"",
            "\"/music\" must be a folder in the music directory, without the path to that, or an address"
        ),
        (
            "[charset]\n\"a\\u0000b\" = \"koi8-r\"",
            "a folder or address in \"charset\" is too long, or has control characters"
        ),
    ])
    func otherCharsetsAreRefused(text: String, message: String) {
        let found = remarks(text)
        #expect(found.count == 1)
        #expect(found.first?.contains(message) == true, "\(found)")
    }

    @Test func everyZoneHasWhatHoldsForAll() throws {
        let text = """
            listen = [{ address = "@x", zone = "named" }]
            stream.buffer = 30
            [[zone]]
            name = "kitchen"
            stream.reconnect-for = 5
            """
        let zones = try parse(text).zones
        #expect(zones.map(\.name) == ["default", "kitchen", "named"])
        #expect(zones.map(\.stream.preferredForwardBuffer) == [30, 30, 30])
        #expect(zones.map(\.stream.reconnectLimit) == [nil, 5, nil])
    }

    @Test(arguments: [
        ("buffer = 0", "\"buffer\" must be a time from 0.5 seconds to 1 hour, as 30, \"30s\" or \"1m\", not 0"),
        (
            "reconnect-for = \"long\"",
            "\"reconnect-for\" must be a time, as 90, \"90s\" or \"10m\", or \"forever\", not \"long\""
        ),
        (
            "max-bitrate = 12",
            "\"max-bitrate\" must be bits per second from 1000 to 1000000000, as 128000 or \"128k\", not 12"
        ),
        ("headers = [\"x\"]", "a header is written as 'Name: value'"),
        ("user-agent = \"\\u0007\"", "it must be one line without control characters"),
        ("bufer = 1", "unknown key \"bufer\" in \"stream\"; did you mean \"buffer\"?"),
    ])
    func aWrongValueIsNamedWithItsLine(text: String, message: String) {
        let found = remarks("[stream]\n" + text)
        #expect(found.count == 1)
        #expect(found.first?.contains(message) == true, "\(found)")
        #expect(found.first?.contains("2") == true)
    }
}
