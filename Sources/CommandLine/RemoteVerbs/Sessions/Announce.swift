import ArgumentParser
import AudioTypes
import Glibc
import LineProtocol
import RemoteControl
import Scheduling
import TerminalText
import Verbs

/// How an announcement sounds, and when.
struct AnnouncementOptions: ParsableArguments {
    enum PriorityClass: String, CaseIterable, ExpressibleByArgument {
        case normal, assistant, alarm
    }

    @Option(
        help: ArgumentHelp("Let the server speak this.", valueName: "text")
    )
    var say: String?

    @Option(help: ArgumentHelp("The voice that speaks, by the server's name for it.", valueName: "voice"))
    var voice: String?

    @Option(
        help: ArgumentHelp("Volume in percent of the zone's, 0 to 100.", valueName: "percent"),
        transform: { Int(try NumberArgument.parse($0, in: 0...100, unit: "%").rounded()) }
    )
    var volume: Int?

    @Option(
        help: ArgumentHelp("By how much music is lowered meanwhile, in dB.", valueName: "dB"),
        transform: { try NumberArgument.parse($0, in: 0...60, unit: "dB") }
    )
    var duck: Double?

    @Option(
        help: ArgumentHelp("Played before it: a file or URL.", valueName: "uri"),
        completion: .file()
    )
    var chime: String?

    @Option(name: .customLong("class"), help: "Who comes first: an alarm before an assistant before the others.")
    var priorityClass: PriorityClass?

    @Option(help: ArgumentHelp("Who comes first in a class: the higher number.", valueName: "n"))
    var priority: Int?

    @Option(
        help: ArgumentHelp("Drop it if it has not begun by then, such as 30 or 5m.", valueName: "time"),
        transform: { try TimeArgument.parse($0).seconds }
    )
    var expires: Double?

    @Flag(name: .customLong("no-wait"), help: "Do not wait until it has been heard; print its number.")
    var noWait = false

    func validate() throws {
        if say?.isEmpty == true { throw ValidationError("--say has nothing to say") }
        if voice != nil, say == nil { throw ValidationError("--voice goes with --say only") }
        if chime?.isEmpty == true { throw ValidationError("--chime names nothing") }
        if let expires, expires <= 0 { throw ValidationError("--expires must be more than 0") }
    }

    /// The words of the command behind what is played.
    ///
    /// - Parameter chime: As the server is to find it.
    func words(chime: String?) -> [String] {
        var words: [String] = []
        func add(_ key: String, _ value: String?) { if let value { words += [key, value] } }
        add("say", say)
        add("voice", voice)
        add("volume", volume.map(String.init))
        add("duck", duck.map(brief))
        add("chime", chime)
        add("class", priorityClass?.rawValue)
        add("priority", priority.map(String.init))
        add("expires", expires.map(brief))
        return words
    }
}

struct AnnounceVerb: SegueOnlyVerb {
    static let entersZone = false
    static let configuration = CommandConfiguration.remote(
        "announce",
        "Play or say something over the music.",
        "<file>|<url>|--say <text>",
        discussion: """
            It waits until the announcement has been heard, and fails if it was not; Ctrl-C cancels it. Music is lowered
            meanwhile, and spoken programmes pause. --zone takes several zones (kitchen,hall) or all.

            A server on this machine reads files of its own user; another one plays what is in its library.

            Examples:
              segue announce --say "The door bell rang"
              segue announce --zone all --class alarm smoke.ogg
              segue announce --no-wait --volume 60 https://example.org/news.mp3
            """
    )
    @OptionGroup(title: "The announcement") var options: AnnouncementOptions
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("What is played.", valueName: "file|url"), completion: .file()) var uri: String?

    func validate() throws {
        if uri == nil, options.say == nil { throw ValidationError("name a file or URL, or give --say a text") }
        if uri != nil, options.say != nil { throw ValidationError("either a file or URL is played, or --say is said") }
        if uri?.isEmpty == true { throw ValidationError("a file's name cannot be empty") }
        if zones.contains("") { throw ValidationError("--zone names no zone; write kitchen,hall or all") }
    }

    /// Those that were named; none is the server's usual one.
    private var zones: [String] {
        server.zone?.split(separator: ",", omittingEmptySubsequences: false).map(String.init) ?? []
    }

    func run(on session: Session) throws {
        let signals = Interrupts.receive([SIGINT, SIGTERM, SIGHUP])
        let words =
            try (uri.map { [try session.announced($0)] } ?? [])
            + options.words(chime: options.chime.map { try session.announced($0) })
        let ids: [Int]
        do {
            ids = try session.announce(words + (server.zone.map { ["zone", $0] } ?? []))
        } catch {
            throw session.explained(error, [uri, options.chime])
        }
        guard !options.noWait else { return session.print(ids) }
        try session.waitUntilHeard(ids, signals)
    }
}

