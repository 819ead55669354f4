import ArgumentParser
import AudioTypes
import CommandOptions
import LineProtocol
import ProtocolClient
import TerminalText
import TextEncodings
import ValueText

struct SleepVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "sleep",
        "Fade out and pause after a time, or at an end.",
        "[<time>|endofsong|chapter|queue|off]",
        discussion: """
            The music fades out in the last minute, then it is paused; the volume stays as it was set. Without an
            argument it shows the timer. Each zone has its own.

            Examples:
              segue sleep 30m
              segue sleep --zone bedroom endofsong
              segue sleep off
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(
        help: ArgumentHelp(
            "A time such as 45m or 1h30m, or where to end: endofsong, chapter or queue.",
            valueName: "time"
        ),
        completion: .list(["30m", "45m", "1h", "endofsong", "chapter", "queue", "off"])
    )
    var end: String?

    func validate() throws {
        guard let end, !["endofsong", "chapter", "queue", "off"].contains(end) else { return }
        do throws(ArgumentProblem) {
            guard try TimeArgument.parse(end).seconds >= 1 else { throw ArgumentProblem("it is at least a second") }
        } catch {
            throw ValidationError("'\(end)' is not endofsong, chapter, queue or off, nor a time: \(error)")
        }
    }

    func run(on session: Session) throws {
        if let end { try session.run("sleep", end) }
        let sleep = try session.run("sleep")["sleep"]
        session.console.print(SleepReport(sleep: sleep))
    }
}

/// A zone's sleep timer.
private struct SleepReport: Report {
    let sleep: String?

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        [StyledText(sleep.map(SleepText.describe) ?? "no sleep timer is set", sleep == nil ? .faint : .plain)]
    }

    var plainLines: [String] { ["sleep: \(sleep ?? "off")"] }
    var json: [JSON] { [.object([.init("sleep", .optional(sleep))])] }
}

/// The value of `sleep` in words.
enum SleepText {
    static func describe(_ sleep: String) -> String {
        switch sleep {
        case "endofsong": "sleep after this song"
        case "chapter": "sleep after this chapter"
        case "queue": "sleep after the queue"
        default: "sleep in \(Int(sleep).map(clockText) ?? sleep)"
        }
    }
}
