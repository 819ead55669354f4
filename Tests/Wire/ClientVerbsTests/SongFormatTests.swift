import TestSupport
import TestThreads
import Testing

@testable import ClientVerbs

@Suite(.blocking) struct SongFormatTests {
    private func value(_ name: String) -> SongFormat.Value {
        switch name {
        case "a": .text("A")
        case "b": .text("B")
        case "none": .missing
        default: .unknown
        }
    }

    @Test(
        arguments: [
            ("%a%-%b%", "A-B"), ("[%none% - ]%a%", "A"), ("[%b% - ]%a%", "B - A"), ("%none%|%a%", "A"),
            ("%b%|%a%", "B"), ("%a%& x%b%", "A xB"), ("%none%& x%b%", ""), ("[%a%&%none%]|b", "b"), ("%x%", "%x%"),
            ("100%", "100%"), ("#[#]#%a", "[]%a"), ("a\\tb\\n", "a\tb\n"), ("\\q", "\\q"), ("\\[%a%\\]", "[A]"),
            ("[[%none%]|%a%]", "A"), ("", ""), ("plain", "plain"), ("]rest", ""), ("[open", "open"),
            ("%a%|[%b%&c]|d", "A"), ("日本 %a%", "日本 A"),
        ]
    )
    func writes(format: String, text: String) { #expect(SongFormat(format).text(value) == text) }
}

@Suite(.blocking, .serialized, .enabled("mpd, mpc or ffmpeg is not installed") { MPDServer.missingWithMpc.isEmpty })
struct SongFormatBesideMpcTests {
    private static let parts = [
        "%artist%", "%title%", "%file%", "%genre%", "%nothing%", "%time%", "%position%", "%id%", "%prio%", "%track%",
        "%mdate%", "%mtime%", "%albumartist%", "%name%", "%performer%", "%Artist%", "[", "]", "|", "&", "#", "\\",
        "\\n", "\\t", "\\e", "\\q", " - ", "x", "%", "#[", "\\]", "ä",
    ]

    /// Formats thrown together from all there is come out as mpc writes them.
    @Test func randomFormats() async throws {
        let server = try await MPDServer.start()
        _ = try await server.output("add", "Blue", "other")
        var generator = SplitMix(state: 4)
        for place in ["1", "3", "4"] {
            _ = try await server.output("jump", place)
            _ = try await server.output("pause")
            for _ in 0..<40 {
                let format = (0..<Int.random(in: 1...9, using: &generator))
                    .map { _ in Self.parts.randomElement(using: &generator) ?? "" }.joined()
                let theirs = try await server.mpc(["-f", format, "current"])
                let ours = try await server.segue("-f", format, "current")
                #expect(ours.output == theirs.output, "\(format)")
            }
        }
    }
}
