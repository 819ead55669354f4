import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct LyricsVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "lyrics",
        "Show the words of a song, also as they are sung.",
        "[<uri>]",
        discussion: """
            Without a URI it is the current song. They come from the .lrc file beside the song, or from its tags.

            Examples:
              segue lyrics
              segue lyrics --follow
              segue lyrics Blue/01.flac
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library, or a file of this machine.", completion: .file()) var uri: String?
    @Flag(help: "Show each line when it is sung, until Ctrl-C.") var follow = false

    func validate() throws {
        if follow, uri != nil { throw ValidationError("--follow shows the current song's; name no other") }
    }

    func run(on session: Session) throws {
        if follow { return try LyricsFollower(session).run() }
        let song = try uri == nil ? session.run("currentsong").songs.first : nil
        guard let name = uri ?? song?.uri else { throw session.fail("there is no current song") }
        let lyrics = try song.map { try session.connection.lyrics(of: $0) } ?? session.lyrics(name)
        guard let lyrics else { throw session.fail("\(name): there are no lyrics, or no such song") }
        session.console.print(LyricsReport(uri: name, lyrics: lyrics))
    }
}

extension Session {
    /// The lyrics of a song of the library, or of a file of this machine if the server is on it.
    fileprivate func lyrics(_ uri: String) throws(RemoteError) -> LyricsBlock? {
        if let found = try connection.lyrics(uri) { return found }
        guard connection.address.isLocal, let path = Self.absolute(uri), path != uri else { return nil }
        return try connection.lyrics(path)
    }
}

extension RemoteConnection {
    /// The lyrics of a song of a queue, which may be a part of its file.
    func lyrics(of song: RemoteSong) throws(RemoteError) -> LyricsBlock? {
        // As 10.000-20.493, while the command takes 10.000:20.493.
        let range = song["Range"]?.replacing("-", with: ":", maxReplacements: 1)
        return try lyrics([song.uri] + (range.map { [$0] } ?? []))
    }

    fileprivate func lyrics(_ uri: String) throws(RemoteError) -> LyricsBlock? { try lyrics([uri]) }

    /// - Returns: `nil` when there are none.
    private func lyrics(_ arguments: [String]) throws(RemoteError) -> LyricsBlock? {
        do {
            return LyricsBlock(try run(Request("lyrics", arguments)))
        } catch {
            guard error.refusal?.known == .doesNotExist else { throw error }
            return nil
        }
    }
}

/// The report of `segue lyrics`.
private struct LyricsReport: Report {
    let uri: String
    let lyrics: LyricsBlock

    func lines(width: Int, isUnicode: Bool) -> [StyledText] { plainLines.map { StyledText(DisplayText.harmless($0)) } }

    var plainLines: [String] { lyrics.lines.map(\.text) }

    var json: [JSON] { [lyrics.reply.record(.lyrics, ("uri", uri))] }
}
