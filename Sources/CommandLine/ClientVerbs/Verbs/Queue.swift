import ArgumentParser
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient
import TerminalText

struct QueueVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "queue",
        "List the queue.",
        discussion: "mpc's 'playlist' without an argument is the same."
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws {
        let replies = try session.connection.run([Request("status"), Request("playlistinfo")])
        guard replies.count == 2 else { return }
        let status = ServerStatus(replies[0])
        var report = SongReport(replies[1], format: session.options.songFormat, plainFormat: .usual)
        report.showsPaths = false
        report.current = status.state == .stopped ? nil : status.position
        report.isPlaying = status.state == .playing
        if report.blocks.isEmpty, session.console.isTerminal {
            session.console.print(StyledText("The queue is empty. Add to it with: segue add <uri>", .faint))
        }
        session.console.print(report)
    }
}

/// The arguments of `add` and `insert`: URIs, or `-` for a list on standard input.
struct URIOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Songs, folders or playlists of the library, URLs, or files of this machine; - reads a list of them.",
            valueName: "uri"
        ),
        completion: ServerNames.media
    )
    var uris: [String] = []

    func validate() throws {
        if uris.isEmpty, isatty(STDIN_FILENO) == 1 {
            throw ValidationError("nothing to add: name a song, folder or URL")
        }
        if uris.contains("") { throw ValidationError("a URI cannot be empty; / is all of the library") }
    }

    /// All URIs, including those on standard input.
    var all: [String] {
        guard !uris.isEmpty else { return standardInputLines() }
        return uris.flatMap { $0 == "-" ? standardInputLines() : [$0] }
    }
}

/// The non-empty lines of standard input.
func standardInputLines() -> [String] {
    var lines: [String] = []
    while let line = readLine() { if !line.isEmpty { lines.append(line) } }
    return lines
}

extension Session {
    /// Adds songs, folders and files to the queue.
    ///
    /// A URI that the library does not have may be a file of this machine: then its absolute path is added, which a
    /// server accepts on a Unix socket from its own user, and from others if everybody may read the file.
    func add(_ uris: [String]) throws {
        var requests = uris.map { Request("add", Self.libraryPath($0)) }
        var done = 0
        while done < requests.count {
            guard let refusal = try refusal(of: Array(requests[done...])) else { return }
            let index = min(done + refusal.index, requests.count - 1)
            let uri = uris[index]
            guard refusal.known == .doesNotExist, let path = try fileToAdd(uri), requests[index].arguments != [path]
            else { throw failure(refusal, uri, requests[index]) }
            requests[index] = Request("add", path)
            done = index
        }
    }

    /// The URI of a file or folder of this machine: its path below the server's music folder, or its absolute one.
    private func fileToAdd(_ uri: String) throws(RemoteError) -> String? {
        guard connection.address.isLocal, let path = Self.absolute(uri) else { return nil }
        guard try refusal(of: [Request("config")]) == nil, let folder = try run("config")["music_directory"],
            folder.hasPrefix("/"), path.hasPrefix(folder + "/")
        else { return path }
        return String(path.dropFirst(folder.count + 1))
    }

    /// Runs commands, and returns a refusal.
    private func refusal(of requests: [Request]) throws(RemoteError) -> Refusal? {
        do {
            try connection.runAll(requests)
            return nil
        } catch {
            guard let refusal = error.refusal else { throw error }
            return refusal
        }
    }

    private func failure(_ refusal: Refusal, _ uri: String, _ request: Request) -> any Error {
        // The reason why this file is not played, or not from outside of the library.
        if let path = request.arguments.first,
            refusal.text.hasPrefix(path + ": ")
                || path.hasPrefix("/") && refusal.text.contains(": ")
        {
            return fail(refusal.text)
        }
        guard refusal.known == .doesNotExist else { return RemoteError.refused(refusal) }
        if let path = request.arguments.first, path.hasPrefix("/"), Self.absolute(path) != nil {
            return fail("\(uri): not in the server's library, and not a file that everybody may read")
        }
        return fail("\(uri): the server's library has no such song or folder ('segue ls' lists it)")
    }

    /// A library path in the protocol's form: without slashes at its ends.
    private static func libraryPath(_ uri: String) -> String {
        if uri.contains("://") || uri == "/" || uri.hasPrefix("/") { return uri }
        var path = uri[...]
        while path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }

    /// The absolute path of a file that exists here.
    static func absolute(_ path: String) -> String? {
        guard !path.contains("://"), let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        return unsafe String(cString: real)
    }
}

