import ArgumentParser
import CommandOptions
import Files
import Glibc
import LineProtocol
import PictureValues
import PictureWorkers
import ProtocolClient
import TerminalPictures
import TerminalText

struct ShowVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "show",
        "Show pictures, films' frames and covers in the terminal.",
        "[<file or uri> ...]",
        discussion: """
            A file that is there is shown by itself; any other name is a song of the server's library, whose artwork is
            shown. Without a name it is the current song's. Files are decoded in a sandbox.

            Examples:
              segue show photo.heic
              segue show --size 40x20 --at 1:02 film.mkv
              segue show                               the cover of what plays
              segue show --graphics sixel cover.png >cover.six
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        help: ArgumentHelp("Pictures, films, songs with a cover, or songs of the library.", valueName: "file or uri"),
        completion: .file()
    )
    var names: [String] = []
    @Option(help: ArgumentHelp("How they are shown: auto, kitty, iterm, sixel or symbols.", valueName: "way"))
    var graphics = GraphicsOption.automatic
    @Option(help: ArgumentHelp("At most so many columns and rows.", valueName: "columns x rows"))
    var size: String?
    @Option(help: ArgumentHelp("Where in a film: a time, or a part such as 10%.", valueName: "moment"))
    var at: String?

    func validate() throws {
        if names.contains(where: \.isEmpty) { throw ValidationError("a file's name cannot be empty") }
        if server.json { throw ValidationError("show has no JSON; segue artwork and segue thumbnail write files") }
        _ = try cells()
        _ = try MomentArgument.parse(at)
    }

    /// `--size`; `nil` without it.
    private func cells() throws -> PixelSize? {
        guard let size else { return nil }
        let numbers = size.lowercased().split(separator: "x").map { Int($0) }
        guard numbers.count == 2, let columns = numbers[0], let rows = numbers[1],
            (1...TerminalCanvas.limit).contains(columns), (1...TerminalCanvas.limit).contains(rows)
        else { throw ValidationError("--size is columns and rows, such as 40x20, each 1 to \(TerminalCanvas.limit)") }
        return PixelSize(columns, rows)
    }

    func run() throws {
        guard let terminal = PictureTerminal(graphics) else {
            Console.complain("pictures are shown in terminals; --graphics says how to write them elsewhere")
            throw ExitStatus.usage.exitCode
        }
        var canvas = terminal.canvas
        // The shell's prompt follows.
        canvas = terminal.canvas(columns: canvas.columns, rows: max(1, canvas.rows - 1))
        if let cells = try cells() { canvas = terminal.canvas(columns: cells.width, rows: cells.height) }
        var order = TerminalOrder(canvas)
        if let moment = try MomentArgument.parse(at) { order.moment = moment.film }
        let show = Show(order, title: names.count > 1)
        let remote = names.isEmpty ? [""] : names.filter { !fileExists($0) }
        if remote.isEmpty {
            for name in names { show.file(name) }
        } else {
            try Session.perform(server) { session in
                for name in names.isEmpty ? [""] : names {
                    if fileExists(name) { show.file(name) } else { try show.artwork(of: name, session) }
                }
            }
        }
        if show.hasFailed { throw ExitStatus.someFailed.exitCode }
    }

    func run(on session: Session) throws {}
}

extension ThumbnailOptions.Moment {
    fileprivate var film: FilmMoment {
        switch self {
        case .part(let part): .part(part)
        case .seconds(let seconds): .seconds(seconds)
        }
    }
}

/// Shows one picture after another.
private final class Show {
    private let order: TerminalOrder
    private let worker = PictureWorker(program: PictureTerminal.program)
    /// Whether each picture has its name below.
    private let hasTitles: Bool
    private(set) var hasFailed = false

    init(_ order: TerminalOrder, title: Bool) { (self.order, hasTitles) = (order, title) }

    func file(_ path: String) {
        do {
            let file = try Descriptor(path, .reading)
            guard try file.status.kind == .file else { return fail(path, "is not a file") }
            try show(file, path)
        } catch {
            fail(path, "\(error)")
        }
    }

    /// Shows a song's artwork; the current song's without a name.
    func artwork(of name: String, _ session: Session) throws {
        guard let uri = name.isEmpty ? try session.run("currentsong")["file"] : name else {
            throw session.fail("there is no current song")
        }
        do {
            let file = try session.artwork(of: uri, side: order.canvas.pixels.longestSide)
            try show(file, uri)
        } catch let error as PictureError {
            fail(uri, "\(error)")
        } catch let error as RemoteError where error.refusal?.known == .doesNotExist {
            fail(uri, error.refusal?.text ?? "\(error)")
        }
    }

    private func show(_ file: borrowing Descriptor, _ name: String) throws {
        let picture = try worker.show(order, of: file)
        Console.write(
            PictureBlock.text(picture, isOfCharacters: order.canvas.graphics == .symbols),
            to: STDOUT_FILENO
        )
        if hasTitles { Console.write(Array("\(DisplayText.harmless(name))\n".utf8), to: STDOUT_FILENO) }
        if let damage = picture.damage { fail(name, "\(PictureError.damaged(damage)); what is left of it is shown") }
    }

    private func fail(_ name: String, _ reason: String) {
        hasFailed = true
        Console.complain("\(name): \(reason)")
    }
}

extension Session {
    /// A song's artwork from the server, as an open file.
    ///
    /// - Parameter side: The longest side that is useful, in pixels.
    func artwork(of uri: String, side: Int) throws -> Descriptor {
        let side = String(min(4_096, max(1, side)))
        let bytes = try connection.binary("artwork", "song", uri, side, more: ["png"])
        return try PictureWorker.file(with: bytes)
    }
}
