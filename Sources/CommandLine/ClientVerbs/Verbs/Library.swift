import ArgumentParser
import AudioTypes
import CommandOptions
import Glibc
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct ListFolderVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("ls", "List a folder of the library.", "[<folder>] ...")
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        help: ArgumentHelp("Folders; none is the library's root.", valueName: "folder"),
        completion: ServerNames.songs
    )
    var folders: [String] = []

    func run(on session: Session) throws {
        for folder in folders.isEmpty ? [""] : folders {
            let reply = try session.run("lsinfo", folder)
            session.console.print(SongReport(reply, format: session.options.songFormat))
        }
    }
}

struct ListAllVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "lsall",
        "List all songs of the library, or of a folder of it.",
        "[<folder>] ...",
        aliases: ["listall"]
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("Folders; none is all of the library.", valueName: "folder")) var folders: [String] =
        []

    func run(on session: Session) throws {
        // Names alone are a tenth of the data.
        let needsTags = session.options.songFormat != nil || session.console.form != .plain
        for folder in folders.isEmpty ? [""] : folders {
            let words = folder.isEmpty ? [] : [folder]
            var reply = try session.connection.run(Request(needsTags ? "listallinfo" : "listall", words))
            reply.pairs = reply.groups(startingWith: ["file", "directory", "playlist"])
                .filter { $0.pairs[0].key == "file" }.flatMap(\.pairs)
            session.console.print(SongReport(reply, format: session.options.songFormat))
        }
    }
}

/// A search.
struct QueryOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Pairs of a tag (artist, album, title, any …) and a value, or one expression in parentheses.",
            valueName: "tag words"
        )
    )
    var query: [String]

    func validate() throws {
        if query.isEmpty { throw ValidationError("name what to look for, such as: artist 'Miles Davis'") }
        try Query.check(query)
    }

    /// For commands that compare parts of tags.
    var words: [String] { Query.words(query) }
    /// For commands that compare whole tags.
    var wholeWords: [String] { Query.words(query, .whole) }
}

private let queryDiscussion = """
    Words without a tag are looked for in all tags: search finds songs with all of the words, find those with a tag that
    is all of them. Examples:
      segue search miles davis
      segue find album 'Kind of Blue' track 1
      segue find "((artist == 'Miles Davis') AND (date == '1959'))"
    """

struct FindVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "find",
        "Find songs whose tags equal the values given.",
        "<tag> <words> ...|<words>|<expression>",
        discussion: queryDiscussion
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var query: QueryOptions

    func run(on session: Session) throws {
        let reply = try session.connection.run(Request("find", query.wholeWords))
        session.console.print(SongReport(reply, format: session.options.songFormat))
        guard reply.pairs.isEmpty, Query.isWords(query.query) else { return }
        throw session.foundNothing(query, instead: "search")
    }
}

struct SearchVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "search",
        "Find songs whose tags contain the values given.",
        "<tag> <words> ...|<words>|<expression>",
        discussion: queryDiscussion
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var query: QueryOptions

    func run(on session: Session) throws {
        let reply = try session.connection.run(Request("search", query.words))
        session.console.print(SongReport(reply, format: session.options.songFormat))
    }
}

struct FindAddVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "findadd",
        "Find songs as 'find' does, and add them to the queue.",
        "<tag> <words> ...|<words>|<expression>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var query: QueryOptions

    func change(_ session: Session) throws {
        guard try !session.adds(Request("findadd", query.wholeWords)) else { return }
        throw session.foundNothing(query, instead: "searchadd")
    }
}

struct SearchAddVerb: ChangingVerb {
    static let configuration = CommandConfiguration.remote(
        "searchadd",
        "Find songs as 'search' does, and add them to the queue.",
        "<tag> <words> ...|<words>|<expression>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var query: QueryOptions

    func change(_ session: Session) throws {
        guard try !session.adds(Request("searchadd", query.words)) else { return }
        throw session.foundNothing(query, instead: nil)
    }
}

extension Session {
    /// Adds songs to the queue.
    ///
    /// - Returns: Whether there were any, or that is not known because the client may not look at the queue.
    fileprivate func adds(_ request: Request) throws(RemoteError) -> Bool {
        let status = Request("status")
        do throws(RemoteError) {
            let replies = try connection.run([status, request, status])
            guard replies.count == 3 else { throw RemoteError.malformed(connection.address, line: "OK") }
            return replies[0]["playlistlength"] != replies[2]["playlistlength"]
        } catch {
            guard let refusal = error.refusal, refusal.command == "status", refusal.known == .permission else {
                throw error
            }
            try connection.run(request)
            return true
        }
    }

