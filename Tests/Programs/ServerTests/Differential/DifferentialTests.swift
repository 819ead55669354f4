import TestSupport
import TestThreads
import Testing

/// A real MPD and segued, run from one configuration, answer the same to the same.
@Suite(.blocking, .enabled("mpd, ffmpeg, lame or flac is not installed") { RealMPD.missing.isEmpty })
struct DifferentialTests {
    @Test(arguments: Session.all)
    func answersAsMPD(session: Session) async throws {
        let theirs = try SessionRun.exchanges(of: session, with: await RealMPD.start())
        let ours = try SessionRun.exchanges(of: session, with: await Segued.start(.mpdConf("")))
        try #require(theirs.count == ours.count)
        for (their, our) in zip(theirs, ours) {
            #expect(Difference.levelled(our) == Difference.levelled(their), "\(their.line)")
        }
    }

    /// The sessions keep covering what they are for.
    @Test func coversTheProtocol() {
        let lines = Session.all.flatMap(\.lines)
        #expect(lines.count > 700)
        for command in [
            "status", "addid", "plchanges", "prio", "rangeid", "playlistadd", "albumart", "sticker", "moveoutput",
        ] {
            #expect(lines.contains { $0.hasPrefix(command) }, "\(command)")
        }
    }
}
