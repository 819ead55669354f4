import ArgumentParser
import CommandOptions
import LineProtocol
import ProtocolClient
import Records
import TerminalText
import TextEncodings

extension LibraryVerb {
    struct Identify: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "identify",
            "Show which files songs are by their identifiers, and which identifiers files have.",
            "<id|uri> ...",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("Identifiers, or songs of the library.", valueName: "id|uri"))
        var identifiers: [String]

        func run(on session: Session) throws {
            // A request has a limited number of arguments.
            var report = IdentityReport()
            for start in stride(from: 0, to: identifiers.count, by: RequestLine.mostArguments) {
                let part = identifiers[start...].prefix(RequestLine.mostArguments)
                let reply = try session.connection.run(Request("identify", Array(part)))
                report.results += reply.groups(startingWith: "identifier").map(IdentityResult.init)
            }
            session.console.print(report)
            if report.results.contains(where: { $0.error != nil }) { throw ExitStatus.someFailed.exitCode }
        }
    }
}

/// The reply of `identify` for one identifier.
struct IdentityResult {
    let reply: ServerReply
    let identifier: String
    /// `nil` unless exactly one file was found.
    let file: String?
    let id: String?
    let error: String?
    let candidates: [String]
    /// The former paths of files that are gone.
    let was: [String]

    init(_ block: ServerReply) {
        reply = block
        identifier = block["identifier"] ?? ""
        file = block["file"]
        id = block["id"]
        error = block["error"]
        candidates = block.values("candidate")
        was = block.values("was")
    }

    /// Each file with a remark.
    fileprivate var rows: [(file: String, remark: String)] {
        if let file { return [(file, id ?? "no identifier")] }
        let files = candidates.map { ($0, "one of several") } + was.map { ($0, "is gone") }
        return files.isEmpty ? [("", "not found")] : files
    }
}

/// The output of `segue library identify`: the query, the file, and its identifier.
struct IdentityReport: Report {
    var results: [IdentityResult] = []

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(style: .faint, isFlexible: true), .init(style: .strong, isFlexible: true), .init(),
        ])
        for result in results {
            for (index, row) in result.rows.enumerated() {
                table.add([index == 0 ? result.identifier : "", row.file, row.remark])
            }
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] {
        results.flatMap { result in
            result.rows.map { "\(result.identifier)\t\($0.file)\t\(result.error ?? result.id ?? "")" }
        }
    }

    var json: [JSON] { results.map { $0.reply.record(.identifications) } }
}
