import ArgumentParser
import AudioTypes
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings
import Threads
import ValueText

/// The options of an announcement.
struct AnnouncementOptions: ParsableArguments {
    enum PriorityClass: String, CaseIterable, ExpressibleByArgument {
        case normal, assistant, alarm
    }

    @Option(
        help: ArgumentHelp("The text for the server to speak.", valueName: "text")
    )
    var say: String?

    @Option(help: ArgumentHelp("The voice that speaks, by the server's name for it.", valueName: "voice"))
    var voice: String?

    @Option(
        help: ArgumentHelp("Volume in percent of the zone's, 0 to 100.", valueName: "percent"),
        transform: { Int(saturating: try NumberArgument.parse($0, in: 0...100, unit: "%").rounded()) }
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

    @Option(name: .customLong("class"), help: "Its class: alarms play first, then assistants, then others.")
    var priorityClass: PriorityClass?

    @Option(help: ArgumentHelp("The priority in its class: higher numbers play first.", valueName: "n"))
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
        if chime?.isEmpty == true { throw ValidationError("--chime needs a file or URL") }
        if let expires, expires <= 0 { throw ValidationError("--expires must be more than 0") }
    }

    /// The words of the protocol command after the URI.
    ///
    /// - Parameter chime: In the form for the server.
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
    @Argument(help: ArgumentHelp("The sound to play.", valueName: "file|url"), completion: .file()) var uri: String?

    func validate() throws {
        if uri == nil, options.say == nil { throw ValidationError("name a file or URL, or give --say a text") }
        if uri != nil, options.say != nil { throw ValidationError("give either a file or URL, or --say") }
        if uri?.isEmpty == true { throw ValidationError("a file's name cannot be empty") }
        if zones.contains("") { throw ValidationError("--zone needs a name; write kitchen,hall or all") }
    }

    /// The named zones; none is the server's default.
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
    /// The form of a URI for the server.
    ///
    /// On a Unix socket a file of this machine is sent with its full path.
    func announced(_ uri: String) throws -> String {
        guard !uri.contains("://") else { return uri }
        let path = Self.absolute(uri)
        let isLocal = ["/", "./", "../"].contains { uri.hasPrefix($0) }
        switch connection.address {
        case .socket, .abstract:
            if path == nil, isLocal { throw fail("\(uri): \(unsafe String(cString: strerror(errno)))") }
            return path ?? uri
        case .network, .encrypted:
            // Otherwise it may be in the library.
            if isLocal { throw fail(farFile(uri)) }
            return uri
        }
    }

    private func farFile(_ uri: String) -> String {
        "\(uri): the server at \(connection.address) cannot read files of this machine. Put it into the server's music "
            + "directory, give a URL, or let the server speak with --say"
    }

    /// The error message when one of `uris` was not found.
    fileprivate func explained(_ error: RemoteError, _ uris: [String?]) -> any Error {
        guard error.refusal?.known == .doesNotExist, !connection.address.isSocket,
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

    /// Returns when all have been played; throws when one was not.
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
            // A signal also interrupts the wait itself, with nothing to read yet.
            while ready.isEmpty { ready = Interrupts.wait(for: [connection.descriptor, signals], seconds: nil) }
            if ready.contains(signals), let number = Interrupts.take(from: signals).first {
                // An idle connection accepts no command except the end of idle.
                try connection.cancelIdle()
                cancel(ids.filter { ended[$0] == nil })
                console.flush()
                ProcessSignals.die(by: number)
            }
            _ = try connection.endIdle()
        }
        let blocks = ids.compactMap { ended[$0] }
        if console.form == .json { for block in blocks { console.print(block.reply.record(.announcements)) } }
        if let block = blocks.first(where: { $0.state != .done }) { throw fail(Self.unheard(block)) }
    }

    private static func unheard(_ block: AnnouncementBlock) -> String {
        // Of several zones the reason names the one.
        let place = block.zones.count == 1 ? " in zone '\(block.zones[0])'" : ""
        let reason = block.error.map { ": \($0)" } ?? ""
        switch block.state {
        case .cancelled: return "the announcement\(place) was cancelled\(reason)"
        case .expired: return "the announcement\(place) was not heard in time: it expired"
        default: return "the announcement\(place) failed\(reason)"
        }
    }
}