    /// Reports that no song was found; returns the exit status.
    ///
    /// - Parameter verb: Finds parts of tags where this one compares whole ones.
    fileprivate func foundNothing(_ query: QueryOptions, instead verb: String?) -> ExitCode {
        guard !options.quiet else { return ExitStatus.someFailed.exitCode }
        let words = query.query.joined(separator: " ")
        guard let verb else { return fail("no song has '\(words)' in its tags") }
        guard Query.isWords(query.query) else { return fail("no song has exactly these tags: \(words)") }
        return fail("no tag is '\(words)'; 'segue \(verb) \(words)' finds it in parts of tags")
    }
}

struct ListTagVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "list",
        "List all values of a tag.",
        "<tag> [<tag> <words> ...] [group <tag>] ...",
        discussion: """
            Examples:
              segue list artist
              segue list album artist 'Miles Davis'
              segue list album group albumartist
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("The tag, then a query and the tags to group by.", valueName: "tag")) var words:
        [String]

    func run(on session: Session) throws {
        let reply = try session.connection.run(Request("list", words))
        let tag = words.first?.lowercased() ?? ""
        if session.console.form == .json {
            for object in objects(reply, tag) { session.console.print(object) }
            return
        }
        // The grouping tags come before the values, in the server's order of nesting.
        var keys: [String] = []
        for pair in reply.pairs {
            if !keys.contains(pair.key) { keys.append(pair.key) }
            let indent = String(repeating: "    ", count: keys.firstIndex(of: pair.key) ?? 0)
            guard session.console.isTerminal else {
                session.console.print(indent + pair.value)
                continue
            }
            var line = StyledText(indent)
            if pair.value.isEmpty {
                line.append("(none)", .faint)
            } else {
                line.append(DisplayText.harmless(pair.value), pair.key.lowercased() == tag ? .plain : .strong)
            }
            session.console.print(line)
        }
    }

    /// One object per value, with its grouping tags.
    private func objects(_ reply: ServerReply, _ tag: String) -> [JSON] {
        var groups: [JSON.Field] = []
        var objects: [JSON] = []
        for pair in reply.pairs {
            let field = JSON.Field(pair.key.lowercased(), .string(pair.value))
            if field.name == tag {
                objects.append(.object([field] + groups))
            } else {
                groups.removeAll { $0.name == field.name }
                groups.append(field)
            }
        }
        return objects
    }
}

struct CountVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "count",
        "Count songs and their playing time.",
        "<tag> <words> ...|<words>|<expression>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var query: QueryOptions

    func run(on session: Session) throws {
        let reply = try session.connection.run(Request("count", query.wholeWords))
        let songs = reply["songs"].flatMap { Int($0) } ?? 0
        let seconds = reply["playtime"].flatMap { Int($0) } ?? 0
        switch session.console.form {
        case .json:
            session.console.print(.object([.init("songs", .integer(songs)), .init("playtime", .integer(seconds))]))
        case .terminal: session.console.print("\(count(songs, "song")), \(StatisticsReport.shortSpan(seconds))")
        case .plain:
            session.console.print("songs: \(songs)")
            session.console.print("playtime: \(seconds)")
        }
    }
}

struct StatisticsVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("stats", "Count the library's songs, albums and artists.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws { session.console.print(StatisticsReport(reply: try session.run("stats"))) }
}

struct StatisticsReport: Report {
    var reply: ServerReply

    private func number(_ key: String) -> Int { reply[key].flatMap { Int($0) } ?? 0 }

    /// `2 days, 3:04:05`, as in mpc.
    static func span(_ seconds: Int) -> String {
        let (minutes, rest) = (String(seconds / 60 % 60, digits: 2), String(seconds % 60, digits: 2))
        return "\(seconds / 86_400) days, \(seconds / 3600 % 24):\(minutes):\(rest)"
    }

    /// `50 s`, `1:09:15`, `2 days 3:04:05`.
    static func shortSpan(_ seconds: Int) -> String {
        let time = TimeText.clock(MediaTime(seconds: Double(seconds % 86_400)))
        return seconds < 86_400 ? time : "\(count(seconds / 86_400, "day")) \(time)"
    }

    var plainLines: [String] {
        [
            "Artists: \(right(number("artists")))", "Albums:  \(right(number("albums")))",
            "Songs:   \(right(number("songs")))", "", "Play Time:    \(Self.span(number("playtime")))",
            "Uptime:       \(Self.span(number("uptime")))",
            "DB Updated:   \(localTime(number("db_update"), "%a %b %d %H:%M:%S %Y") ?? "")",
            "DB Play Time: \(Self.span(number("db_playtime")))",
        ]
    }

    private func right(_ number: Int) -> String {
        String(repeating: " ", count: max(0, 6 - "\(number)".count)) + "\(number)"
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([.init(style: .faint), .init()])
        table.add(["songs", "\(number("songs")), which play for \(Self.shortSpan(number("db_playtime")))"])
        table.add(["artists", "\(number("artists"))"])
        table.add(["albums", "\(number("albums"))"])
        table.add(["updated", localTime(number("db_update"), "%Y-%m-%d %H:%M:%S") ?? ""])
        table.add(["running for", Self.shortSpan(number("uptime"))])
        table.add(["played for", Self.shortSpan(number("playtime"))])
        return table.lines(width: width)
    }

    var json: [JSON] { [reply.record(.stats)] }
}

/// The arguments of `update` and `rescan`.
struct UpdateOptions: ParsableArguments {
    @Flag(name: [.short, .long], help: "Wait until it is done.") var wait = false
    @Argument(help: ArgumentHelp("Folders or files of the library; none is all of it.", valueName: "path"))
    var paths: [String] = []
}

extension Session {
    func update(_ command: String, _ update: UpdateOptions) throws {
        let requests = update.paths.isEmpty ? [Request(command)] : update.paths.map { Request(command, $0) }
        let jobs = try connection.run(requests).compactMap { $0["updating_db"].flatMap { Int($0) } }
        if update.wait, let last = jobs.max() {
            // Done when no job up to ours is running: later ones belong to others.
            if var progress = UpdateProgress(self) {
                try progress.wait(for: last)
            } else {
                if libraryProgress?.isPaused == true, !options.quiet {
                    Console.complain("updates are paused; 'segue library resume' continues them")
                }
                while let job = try status().updateJob, job <= last {
                    _ = try connection.idle(["update"])
                    guard libraryProgress?.isStuck == true else { continue }
                    // An update that has only just been asked for begins at once.
                    usleep(300_000)
                    if let progress = libraryProgress, progress.isStuck, let error = progress.error {
                        throw fail(error)
                    }
                }
            }
            if let error = libraryProgress?.error { throw fail(error) }
        }
        switch console.form {
        case .json:
            for job in jobs {
                console.print(.object([.init("updating", .integer(job)), .init("done", .bool(update.wait))]))
            }
        case .terminal:
            if !options.quiet {
                console.print(
                    update.wait
                        ? "The library is up to date."
                        : "Updating the library (job \(jobs.map(String.init).joined(separator: ", ")))."
                )
            }
        case .plain: break
        }
    }

    /// `nil` for a server other than segued, which has no progress.
    var libraryProgress: LibraryProgress? {
        (try? connection.run(Request("library", "status"))).map { LibraryProgress($0) }
    }
}

struct UpdateVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "update",
        "Look for new and changed files in the music folder.",
        "[--wait] [<path>] ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var update: UpdateOptions

    func run(on session: Session) throws { try session.update("update", update) }
}

struct RescanVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "rescan",
        "Like update, but read unchanged files again, too.",
        "[--wait] [<path>] ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var update: UpdateOptions

    func run(on session: Session) throws { try session.update("rescan", update) }
}