extension Session {
    /// How the server is to find what a person names.
    ///
    /// On a Unix socket a file of this machine is told with its whole path.
    fileprivate func announced(_ uri: String) throws -> String {
        guard !uri.contains("://") else { return uri }
        let path = Self.absolute(uri)
        let isLocal = ["/", "./", "../"].contains { uri.hasPrefix($0) }
        switch connection.address {
        case .socket, .abstract:
            if path == nil, isLocal { throw fail("\(uri): \(unsafe String(cString: strerror(errno)))") }
            return path ?? uri
        case .network:
            // What else it names may be in the library.
            if isLocal { throw fail(farFile(uri)) }
            return uri
        }
    }

    private func farFile(_ uri: String) -> String {
        "\(uri): the server at \(connection.address) cannot read files of this machine. Put it into the server's music "
            + "directory, give a URL, or let the server speak with --say"
    }

    /// What to say when one of `uris` was not found.
    fileprivate func explained(_ error: RemoteError, _ uris: [String?]) -> any Error {
        guard error.refusal?.known == .doesNotExist, case .network = connection.address,
            let uri = uris.compactMap(\.self).first(where: { Self.absolute($0) != nil })
        else { return error }
        return fail(farFile(uri))
    }

    fileprivate func announce(_ words: [String]) throws(RemoteError) -> [Int] {
        let ids = try connection.run(Request("announce", words)).values("announcement").compactMap { Int($0) }
        guard !ids.isEmpty else { throw RemoteError.malformed(connection.address, line: "OK") }
        return ids
    }

    fileprivate func cancel(_ ids: [Int]) {
        for id in ids { _ = try? connection.run("announcement", "cancel", String(id)) }
    }

    fileprivate func print(_ ids: [Int]) {
        for id in ids {
            if console.form == .json {
                console.print(.object([.init("announcement", .integer(id))]))
            } else {
                console.print(String(id))
            }
        }
    }

    /// Returns when all have been heard; throws when one was not.
    fileprivate func waitUntilHeard(_ ids: [Int], _ signals: Int32) throws {
        var ended: [Int: AnnouncementBlock] = [:]
        while true {
            for id in ids where ended[id] == nil {
                let block = try run("announcement", "info", String(id)).announcements.first
                if let block, block.state.isFinal { ended[id] = block }
            }
            if ended.count == ids.count { break }
            try connection.beginIdle(["announcement"])
            var ready: Set<Int32> = []
            // A signal also ends the waiting itself, with nothing to be read yet.
            while ready.isEmpty { ready = Interrupts.wait(for: [connection.descriptor, signals], seconds: nil) }
            if ready.contains(signals), let number = Interrupts.take(from: signals).first {
                // A connection that waits takes no command but the end of waiting.
                try connection.cancelIdle()
                cancel(ids.filter { ended[$0] == nil })
                console.flush()
                ProcessSignals.die(by: number)
            }
            _ = try connection.endIdle()
        }
        let blocks = ids.compactMap { ended[$0] }
        if console.form == .json { for block in blocks { console.print(AnnouncementReport.json(block)) } }
        if let block = blocks.first(where: { $0.state != .done }) { throw fail(Self.unheard(block)) }
    }

    private static func unheard(_ block: AnnouncementBlock) -> String {
        let place = block.zone.map { " in zone '\($0)'" } ?? ""
        let reason = block.error.map { ": \($0)" } ?? ""
        switch block.state {
        case .cancelled: return "the announcement\(place) was cancelled\(reason)"
        case .expired: return "the announcement\(place) was not heard in time: it expired"
        default: return "the announcement\(place) failed\(reason)"
        }
    }
}
