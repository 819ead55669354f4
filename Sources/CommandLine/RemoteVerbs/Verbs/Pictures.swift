import ArgumentParser
import Files
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

struct ArtworkVerb: RemoteVerb {
    static let configuration = CommandConfiguration.remote(
        "artwork",
        "Write the artwork of a song, of any kind, at the size that is wanted.",
        "[<uri>]",
        discussion: """
            Without a URI it is the current song's. Only segued makes pictures small.

            Examples:
              segue artwork -o cover.jpg
              segue artwork --size 64 Blue/01.flac >small.jpg
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library.") var uri: String?
    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "The file to write: .jpg, .png or .webp; without it, to standard output.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?
    @Option(help: ArgumentHelp("The longest side, in pixels.", valueName: "pixels")) var size = 320

    private static let formats = ["jpg": "jpeg", "jpeg": "jpeg", "png": "png", "webp": "webp"]

    func validate() throws {
        guard (1...4_096).contains(size) else { throw ValidationError("--size is 1 to 4096 pixels") }
        _ = try format()
    }

    private func format() throws -> String {
        guard let output else { return "jpeg" }
        let kind = output.lastIndex(of: ".").map { output[$0...].dropFirst().lowercased() } ?? ""
        guard let format = Self.formats[kind] else {
            throw ValidationError("the file's name ends in .jpg, .png or .webp")
        }
        return format
    }

    func run(on session: Session) throws {
        if output == nil, session.console.isTerminal {
            throw ValidationError("a picture cannot go to a terminal; name a file with --output")
        }
        guard let uri = try uri ?? session.connection.run("currentsong")["file"] else {
            throw session.fail("there is no current song")
        }
        let bytes = try session.connection.binary("artwork", "song", uri, String(size), more: [format()])
        guard let output else { return session.console.write(bytes) }
        do {
            try AtomicFile.write(bytes, to: output, access: .asBefore)
        } catch {
            throw session.fail("\(output): \(error)")
        }
    }
}
