import ArgumentParser
import Glibc
import RemoteControl
import Verbs

extension Session {
    /// Writes a picture to standard output, which must not be a terminal.
    func writePicture(_ command: String, _ uri: String) throws {
        if console.isTerminal { throw ValidationError("a picture cannot go to a terminal; redirect it to a file") }
        let bytes = try connection.binary(command, uri)
        guard !bytes.isEmpty else { throw fail("\(uri): there is no picture") }
        console.write(bytes)
    }
}

struct AlbumArtVerb: RemoteVerb {
    static let configuration = CommandConfiguration.remote(
        "albumart",
        "Write the picture that is in a song's folder.",
        "<uri>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library.") var uri: String

    func run(on session: Session) throws { try session.writePicture("albumart", uri) }
}

struct ReadPictureVerb: RemoteVerb {
    static let configuration = CommandConfiguration.remote(
        "readpicture",
        "Write the picture that is in a song's file.",
        "<uri>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library.") var uri: String

    func run(on session: Session) throws { try session.writePicture("readpicture", uri) }
}
