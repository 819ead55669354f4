import Caching
import CommandOptions
import Files
import Glibc
import LineProtocol
import PictureValues
import PictureWorkers
import ProtocolClient
import TerminalGrid
import TerminalPictures
import TerminalText
import Threads

/// A full screen of pictures, videos or songs in a terminal, from which the user chooses with keys.
///
/// Its loop sleeps in poll(2) until a key is pressed, a picture has been made, or the server tells of a change; pictures are got
/// and decoded on threads of their own, with connections of their own.
final class PickerScreen {
    /// The keys' meaning, and the part of the screen between its first and last lines.
    enum Mode {
        case choosing
        /// The name of a folder, or words of songs, with the text so far.
        case typing(String)
        case help
        /// One picture, as large as there is room for.
        case viewing(PickerPicture)
    }

    let choice: PickerChoice
    let console: Console
    let terminal: PictureTerminal
    var mode = Mode.choosing
    var grid: ItemGrid<PickerItem>
    /// The URIs of the items that are chosen, in their order.
    var chosen: [String] = []
    /// The items that are chosen, while they alone are shown.
    var selection: [PickerItem]?
    /// The part that is shown: a folder of pictures, or songs with some words; empty for all.
    var part = ""
    /// The kind of pictures and videos that is shown; `nil` for all.
    var kind: String?
    /// The grid as it was before those that are chosen were shown alone.
    var others: ItemGrid<PickerItem>?
    /// Of ``GridLayout/Form/tiles(zoom:)``; `nil` for the usual one of the terminal's size.
    private var zoom: Int?
    /// In place of the last line's usual words.
    var message: String?

    /// The screen as it was drawn last; `nil` where all is to be drawn.
    var drawn: Drawn?
    var pictures = BoundedCache<PickerTile, PickerPicture>(capacity: PickerScreen.mostBytes)

    private var parser = KeyParser()
    private let loader: TileLoader<PickerTile, PickerPicture>
    private let viewer: PickerPictures
    private var isIdle = false
    /// Whether the server has told of a change that was not looked at.
    private var hasNews = false
    /// When the request was taken last, in seconds of the monotonic clock.
    private var lastTaking = 0.0

    /// Smaller terminals get a list.
    private static let (leastColumns, leastRows) = (30, 10)
    /// Of pictures that are kept.
    private static let mostBytes = 32 << 20
    /// Seconds between two times of taking the request while keys are pressed, much less than the owner's lease.
    private static let takingInterval = 20.0
    /// Seconds after which Escape is a key by itself; terminals send the bytes of a sequence at once.
    private static let escapePatience = 0.1
    private static let signals = [SIGWINCH, SIGTSTP, SIGCONT]

    /// - Parameter console: Of the terminal.
    /// - Returns: `nil` where the terminal is too small, or can only print lines.
    init?(_ choice: PickerChoice, on console: Console, graphics: GraphicsOption) {
        guard TerminalTraits.isCapable, let terminal = PictureTerminal(graphics, output: console.descriptor) else {
            return nil
        }
        let canvas = terminal.canvas
        guard canvas.columns >= Self.leastColumns, canvas.rows >= Self.leastRows else { return nil }
        (self.choice, self.console, self.terminal) = (choice, console, terminal)
        grid = ItemGrid(ScreenRoom(canvas, header: Self.header(choice, canvas).count).layout(choice, zoom: nil))
        let connect = choice.session.connector
        let type = choice.artworkType
        viewer = PickerPictures(type, connect)
        loader = TileLoader(threads: 2) {
            let pictures = PickerPictures(type, connect)
            return { pictures.picture($0) }
        }
    }

    // MARK: The loop

    /// Lets the user choose.
    func choose() throws -> PickerOutcome {
        let signals = Interrupts.receive(Self.signals)
        defer { ProcessSignals.closePipe(signals, for: Self.signals) }
        // These end it at once, also while the server does not answer.
        Terminal.restore(before: [SIGINT, SIGTERM, SIGHUP])
        enter()
        defer { leave() }
        let outcome = try run(signals)
        try stopWaiting()
        return outcome
    }

    private func run(_ signals: Int32) throws -> PickerOutcome {
        lastTaking = monotonicSeconds()
        try readSelection()
        try load()
        while true {
            draw()
            if hasNews, let outcome = try readNews() { return outcome }
            let connection = choice.session.connection
            if !isIdle { try connection.beginIdle(["picker"]) }
            isIdle = true
            let ready = Interrupts.wait(
                for: [STDIN_FILENO, signals, loader.descriptor, connection.descriptor],
                seconds: parser.isAfterEscape ? Self.escapePatience : nil
            )
            if ready.isEmpty, let key = parser.endEscape(), let outcome = try obeyOrTell(key) { return outcome }
            if ready.contains(signals) { obeySignals(signals) }
            if ready.contains(loader.descriptor) {
                for (tile, picture) in loader.take() { pictures.keep(picture, for: tile, cost: picture.cost) }
            }
            if ready.contains(connection.descriptor) {
                isIdle = false
                hasNews = try !connection.endIdle().isEmpty
            }
            if ready.contains(STDIN_FILENO) {
                guard let keys = readKeys() else { return .left }
                for key in keys { if let outcome = try obeyOrTell(key) { return outcome } }
            }
        }
    }

