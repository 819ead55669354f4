import AudioTypes
import Foreground
import Testing

/// The names of the files that `--output dir:` makes.
struct FileNamesTests {
    private func names(_ entries: MediaEntry...) -> [String] {
        var names = FileNames(fileType: "opus")
        return entries.enumerated().map { names.name(of: $1, number: $0 + 1) }
    }

    private func track(_ number: String?, _ title: String?) -> MediaEntry {
        var tags = Tags()
        tags.set("track", to: number)
        tags.set("title", to: title)
        return MediaEntry(location: "disc.flac", start: .zero, end: MediaTime(seconds: 9), tags: tags)
    }

    @Test func filesKeepTheirNames() {
        let made = names(
            MediaEntry(location: "a/01 So What.flac"),
            MediaEntry(location: "b/.x"),
            MediaEntry(location: "c")
        )
        #expect(made == ["01 So What.opus", "_x.opus", "c.opus"])
    }

    /// Also where they differ in case only, which some file systems do not tell apart.
    @Test func noNameIsGivenTwice() {
        let made = names(
            MediaEntry(location: "a/01.flac"),
            MediaEntry(location: "b/01.mp3"),
            MediaEntry(location: "c/A.flac"),
            MediaEntry(location: "c/a.flac")
        )
        #expect(made == ["01.opus", "01-2.opus", "A.opus", "a-2.opus"])
    }

    @Test func tracksAndStreamsAreNamedByNumberAndTitle() {
        let stream = MediaEntry(location: "https://radio.example/live.mp3?key=1")
        let made = names(track("7/9", "So What"), track(nil, nil), stream)
        #expect(made == ["07 So What.opus", "02 disc.flac.opus", "03 live.mp3.opus"])
    }

    @Test func namesAreHarmless() {
        let made = names(track("1", "AC/DC\n\u{9b}2J"), track("2", String(repeating: "ä", count: 300)))
        #expect(made[0] == "01 AC_DC__2J.opus")
        #expect((190...205).contains(made[1].utf8.count))
    }
}
