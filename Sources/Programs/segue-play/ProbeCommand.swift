import ArgumentParser
import CommandOptions
import Foreground
import Glibc
import TerminalText
import TextEncodings

struct Probe: ParsableCommand {
    static let configuration = CommandConfiguration.probe
    @OptionGroup var options: ProbeOptions

    func run() throws {
        let inColour = TerminalTraits.takesColour(STDOUT_FILENO)
        var hasFailed = false
        for (place, location) in options.locations.enumerated() {
            do {
                let report = ProbeReport(
                    location: location,
                    try probe(location, options.request.httpOptions, options.text.charset)
                )
                if options.json {
                    TextOutput.standardOutput.writeLines([report.json.text])
                } else {
                    let lines = report.lines.map { $0.text(inColour: inColour) }
                    TextOutput.standardOutput.writeLines(place > 0 ? [""] + lines : lines)
                }
            } catch {
                hasFailed = true
                let message = DisplayText.harmless("\(error)")
                TextOutput.standardError.writeLines(["segue: \(message)"])
                if options.json {
                    let failure = ProbeReport.failure(location: location, message: message)
                    TextOutput.standardOutput.writeLines([failure.text])
                }
            }
        }
        throw (hasFailed ? ExitStatus.someFailed : .success).exitCode
    }
}
