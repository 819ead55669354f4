import ArgumentParser
import AudioTypes
import CommandOptions
import Foreground
import Foundation
import Playback
import ProtocolClient
import TerminalText
import Testing
import TextEncodings

@testable import ClientVerbs

/// The manual pages say what the programs do: every option, key, exit status, event and field is in them.
@Suite struct ManualTests {
    private struct Everything: ParsableCommand {
        struct Play: ParsableCommand {
            static let configuration = CommandConfiguration.play
            @OptionGroup var options: PlayOptions
        }
        struct Probe: ParsableCommand {
            static let configuration = CommandConfiguration.probe
            @OptionGroup var options: ProbeOptions
        }
        struct Devices: ParsableCommand {
            static let configuration = CommandConfiguration.devices
            @OptionGroup var options: DevicesOptions
        }
        struct Discover: ParsableCommand {
            static let configuration = CommandConfiguration.discover
            @OptionGroup var options: DiscoverOptions
        }

        struct Thumbnail: ParsableCommand {
            static let configuration = CommandConfiguration.thumbnail
            @OptionGroup var options: ThumbnailOptions
        }
        struct ImportMPD: ParsableCommand {
            static let configuration = CommandConfiguration.importMPD
            @OptionGroup var options: ImportOptions
        }
        struct Setup: ParsableCommand {
            static let configuration = CommandConfiguration.setup
            @OptionGroup var options: SetupOptions
        }
        struct Config: ParsableCommand {
            static let configuration = CommandConfiguration.configPaths
            @OptionGroup var options: ConfigOptions
        }
        static let configuration = CommandConfiguration.root(
            version: segueVersion,
            subcommands: [
                Play.self, Probe.self, Devices.self, Discover.self, Thumbnail.self, ImportMPD.self, Setup.self,
                Config.self,
            ],
            groups: VerbTable.groups
        )
    }

    /// Every verb that controls a server, with the name it is called by.
    private static let remoteVerbs: [(name: String, verb: any ParsableCommand.Type)] = VerbTable.groups
        .flatMap(\.subcommands)
        .flatMap { verb in
            let name = verb.configuration.commandName ?? ""
            let inner = verb.configuration.subcommands.map {
                (name: "\(name) \($0.configuration.commandName ?? "")", verb: $0)
            }
            return inner.isEmpty ? [(name: name, verb: verb)] : inner
        }