struct AddVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "add",
        "Add to the queue.",
        "[--play] <uri> ...",
        discussion: """
            Examples:
              segue add Blue/                    a folder of the library
              segue add --play https://example.org/stream.ogg
              segue search artist Davis | segue add
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var songs: URIOptions
    @Flag(help: "Play the first of them at once.") var play = false

    func change(_ session: Session) throws {
        let place = play ? try session.status().queueLength : 0
        try session.add(songs.all)
        if play { try session.run("play", String(place)) }
    }
}

struct InsertVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "insert",
        "Add to the queue, after the song that plays.",
        "<uri> ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var songs: URIOptions
    /// Higher than the default priority.
    private static let highestPriority = "255"

    func change(_ session: Session) throws {
        let before = try session.status()
        try session.add(songs.all)
        let after = try session.status()
        let added = before.queueLength..<max(before.queueLength, after.queueLength)
        guard !added.isEmpty, let current = before.position else { return }
        let range = "\(added.lowerBound):\(added.upperBound)"
        if after.random {
            try session.run("prio", Self.highestPriority, range)
        } else if current + 1 < added.lowerBound {
            try session.run("move", range, String(current + 1))
        }
    }
}

struct ClearVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("clear", "Empty the queue.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("clear") }
}

struct DeleteVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "del",
        "Remove songs from the queue.",
        "<n>|<n>-<m> ...",
        discussion:
            "Places count from 1, as 'segue queue' shows them; 0 is the current song; 5- is all from the fifth on."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("Places, or spans of them; none reads them from standard input.", valueName: "n"))
    var spans: [QueueSpan] = []

    private func chosen() throws -> [QueueSpan] {
        guard spans.isEmpty else { return spans }
        guard isatty(STDIN_FILENO) == 0 else { throw ValidationError("name the places to remove, such as 3 or 3-7") }
        return try standardInputLines().map { line in
            guard let span = QueueSpan(argument: line) else {
                throw ValidationError("'\(line)' is not a place in the queue")
            }
            return span
        }
    }

    func validate() throws {
        if spans.isEmpty, isatty(STDIN_FILENO) == 1 {
            throw ValidationError("name the places to remove, such as 3 or 3-7")
        }
    }

    func change(_ session: Session) throws {
        let spans = try chosen()
        let status = try session.status()
        var places: Set<Int> = []
        for span in spans {
            guard span.first > 0 || status.position != nil else { throw session.fail("there is no current song") }
            let first = span.first > 0 ? span.first : (status.position ?? 0) + 1
            let last = span.first > 0 ? span.last ?? max(first, status.queueLength) : first
            guard last <= status.queueLength else {
                throw session.fail("the queue has \(count(status.queueLength, "song")), so there is no place \(last)")
            }
            places.formUnion(first...last)
        }
        // From the end, so that the positions before stay valid.
        let requests = Self.runs(places).reversed().map { Request("delete", "\($0.lowerBound - 1):\($0.upperBound)") }
        try session.connection.runAll(requests)
    }

    /// Consecutive positions combined into ranges.
    static func runs(_ places: Set<Int>) -> [ClosedRange<Int>] {
        var runs: [ClosedRange<Int>] = []
        for place in places.sorted() {
            if let last = runs.last, last.upperBound + 1 == place {
                runs[runs.count - 1] = last.lowerBound...place
            } else {
                runs.append(place...place)
            }
        }
        return runs
    }
}

struct CropVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("crop", "Remove all songs but the current one.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws {
        let status = try session.status()
        guard let current = status.position, status.state != .stopped else {
            throw session.fail("nothing plays; 'segue clear' empties the queue")
        }
        var requests: [Request] = []
        if current + 1 < status.queueLength { requests.append(Request("delete", "\(current + 1):")) }
        if current > 0 { requests.append(Request("delete", "0:\(current)")) }
        try session.connection.runAll(requests)
    }
}

struct MoveVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "move",
        "Move songs in the queue.",
        "<n>|<n>-<m> <to>",
        aliases: ["mv"]
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("The songs to move; 0 is the current song.", valueName: "n")) var span: QueueSpan
    @Argument(help: ArgumentHelp("The place of the first one afterwards.", valueName: "to")) var target: QueuePlace

    func validate() throws {
        if target.number == 0 { throw ValidationError("places count from 1") }
    }

    func change(_ session: Session) throws {
        let current = span.first == 0 ? try session.status().position : nil
        try session.run("move", try span.range(current: current), String(target.number - 1))
    }
}

struct ShuffleVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote("shuffle", "Shuffle the queue.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func change(_ session: Session) throws { try session.run("shuffle") }
}

struct PriorityVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "prio",
        "Let songs come earlier in random order.",
        "<priority> <n>|<n>-<m> ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "0 (usual) to 255.") var priority: Int
    @Argument(help: ArgumentHelp("Places in the queue, or spans of them.", valueName: "n")) var spans: [QueueSpan]

    func validate() throws {
        if !(0...255).contains(priority) { throw ValidationError("a priority is a number from 0 to 255") }
    }

    func change(_ session: Session) throws {
        let current = spans.contains { $0.first == 0 } ? try session.status().position : nil
        let ranges = try spans.map { try $0.range(current: current) }
        try session.connection.run(Request("prio", [String(priority)] + ranges))
    }
}

struct SearchPlayVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "searchplay",
        "Play the first song of the queue that matches.",
        "<tag> <words> ...|<words>|<expression>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "A tag and what it contains; words alone are looked for everywhere.") var query: [String]

    func validate() throws { try Query.check(query) }

    func change(_ session: Session) throws {
        let found = try session.connection.run(Request("playlistsearch", Query.words(query)))
        guard let place = found.songs.first?.position else { throw session.fail("nothing in the queue matches") }
        try session.run("play", String(place))
    }
}
