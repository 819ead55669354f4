import ArgumentParser
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// `segue pick`: asks the server's owner for pictures or songs, or answers such a request.
struct PickVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "pick",
        "Ask the server's owner for pictures, videos or songs, or pick those that are asked for.",
        "[--videos|--media|--songs] [-o <folder>] | --extend | --list | --for <request> [<uri> ...]",
        discussion: """
            The client gets copies of what is picked, and learns of nothing else. At a
            terminal of the owner it is picked there and then; otherwise the request
            waits for 'segue pick --for', five minutes at most. A client whose library
            is limited sees more songs with --extend. An owner gets the names of what
            was picked without -o. See segue-picker(7).

            Examples:
              segue pick --limit 5 -o frame/ --prompt 'For the kitchen'
              segue pick --filter 'any(panoramas,livePhotos)' --limit 0 -o .
              segue pick --videos --limit 3 -o films/
              segue pick --songs --filter '(genre == "Jazz")' -o .
              segue pick --extend --limit 3 --prompt 'To dance'
              segue pick --list
              segue pick --for p7
              segue pick --for p7 Photos/1.jpg Photos/2.jpg
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Flag(help: "Videos, and not pictures.") var videos = false
    @Flag(help: "Pictures and videos.") var media = false
    @Flag(help: "Songs, and not pictures.") var songs = false
    @Flag(help: "Songs that belong to this client's limited library from then on.") var extend = false
    @Option(help: ArgumentHelp("At most so many (default: 1); 0 for 1000.", valueName: "number")) var limit: Int?
    @Option(
        help: ArgumentHelp(
            "Pictures and videos of these kinds alone, with any(), all() and not(); all but albums' covers without it. Of songs, an expression as of 'segue find'.",
            valueName: "filter"
        )
    )
    var filter: String?
    @Flag(help: "Pictures as they are stored, and not as JPEG, where the rest of their files can be hidden.")
    var original = false
    @Flag(help: "Say that their order matters.") var ordered = false
    @Option(
        help: ArgumentHelp(
            "Choose these beforehand, by the identifiers that --json has told, with commas between them.",
            valueName: "identifiers"
        )
    )
    var preselected: String?
    @Flag(help: "Let files come and go in the folder while the owner still chooses.") var continuous = false
    @Option(help: ArgumentHelp("Words to the owner.", valueName: "text")) var prompt: String?
    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("The folder for what is picked; it is made.", valueName: "folder"),
        completion: .directory
    )
    var output: String?
    @Flag(name: .customLong("print0"), help: "Print names with a null character behind each.") var endsWithNull = false
    @Flag(help: "List the requests that wait for the owner.") var list = false
    @Option(name: .customLong("for"), help: ArgumentHelp("Answer a request.", valueName: "request"))
    var request: String?
    @Option(help: ArgumentHelp("How pictures are shown: auto, kitty, iterm, sixel or symbols.", valueName: "way"))
    var graphics = GraphicsOption.automatic
    @Flag(help: "Choose from a list of lines, and not on a full screen.") var lines = false
    @Argument(help: ArgumentHelp("With --for: what is picked, in its order.", valueName: "uri")) var uris: [String] = []

    func validate() throws {
        let asks =
            limit != nil || filter != nil || ordered || prompt != nil || output != nil || songs || extend || videos
            || media || preselected != nil || continuous || original
        if list, request != nil || asks || !uris.isEmpty || endsWithNull {
            throw ValidationError("--list takes no other options of pick")
        }
        if request != nil, asks {
            throw ValidationError(
                "--for answers; --videos, --media, --songs, --extend, --original, --limit, --filter, --ordered, --preselected, --continuous, --prompt and --output ask"
            )
        }
        if request != nil, endsWithNull { throw ValidationError("--print0 goes without --for") }
        if [videos, media, songs || extend].count(where: \.self) > 1 {
            throw ValidationError("--videos, --media and --songs exclude each other")
        }
        if !songs, !extend, filter?.hasPrefix("(") == true {
            throw ValidationError("a filter in parentheses is one of songs: add --songs")
        }
        if continuous, output == nil { throw ValidationError("--continuous needs a folder: -o <folder>") }
        if extend, output != nil { throw ValidationError("--extend and --output exclude each other") }
        if request == nil, !uris.isEmpty {
            throw ValidationError("pictures, videos and songs are named only with --for")
        }
        if let limit, !(0...1_000).contains(limit) { throw ValidationError("--limit is 0 to 1000") }
        if endsWithNull, server.json { throw ValidationError("--print0 and --json exclude each other") }
        if request?.isEmpty == true { throw ValidationError("--for names a request, such as p7") }
    }

    func run(on session: Session) throws {
        if list { return session.console.print(PickerReport(reply: try session.run("picking", "list"))) }
        if let request { return try answer(request, session) }
        try ask(session)
    }

    // MARK: Answering

    private func answer(_ name: String, _ session: Session) throws {
        let screen = Console.ofDialogue
        if uris.isEmpty, screen == nil {
            throw ValidationError(
                "there is no terminal to choose in; name what is picked: segue pick --for \(name) <uri> ..."
            )
        }
        let request = try session.run("picking", "take", name)
        guard uris.isEmpty, let screen else {
            // These alone, and in this order.
            let before = try session.run("picking", "selection", name).values("file")
            try session.pick("deselect", before, for: name)
            try session.pick("select", uris, for: name)
            return try finish(name, session)
        }
        switch try choose(PickerChoice(session, request, isOwn: false), on: screen) {
        case .chosen: try finish(name, session)
        case .cancelled:
            try session.run("picking", "cancel", name)
            if session.console.isTerminal { session.console.print("The client gets nothing.") }
        case .left:
            try session.run("picking", "release", name)
            throw session.fail("\(name) waits for another answer")
        case .over(let reason): throw session.fail("\(name): \(reason)")
        }
    }

    /// Lets the user choose: on a full screen where the terminal can show one.
    private func choose(_ choice: PickerChoice, on screen: Console) throws -> PickerOutcome {
        if !lines, let full = PickerScreen(choice, on: screen, graphics: graphics) { return try full.choose() }
        var list = PickerList(choice, on: screen, graphics: graphics)
        return try list.choose()
    }

    private func finish(_ name: String, _ session: Session) throws {
        let request = try session.run("picking", "take", name)
        try session.run("picking", "finish", name)
        guard session.console.isTerminal, let count = request["chosen"].flatMap({ Int($0) }) else { return }
        let amount = "\(count) \(PickerText.noun(request, count: count))"
        session.console.print(
            PickerText.extends(request)
                ? "\(amount) \(count == 1 ? "was" : "were") added to the client's library."
                : "The client gets \(amount)."
        )
    }

    // MARK: Asking

    private var kind: PickerKind { videos ? .videos : media ? .media : songs || extend ? .songs : .pictures }

    private var words: [String] {
        var words: [String] = []
        if kind != .pictures { words += ["kind", kind.rawValue] }
        if extend { words += ["purpose", "extend"] }
        if original { words += ["representation", "current"] }
        if let filter { words += ["filter", filter] }
        if let limit { words += ["limit", String(limit)] }
        if ordered { words.append("ordered") }
        if let preselected { words += ["preselected", preselected] }
        if continuous { words.append("continuous") }
        if let prompt { words += ["prompt", prompt] }
        return words
    }

    private func ask(_ session: Session) throws {
        let isOwner = try session.isOwner()
        let screen = isOwner ? Console.ofDialogue : nil
        if screen == nil, output == nil, !extend {
            let folder = "name a folder for the \(kind.noun(count: 2)): -o <folder>"
            throw ValidationError(
                isOwner ? "there is no terminal to choose in; to wait for an answer, \(folder)" : folder
            )
        }
        let opened = try session.connection.run(Request("picker", ["open"] + words))
        guard let name = opened["request"] else { throw session.fail("the server has not named the request") }
        if let output { try PickedFolder.make(output, session) }
        var chosen: [String]?
        if let screen {
            let request = try session.run("picking", "take", name)
            guard try choose(PickerChoice(session, request, isOwn: true), on: screen) == .chosen else {
                throw session.fail("nothing was picked")
            }
            chosen = try session.run("picking", "selection", name).values("file")
            try session.run("picking", "finish", name)
        } else {
            tellOfWaiting(name, session)
            session.connection.waitAnyTime()
        }
        var folder = output.map { PickedFolder($0, session) }
        let state = try continuous ? follow(name, &folder, session) : session.run("picker", "wait", name)["state"] ?? ""
        session.connection.waitAsUsual()
        guard state == "done" else {
            throw session.fail(
                state == "expired" ? "the owner has not answered in time" : "nothing was picked: \(state)"
            )
        }
        let items = try session.run("picker", "items", name).groups(startingWith: "kind")
        if extend {
            chosen = items.compactMap { $0["file"] }
        } else if folder != nil {
            try folder?.write(items) { file, identifier in tell(file, "file", identifier, session) }
            if folder?.hasFailed == true { throw ExitStatus.someFailed.exitCode }
            return
        }
        for uri in chosen ?? [] { tell(uri, "uri", nil, session) }
    }

    /// Keeps the folder as the owner's choice is, until the request is over.
    ///
    /// - Returns: Its last state.
    private func follow(_ name: String, _ folder: inout PickedFolder?, _ session: Session) throws -> String {
        var version = "0"
        while true {
            let request = try session.run("picker", "wait", name, "since", version)
            let state = request["state"] ?? ""
            guard ["waiting", "choosing"].contains(state) else {
                // Nothing is left of what is not given in the end.
                if state != "done" { folder?.removeAll() }
                return state
            }
            version = request["version"] ?? "0"
            try folder?.follow(session.run("picker", "items", name).groups(startingWith: "kind"))
        }
    }

    private func tellOfWaiting(_ name: String, _ session: Session) {
        session.console.flush()
        Console.write(
            Array("\(name): waits for the owner, who answers with 'segue pick --for \(name)'\n".utf8),
            to: STDERR_FILENO
        )
    }

    /// Prints a name.
    ///
    /// - Parameters:
    ///   - name: `nil` for an item that the client has already.
    ///   - identifier: By which the item can be preselected later.
    private func tell(_ name: String?, _ key: String, _ identifier: String?, _ session: Session) {
        if session.console.form == .json {
            session.console.print(.compact([.init(key, .optional(name)), .init("identifier", .optional(identifier))]))
        } else if let name, endsWithNull {
            session.console.write(Array(name.utf8) + [0])
        } else if let name {
            session.console.print(name)
        }
        session.console.flush()
    }
}

extension Session {
    /// Whether this client may answer requests.
    func isOwner() throws(RemoteError) -> Bool { try run("commands").values("command").contains("picking") }

    /// Chooses items or takes them back, however many, in lines that are not too long.
    ///
    /// - Parameter verb: `select` or `deselect`.
    func pick(_ verb: String, _ uris: [String], for name: String) throws(RemoteError) {
        var rest = uris[...]
        while !rest.isEmpty {
            var bytes = 0
            let some = rest.prefix { uri in
                bytes += 2 * uri.utf8.count + 3
                return bytes < 2_048
            }
            let part = some.isEmpty ? rest.prefix(1) : some
            try connection.run(Request("picking", [verb, name] + part))
            rest = rest.dropFirst(part.count)
        }
    }
}

/// The output of `segue pick --list`.
struct PickerReport: Report {
    var reply: ServerReply

    private var requests: [ServerReply] { reply.groups(startingWith: "request") }

    private func cells(_ request: ServerReply) -> [String] {
        [
            request["request"] ?? "", request["state"] ?? "", request["from"] ?? "", PickerText.amount(request),
            request["prompt"] ?? "", request["filter"] ?? "", "\(request["expires"] ?? "") s left",
        ]
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(style: .strong), .init(style: .faint), .init(), .init(), .init(isFlexible: true), .init(),
            .init(style: .faint),
        ])
        for request in requests { table.add(cells(request)) }
        if table.isEmpty { return [StyledText("No client asks for anything.")] }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] { requests.map { cells($0).joined(separator: "\t") } }

    var json: [JSON] { requests.map { $0.record(.pickerRequests) } }
}

/// The things that can be picked, by the server's words.
enum PickerKind: String {
    case pictures, videos, media, songs

    func noun(count: Int) -> String {
        switch self {
        case .pictures: count == 1 ? "picture" : "pictures"
        case .videos: count == 1 ? "video" : "videos"
        case .media: count == 1 ? "picture or video" : "pictures and videos"
        case .songs: count == 1 ? "song" : "songs"
        }
    }

    /// Kinds of these, of which the user can look at one alone.
    var kinds: [String] {
        switch self {
        case .pictures: Self.ofPictures
        case .videos: Self.ofVideos
        case .media: ["images", "videos"] + Self.ofPictures + Self.ofVideos
        case .songs: []
        }
    }

    private static let ofPictures = [
        "livePhotos", "motionPhotos", "panoramas", "bursts", "depthEffectPhotos", "animatedImages", "screenshots",
    ]
    private static let ofVideos = ["slomoVideos", "timelapseVideos", "screenRecordings"]
}

/// Sentences about requests.
enum PickerText {
    static func kind(_ request: ServerReply) -> PickerKind {
        request["kind"].flatMap(PickerKind.init(rawValue:)) ?? .pictures
    }

    /// Whether the client's library is to have what is picked.
    static func extends(_ request: ServerReply) -> Bool { request["purpose"] == "extend" }

    static func noun(_ request: ServerReply, count: Int) -> String { kind(request).noun(count: count) }

    /// The things that a client asks for, and how many.
    static func amount(_ request: ServerReply) -> String {
        let limit = request["limit"].flatMap { Int($0) } ?? 1
        let amount = limit == 1 ? "1 \(noun(request, count: 1))" : "up to \(limit) \(noun(request, count: limit))"
        return amount + (extends(request) ? " for its library" : "")
            + (request["representation"] == "current" ? " as they are stored" : "")
            + (request["ordered"] == nil || limit == 1 ? "" : ", in order")
    }

    /// A filter for the songs that have all of some words in their tags.
    static func expression(_ words: String) -> String {
        let parts = words.split(separator: " ").prefix(mostWords).map { word in
            let text = word.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            return "(any contains_ci \"\(text)\")"
        }
        return parts.count == 1 ? parts[0] : "(\(parts.joined(separator: " AND ")))"
    }

    private static let mostWords = 20
}