    /// A page's text without its markup.
    private func page(_ name: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: "man/\(name)"), encoding: .utf8)
            .replacing("\\-", with: "-")
    }

    private func options(in text: String) -> Set<String> {
        Set(text.matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
    }

    @Test func everyOptionIsInTheManualAndNoOther() throws {
        let help =
            ([
                Everything.Play.self, Everything.Probe.self, Everything.Devices.self, Everything.Discover.self,
                Everything.Thumbnail.self, Everything.ImportMPD.self, Everything.Setup.self,
                Everything.Config.self,
            ] + Self.remoteVerbs.map(\.verb))
            .map { (command: any ParsableCommand.Type) in Everything.helpMessage(for: command, columns: 400) }
            .joined()
        let declared = options(in: help)
        let described = options(in: try page("segue.1"))
        #expect(declared.subtracting(described) == [])
        #expect(described.subtracting(declared) == ["--generate-completion-script"])
    }

    @Test func everyShortOptionIsInTheManual() throws {
        let text = try page("segue.1")
        for option in ["-r", "-o", "-q", "-h", "-p", "-P", "-f"] { #expect(text.contains(".BR \(option) ")) }
        #expect(text.contains("-w"))
    }

    @Test func everyVerbIsInTheManual() throws {
        let text = try page("segue.1")
        let section = try #require(
            text.split(separator: ".SH CONTROLLING A SERVER").last?.split(separator: ".SH").first
        )
        let words = String(section).replacing(/\\f[A-Z]|[".,]/, with: " ")
        for (name, verb) in Self.remoteVerbs {
            for spelling in [name] + verb.configuration.aliases {
                #expect(words.contains(try Regex("(?m)\\b\(spelling)\\b")), "\(spelling)")
            }
        }
    }

    @Test func everyVerbSaysWhatItTakes() {
        for (name, verb) in Self.remoteVerbs {
            #expect(verb.configuration.usage?.hasPrefix("segue \(name) [<options>]") == true, "\(name)")
            #expect(verb.configuration.abstract.hasSuffix("."), "\(name)")
        }
    }

    @Test func everyHelpFitsATerminal() {
        func all(_ verb: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
            [verb] + verb.configuration.subcommands.flatMap(all)
        }
        let verbs = VerbTable.groups.flatMap(\.subcommands).flatMap(all) + all(Everything.self).dropFirst()
        #expect(verbs.count > 100)
        for verb in verbs {
            let lines = verb.helpMessage(columns: 80).split(separator: "\n")
            #expect(lines.filter { $0.count > 80 } == [], "\(verb)")
        }
    }

    @Test func everyFieldOfAStatusIsInTheManual() throws {
        let words = Set(try page("segue-json.7").matches(of: /[a-z_]+/).map { String($0.output) })
        let status = ServerReply(
            pairs: [
                "volume", "song", "time", "elapsed", "duration", "bitrate", "audio", "xfade", "updating_db", "error",
                "partition", "pitch", "interrupted", "sleep", "speed",
            ]
            .map { Pair($0, $0 == "time" ? "1:2" : "1") }
        )
        let block = ServerReply(
            pairs: ["file", "Pos", "Id", "Prio", "Title", "Artist", "Album", "duration", "Range", "Format"]
                .map { Pair($0, "1") } + [Pair("Last-Modified", "x"), Pair("Added", "x")]
        )
        let report = StatusReport(status: ServerStatus(status), song: RemoteSong(block), stream: "s")
        let finding = Finding(check: "c", result: .good, detail: "d", advice: "a")
        let output = OutputBlock(
            ServerReply(pairs: [Pair("outputid", "0"), Pair("plugin", "p"), Pair("attribute", "a=b")])
        )
        let session = ServerReply(pairs: [
            Pair("session", "1"), Pair("owner", "o"), Pair("zone", "z"), Pair("category", "c"), Pair("mode", "m"),
            Pair("policy", "p"),
        ])
        let announcement = ServerReply(pairs: [
            Pair("announcement", "1"), Pair("zone", "z"), Pair("file", "f"), Pair("text", "t"), Pair("state", "failed"),
            Pair("error", "e"),
        ])
        let event = ServerReply(
            pairs: [Pair("event", "1"), Pair("session", "1"), Pair("type", "ducked")]
                + ["time", "reason", "source", "shouldresume", "recommendation", "previousroute", "route"]
                .map { Pair($0, "1") }
        )
        let objects =
            AudioSessionReport(sessions: session.sessions).json
            + AnnouncementReport(announcements: announcement.announcements).json
            + event.sessionEvents.map { SessionEventText(event: $0, name: "n").json }
            + report.json + DoctorReport(findings: [finding]).json + OutputReport(outputs: [output]).json
            + StatisticsReport(reply: ServerReply()).json
        for object in objects {
            for match in object.text.matches(of: /"([a-z_]+)":/) {
                #expect(words.contains(String(match.output.1)), "field \(match.output.1)")
            }
        }
    }

    @Test func everyExitStatusIsInTheManual() throws {
        let text = try page("segue.1")
        let table = try #require(text.split(separator: ".SH EXIT STATUS").last?.split(separator: ".SH").first)
        let numbers = Set(table.matches(of: /[0-9]+/).compactMap { Int32($0.output) })
        #expect(numbers == Set(ExitStatus.allCases.map(\.rawValue)))
    }

    @Test func everyKeyIsInTheManual() throws {
        let text = try page("segue.1")
        let table = try #require(text.split(separator: ".SH KEYS").last?.split(separator: ".SH").first)
        let words = Set(table.split { $0 == " " || $0 == "\n" || $0 == "\"" }.map(String.init))
        for row in KeyBindings.rows {
            for label in row.label.split(separator: ", ") { #expect(words.contains(String(label)), "\(label)") }
        }
    }

    @Test func everyEventAndFieldIsInTheManual() throws {
        let words = Set(try page("segue-json.7").matches(of: /[a-z_]+/).map { String($0.output) })
        let item = Sample.item(title: "a", artist: "b")
        let status = Sample.status(item, .waitingToPlayAtSpecifiedRate(.outputUnavailable))
        var film = Sample.film
        // Their names are not ours.
        film.tags = Tags()
        let notices: [PlayNotice] = [
            .itemStarted(item, index: 0, count: 1), .itemFailed(item), .itemEnded(item), .statusChanged(status),
            .recordingFailed(item, "x"),
            .jumped(.zero), .outputLost("x"), .routeLost("x", pauses: true), .silenceRequested(true), .outputRestored,
            .outputGivenUp, .reconnected(item, after: 1),
            .stalled(item), .titleChanged(item, Tags()),
            .reconnecting(item, .init(reason: "x", attempt: 1, next: .now, since: .now), isNews: true),
        ]
        let events =
            notices.compactMap { PlayEvents.event(for: $0, item: item, time: .zero) } + [
                PlayEvents.started(count: 1, output: "pulse"), PlayEvents.problem("x"), PlayEvents.notice("x"),
                PlayEvents.finished(played: 1, failed: 0, exitStatus: 0), PlayEvents.position(.zero, of: item),
                ProbeReport(location: "x", info: try #require(item.info)).json,
                ProbeReport(location: "x", .picture(try #require(Sample.picture))).json,
                ProbeReport(location: "x", info: film).json,
                ProbeReport.failure(location: "x", message: "y"),
                DeviceReport.json(
                    OutputDevice(name: "n", description: "d", isDefault: true, state: .idle, format: "f", portType: "p")
                ),
            ]
        for event in events {
            for match in event.text.matches(of: /"([a-z_]+)":/) {
                #expect(words.contains(String(match.output.1)), "field \(match.output.1)")
            }
            if let match = event.text.firstMatch(of: /"event":"([a-z_]+)"/) {
                #expect(words.contains(String(match.output.1)), "event \(match.output.1)")
            }
        }
    }

    @Test(arguments: ["segue.1", "segue-api.7", "segue-json.7", "segued.8", "segued.toml.5"])
    func theFormatterHasNoComplaint(name: String) throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/man") else { return }
        let result = try Program.run(
            "/usr/bin/man",
            ["-l", "--warnings=all", "-E", "UTF-8", root.appending(path: "man/\(name)").path]
        )
        #expect(result.standardError == "")
        #expect(result.status == 0)
    }
}
