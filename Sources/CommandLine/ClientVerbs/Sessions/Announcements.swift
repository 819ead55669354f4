import ArgumentParser
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

struct AnnouncementReport: Report {
    var announcements: [AnnouncementBlock]

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(isRight: true, style: .faint), .init(), .init(style: .strong), .init(),
            .init(isFlexible: true),
        ])
        for block in announcements {
            let importance = block.priorityClass + (block.priority != 0 ? " \(block.priority)" : "")
            table.add(
                ["\(block.id)", block.state.rawValue, block.zone ?? "", importance, Self.content(block)],
                block.state.isFinal ? .faint : nil
            )
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] {
        announcements.map { block in
            ["\(block.id)", block.state.rawValue, block.zone ?? "", block.priorityClass, Self.content(block)]
                .joined(separator: "\t")
        }
    }

    var json: [JSON] { announcements.map { $0.reply.record(.announcements) } }

    private static func content(_ block: AnnouncementBlock) -> String {
        let what = [block.text.map { "“\($0)”" }, block.file].compactMap(\.self).joined(separator: " ")
        return what + (block.error.map { ": \($0)" } ?? "")
    }
}

struct AnnouncementVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "announcement",
        abstract: "List and cancel announcements.",
        usage: "segue announcement list|info|cancel [<options>] ...",
        discussion: "'segue announce' makes them.",
        subcommands: [List.self, Info.self, Cancel.self],
        defaultSubcommand: List.self
    )
}

extension AnnouncementVerb {
    struct List: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "list",
            "List the announcements that wait, sound, or have just ended.",
            parent: "announcement",
            aliases: ["ls"]
        )
        @OptionGroup(title: "The server") var server: ServerOptions

        func run(on session: Session) throws {
            let blocks = try session.run("announcement", "list").announcements
            if blocks.isEmpty, session.console.isTerminal {
                session.console.print(StyledText("There are none. Make one with: segue announce --say <text>", .faint))
            }
            session.console.print(AnnouncementReport(announcements: blocks))
        }
    }

    struct Info: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "info",
            "Show an announcement.",
            "<id>",
            parent: "announcement"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: "Its number.") var id: Int

        func run(on session: Session) throws {
            let blocks = try session.run("announcement", "info", String(id)).announcements
            session.console.print(AnnouncementReport(announcements: blocks))
        }
    }

    struct Cancel: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "cancel",
            "Cancel announcements.",
            "<id> ...|all",
            parent: "announcement"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("Their numbers, or all.", valueName: "id")) var ids: [String]

        func validate() throws {
            for id in ids where id != "all" && Int(id) == nil {
                throw ValidationError("'\(id)' is not an announcement's number; 'segue announcement list' shows them")
            }
        }

        func run(on session: Session) throws {
            for id in ids { try session.run("announcement", "cancel", id) }
        }
    }
}
