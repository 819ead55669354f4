import ArgumentParser
import CommandOptions
import ProtocolClient

/// The part of the library that a client sees.
struct LibraryLimits: ParsableArguments {
    @Option(help: ArgumentHelp("A folder or a song that the client sees. Repeatable.", valueName: "uri"))
    var folder: [String] = []
    @Option(help: ArgumentHelp("A stored playlist that it sees, with its songs. Repeatable.", valueName: "name"))
    var playlist: [String] = []
    @Option(
        help: ArgumentHelp(
            "Songs that it sees, as find takes them: (genre == 'Jazz'). Repeatable.",
            valueName: "filter"
        )
    )
    var filter: [String] = []
    @Option(
        help: ArgumentHelp("A song that it sees, by the identifier that identify shows. Repeatable.", valueName: "id")
    )
    var item: [String] = []

    /// As the protocol has them.
    var words: [String] {
        folder.flatMap { ["folder", $0] } + playlist.flatMap { ["playlist", $0] } + filter.flatMap { ["filter", $0] }
            + item.flatMap { ["item", $0] }
    }
}

/// Further limits of a client.
struct QuotaOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Times of day at which it only looks on: 20:00-07:00, several separated by commas, or none.",
            valueName: "hours"
        )
    )
    var quietHours: String?
    @Option(
        help: ArgumentHelp(
            "The highest volume in percent that it sets, <zone>=<percent> for one zone, <zone>=any, or any. Repeatable.",
            valueName: "percent"
        )
    )
    var volume: [String] = []
    @Option(help: ArgumentHelp("The fastest playback that it sets, 0.25 to 4, or any.", valueName: "speed"))
    var speed: String?
    @Option(help: ArgumentHelp("How many songs it may add within an hour, or any.", valueName: "number"))
    var songsPerHour: String?
    @Option(help: ArgumentHelp("How many announcements it may make within a minute, or any.", valueName: "number"))
    var announcementsPerMinute: String?
    @Option(
        help: ArgumentHelp(
            "How many megabytes it is sent within an hour, such as pictures and streams, or any.",
            valueName: "number"
        )
    )
    var megabytesPerHour: String?
    @Option(
        help: ArgumentHelp(
            "Where the songs of one that may only add go: fair, in turn with those of others, or end.",
            valueName: "order"
        )
    )
    var order: String?
    @Option(
        help: ArgumentHelp(
            "Commands of the protocol that it may not give, each after no-, such as no-clear,no-stop; all: none of them.",
            valueName: "list"
        )
    )
    var commands: String?

    /// As the protocol has them.
    var words: [String] {
        var words = quietHours.map { ["quiet-hours", $0] } ?? []
        words += volume.flatMap { ["volume", $0] }
        if let speed { words += ["speed", speed] }
        if let songsPerHour { words += ["songs-per-hour", songsPerHour] }
        if let announcementsPerMinute { words += ["announcements-per-minute", announcementsPerMinute] }
        if let megabytesPerHour { words += ["megabytes-per-hour", megabytesPerHour] }
        if let order { words += ["order", order] }
        if let commands { words += ["commands", commands] }
        return words
    }
}

extension ClientsVerb {
    struct Limit: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "limit",
            "Let a client see a part of the library only.",
            "<client> [--folder <uri>]... [--playlist <name>]... [--filter <filter>]... [--item <id>]... [--all]",
            parent: "clients",
            discussion: """
                It sees what is in one of the parts, and nothing else is told to it; without any, it sees no song. This
                replaces what it saw before; segue clients set adds to that.
                """
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @OptionGroup var client: ClientArgument
        @OptionGroup var library: LibraryLimits
        @Flag(help: "The whole library again.")
        var all = false

        func validate() throws {
            if all, !library.words.isEmpty { throw ValidationError("--all is the whole library: name no part of it") }
        }

        func run(on session: Session) throws {
            let words = ["set", client.word, "library", all ? "all" : "none"] + library.words
            try session.connection.run(Request("clients", words))
        }
    }
}
