import ArgumentParser
import CommandOptions
import Files
import Glibc
import PictureValues
import PictureWorkers
import ProtocolClient
import TerminalPictures

extension Session {
    /// Writes a picture to standard output, which must not be a terminal.
    func writePicture(_ command: String, _ uri: String) throws {
        if console.isTerminal { throw ValidationError("a picture cannot go to a terminal; redirect it to a file") }
        let bytes = try connection.binary(command, uri)
        guard !bytes.isEmpty else { throw fail("\(uri): there is no picture") }
        console.write(bytes)
    }
}

struct AlbumArtVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "albumart",
        "Write the picture that is in a song's folder.",
        "<uri>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library.") var uri: String

    func run(on session: Session) throws { try session.writePicture("albumart", uri) }
}

struct ReadPictureVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "readpicture",
        "Write the picture that is in a song's file.",
        "<uri>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library.") var uri: String

    func run(on session: Session) throws { try session.writePicture("readpicture", uri) }
}

struct ArtworkVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "artwork",
        "Write the artwork of a song, or of many, at the size that is wanted.",
        "[<uri>]",
        discussion: """
            Without a URI it is the current song's. Only segued makes pictures small. A name that begins with /, ./ or
            ../ is a file of this machine, as any is with --here, whose artwork is made here, without a server.

            Examples:
              segue artwork -o cover.jpg
              segue artwork ./song.flac -o cover.jpg
              segue artwork --playlist Evening -o evening.png
              segue artwork --size 64 Blue/01.flac >small.jpg
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A song of the library, or a file.", completion: .file()) var uri: String?
    @Flag(help: "The name is that of a file of this machine.") var here = false
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
    @Option(help: ArgumentHelp("A stored playlist: four of its songs' covers.", valueName: "name")) var playlist:
        String?
    @Option(help: ArgumentHelp("The songs that a filter finds: four of their covers.", valueName: "filter"))
    var filter: String?

    private static let formats = ["jpg": "jpeg", "jpeg": "jpeg", "png": "png", "webp": "webp"]

    func validate() throws {
        guard (1...4_096).contains(size) else { throw ValidationError("--size is 1 to 4096 pixels") }
        guard [uri, playlist, filter].compactMap(\.self).count <= 1 else {
            throw ValidationError("a song, --playlist and --filter exclude each other")
        }
        if here, uri == nil { throw ValidationError("--here needs a file") }
        if file?.isEmpty == true { throw ValidationError("a file's name cannot be empty") }
        _ = try format()
    }

    /// The file of this machine that is named; `nil` for a song of the server's.
    private var file: String? { uri.flatMap { here || Self.isPath($0) ? $0 : nil } }

    private static func isPath(_ name: String) -> Bool { ["/", "./", "../"].contains(where: name.hasPrefix) }

    private func format() throws -> String {
        guard let output else { return "jpeg" }
        let kind = output.lastIndex(of: ".").map { output[$0...].dropFirst().lowercased() } ?? ""
        guard let format = Self.formats[kind] else {
            throw ValidationError("the file's name ends in .jpg, .png or .webp")
        }
        return format
    }

    /// The object that the artwork is of, as the protocol names it.
    private func subject(on session: Session) throws -> (type: String, name: String) {
        if let playlist { return ("playlist", playlist) }
        if let filter { return ("filter", filter) }
        guard let uri = try uri ?? session.connection.run("currentsong")["file"] else {
            throw session.fail("there is no current song")
        }
        return ("song", uri)
    }

    func run() throws {
        guard let file else { return try Session.perform(server) { try run(on: $0) } }
        var console = Console(server)
        try requirePlace(console)
        let bytes: [UInt8]
        do {
            bytes = try artwork(of: file)
        } catch {
            Console.complain("\(file): \(error)")
            throw ExitStatus.someFailed.exitCode
        }
        try write(bytes, &console)
    }

    func run(on session: Session) throws {
        try requirePlace(session.console)
        let (type, name) = try subject(on: session)
        try write(session.connection.binary("artwork", type, name, String(size), more: [format()]), &session.console)
    }

    /// Refuses to write a picture to a terminal, before it is made.
    private func requirePlace(_ console: Console) throws {
        guard output == nil, console.isTerminal else { return }
        throw ValidationError("a picture cannot go to a terminal; name a file with --output")
    }

    private func write(_ bytes: [UInt8], _ console: inout Console) throws {
        guard let output else { return console.write(bytes) }
        do {
            try AtomicFile.write(bytes, to: output, access: .asBefore)
        } catch {
            Console.complain("\(output): \(error)")
            throw ExitStatus.someFailed.exitCode
        }
    }

    /// The picture in a file, else the one in its folder, else a frame of a film.
    private func artwork(of path: String) throws -> [UInt8] {
        var order = PictureOrder(side: size, format: PictureFormat(fileExtension: try format()) ?? .jpeg)
        order.isOfCover = true
        let worker = PictureWorker(program: PictureTerminal.program)
        let song = try Descriptor(path, .reading)
        guard try song.status.kind == .file else { throw PictureError.system("is not a file") }
        if let cover = try? worker.make(order, of: song) { return cover.bytes }
        if let beside = coverFile(beside: path), let cover = try? worker.make(order, of: Descriptor(beside, .reading)) {
            return cover.bytes
        }
        order.isOfCover = false
        return try worker.make(order, of: song).bytes
    }
}