    /// - Returns: `nil` at the end of the input.
    private func readKeys() -> [Key]? {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
        if count > 0 { return parser.parse(bytes[..<count]) }
        return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil
    }

    private func obeySignals(_ pipe: Int32) {
        for number in Interrupts.take(from: pipe) {
            switch number {
            case SIGWINCH: break
            case SIGTSTP:
                leave()
                // In the background there is nothing to do.
                repeat { raise(SIGSTOP) } while !Terminal.isForeground(STDIN_FILENO)
                enter()
            case SIGCONT: enter()
            default: break
            }
            resize()
        }
    }

    private func obeyOrTell(_ key: Key) throws -> PickerOutcome? {
        do {
            return try obey(key)
        } catch let error as PickerOrder.Problem {
            message = "\(error)"
            return nil
        } catch let error as RemoteError {
            guard let refusal = error.refusal, refusal.known != .permission else { throw error }
            message = refusal.text
            return nil
        }
    }

    private func enter() {
        Terminal.enter(keys: STDIN_FILENO, screen: console.descriptor)
        Terminal.isAlternate = true
        write(Array("\u{1b}[?1049h".utf8))
        drawn = nil
    }

    private func leave() {
        write(removal)
        Terminal.restore()
    }

    /// The size of the terminal may be another one.
    private func resize() {
        let canvas = terminal.canvas
        grid.setLayout(ScreenRoom(canvas, header: Self.header(choice, canvas).count).layout(choice, zoom: zoom))
        drawn = nil
        // More may be visible now; what the server says against that is told with the next key.
        do { try load() } catch { message = "\(error)" }
    }

    /// Makes pictures larger or smaller.
    func zoom(by steps: Int) {
        guard case .tiles(let zoom) = grid.layout.form else { return }
        self.zoom = (zoom + steps).clamped(to: 0...GridLayout.widths.count - 1)
        resize()
    }

    // MARK: The server

    /// Runs commands, which cannot be sent while the connection waits for changes.
    func talk<Value>(_ body: () throws -> Value) throws -> Value {
        try stopWaiting()
        return try body()
    }

    private func stopWaiting() throws(RemoteError) {
        guard isIdle else { return }
        isIdle = false
        if try !choice.session.connection.cancelIdle().isEmpty { hasNews = true }
    }

    /// Learns what has become of the request.
    private func readNews() throws -> PickerOutcome? {
        hasNews = false
        let requests = try talk { try choice.session.run("picking", "list").groups(startingWith: "request") }
        guard let request = requests.first(where: { $0["request"] == choice.name }) else {
            return .over("the client has withdrawn it, or is gone")
        }
        if request["state"] == "waiting" {
            message = "the request waits for any owner again; a key takes it back"
            lastTaking = -.infinity
            draw()
        }
        return nil
    }

    /// Keeps the request while keys are pressed.
    ///
    /// - Returns: An outcome where it is another owner's, or over.
    func keepRequest() throws -> PickerOutcome? {
        guard monotonicSeconds() - lastTaking > Self.takingInterval else { return nil }
        if let reason = try talk({ try choice.take() }) { return .over(reason) }
        lastTaking = monotonicSeconds()
        if choice.chosenCount != chosen.count { try readSelection() }
        return nil
    }

    /// Learns the items that are chosen, and shows them if they are shown alone.
    func readSelection() throws {
        let items = try talk { try choice.selection() }.compactMap { PickerItem($0, isSong: choice.isOfSongs) }
        chosen = items.map(\.uri)
        if selection != nil { selection = items }
    }

    /// Fetches the items that are to be shown.
    func load() throws {
        while let range = grid.missing { grid.keep(try items(in: range), of: range) }
    }

    /// Finds the last item.
    func findEnd() throws {
        while let index = grid.probe { grid.keep(try items(in: index..<index + 1), of: index..<index + 1) }
    }

    private func items(in range: Range<Int>) throws -> [PickerItem] {
        if let selection { return Array(selection[range.clamped(to: 0..<selection.count)]) }
        return try talk { try choice.items(in: part, kind, range) }.compactMap {
            PickerItem($0, isSong: choice.isOfSongs)
        }
    }

    /// Gets a picture of an item; blocks.
    func fetch(_ tile: PickerTile) -> PickerPicture { viewer.picture(tile) }

    /// Wants pictures, the most urgent one first.
    func want(_ tiles: [PickerTile]) { loader.want(tiles) }
}
