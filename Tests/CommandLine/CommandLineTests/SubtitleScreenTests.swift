import Foundation
import TestSupport
import Testing

/// Subtitles and words of songs below the progress line of `segue play`.
@Suite(.enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty })
struct SubtitleScreenTests {
    private func subtitles(_ text: String) -> String {
        "1\n00:00:00,000 --> 00:00:01,500\n\(text) one\n\n2\n00:00:01,500 --> 00:01:00,000\n\(text) two\n"
    }

    private func film(in folder: TemporaryFolder) async throws -> String {
        let english = try folder.write("a.txt.srt", subtitles("English"))
        let german = try folder.write("b.txt.srt", subtitles("German"))
        let path = folder.file("film.mkv")
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=size=64x48:rate=5", "-f", "lavfi", "-i", "sine", "-i", english, "-i", german,
            "-map", "0", "-map", "1", "-map", "2", "-map", "3", "-c:s", "subrip", "-t", "60",
            "-metadata:s:a:0", "language=jpn", "-metadata:s:s:0", "language=eng", "-metadata:s:s:1", "language=ger",
            path,
        ])
        return path
    }

    private func play(_ words: String..., language: String = "de_DE.UTF-8") throws -> TerminalProcess {
        let environment = ["LANG": language, "NO_COLOR": "1", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]
        let program = try Program.own("segue")
        return try TerminalProcess(program, ["play", "-o", "null"] + words, environment: environment, columns: 60)
    }

    /// Waits until a text has been shown, though it may be gone again.
    private func was(_ text: String, on terminal: TerminalProcess) async throws {
        try await terminal.wait { String(decoding: $0.received, as: UTF8.self).contains(text) }
    }

    @Test func foreignFilmsAreTranslated() async throws {
        let folder = try TemporaryFolder()
        let path = try await film(in: folder)
        let terminal = try play(path)
        try await was("German one", on: terminal)
        try await terminal.waitForText("German two")
        terminal.type("j")
        try await terminal.wait { $0.text.contains("Subtitles off") && !$0.text.contains("German") }
        terminal.type("j")
        try await terminal.waitForText("English two")
        terminal.type("v")
        try await terminal.wait { $0.text.contains("Subtitles hidden") && !$0.text.contains("English two") }
        terminal.type("v")
        try await terminal.waitForText("English two")
        terminal.resize(columns: 40, rows: 10)
        try await terminal.waitForText("English two")
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(!terminal.contents.text.contains("English two") && terminal.isInLineMode)
    }

    @Test func filesBesideTheFilmAreShown() async throws {
        let folder = try TemporaryFolder()
        let path = try await film(in: folder)
        try folder.write("film.srt", subtitles("Beside"))
        try folder.write("other.vtt", "WEBVTT\n\n00:00.000 --> 01:00.000\nNamed\n")
        let beside = try play(path)
        try await was("Beside one", on: beside)
        beside.type("q")
        _ = try await beside.process.wait()
        let named = try play("--sub", folder.file("other.vtt"), path)
        try await named.waitForText("Named")
        named.type("q")
        _ = try await named.process.wait()
        let missing = try play("--sub", "5", path)
        try await missing.waitForText("there are no subtitles 5")
        missing.type("q")
        _ = try await missing.process.wait()
    }

    @Test func audioTracksAreGoneThrough() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("two.mka")
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "sine=400", "-f", "lavfi", "-i", "sine=800", "-map", "0", "-map", "1", "-t", "60",
            "-metadata:s:a:0", "language=eng", "-metadata:s:a:1", "language=ger", path,
        ])
        // The next file has one track, and is played all the same.
        let terminal = try play(path, try await film(in: folder))
        try await terminal.waitForText("0:01")
        terminal.type("#")
        try await terminal.waitForText("Audio track 2/2  de")
        terminal.type(">")
        try await terminal.waitForText("Playing 2/2  film.mkv")
        terminal.type("#")
        try await terminal.waitForText("There is no other audio track")
        terminal.type("<")
        // The line of the first time stays on the screen.
        try await terminal.wait { $0.text.components(separatedBy: "Playing 1/2  two.mka").count > 2 }
        terminal.type("#")
        try await terminal.waitForText("Audio track 1/2  en")
        terminal.type("q")
        #expect(try await terminal.process.wait().status == .code(0))
    }

    /// What cannot be sought, as most radio, says so instead of leaving a key without an answer.
    @Test func whatCannotBeSoughtSaysSo() async throws {
        let folder = try TemporaryFolder()
        let sound = folder.file("sound.mp3")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine", "-t", "60", sound])
        let terminal = try TerminalProcess(
            "sh",
            ["-c", "cat \"$0\" | \"$1\" play -o null -", sound, try Program.own("segue")],
            environment: ["LANG": "C.UTF-8", "NO_COLOR": "1", "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"],
            columns: 60
        )
        try await terminal.waitForText("0:01")
        terminal.type("\u{1b}[C")
        try await terminal.waitForText("This stream has no other place to go to")
        terminal.type("q")
        _ = try await terminal.process.wait()
    }

    @Test func songsShowTheirWords() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("song.flac")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine", "-t", "60", path])
        try folder.write("song.lrc", "[00:00]First line\n[00:01]Second line\n")
        let terminal = try play("--lyrics", path)
        try await was("First line", on: terminal)
        try await terminal.waitForText("Second line")
        terminal.type("q")
        _ = try await terminal.process.wait()
    }
}
