import ArgumentParser
import CommandOptions
import ProtocolClient
import TerminalText
import TextEncodings

struct DoctorVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "doctor",
        "Check the server, and suggest how to fix problems."
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func run() throws {
        var console = Console(server)
        let choice = try server.choice()
        let connection: RemoteConnection
        do {
            connection = try RemoteConnection.open(
                choice,
                zone: server.zone,
                limits: PatienceLimits(variable: console.variable)
            )
        } catch {
            console.print(DoctorReport(findings: Examination.findings(unreachable: error, choice)))
            console.flush()
            throw (error.refusal == nil ? ExitStatus.noOutput : .someFailed).exitCode
        }
        let session = Session(connection, choice, server, console)
        defer { session.console.flush() }
        do {
            try run(on: session)
        } catch let error as RemoteError {
            throw server.failure(error)
        }
    }

    func run(on session: Session) throws {
        var examination = Examination(session)
        try examination.examine()
        session.console.print(DoctorReport(findings: examination.findings))
        if examination.findings.contains(where: { $0.result == .problem }) { throw ExitStatus.someFailed.exitCode }
    }
}

/// The result of one check.
struct Finding: Hashable {
    enum Result: String, Hashable {
        case good
        case warning
        case problem
    }

    var check: String
    var result: Result
    var detail: String
    /// How to fix it.
    var advice: String?

    /// The words by which the same problem is told elsewhere: those after a name or a heading, if there is one.
    var reason: Substring { detail.split(separator: ": ", maxSplits: 1).last ?? detail[...] }
}

struct DoctorReport: Report {
    var findings: [Finding]

    var plainLines: [String] {
        findings.map { "\($0.result.rawValue): \($0.check): \($0.detail)" + ($0.advice.map { ". \($0)" } ?? "") }
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        let labelWidth = findings.reduce(0) { max($0, $1.check.count) }
        return findings.flatMap { finding in
            let (symbol, style) = Self.mark(finding.result, isUnicode)
            var line = StyledText(symbol, style)
            let padding = String(repeating: " ", count: labelWidth - finding.check.count)
            line.append(" \(finding.check)\(padding)  ", .faint)
            line.append(DisplayText.harmless(finding.detail))
            guard let advice = finding.advice else { return [line] }
            let indent = String(repeating: " ", count: labelWidth + 4)
            return [line, StyledText(indent + (isUnicode ? "→ " : "> ") + DisplayText.harmless(advice), .attention)]
        }
    }

    private static func mark(_ result: Finding.Result, _ isUnicode: Bool) -> (String, TextStyle) {
        switch result {
        case .good: (isUnicode ? "✓" : "+", .good)
        case .warning: ("!", .attention)
        case .problem: (isUnicode ? "✗" : "x", .bad)
        }
    }

    var json: [JSON] {
        findings.map { finding in
            .compact([
                .init("check", .string(finding.check)),
                .init("result", .string(finding.result.rawValue)),
                .init("detail", .string(finding.detail)),
                .init("advice", .optional(finding.advice)),
            ])
        }
    }
}
