import ArgumentParser
import ClientVerbs
import CommandOptions
import MPDImport
import ProtocolClient
import TerminalText
import TextEncodings

/// `segue import-mpd`, executed here because `segue` links no SQLite.
struct ImportCommand: ParsableCommand {
    /// The first word of the command line.
    static let word = "import-mpd"

    static let configuration = {
        var configuration = CommandConfiguration.importMPD
        // The name for messages.
        configuration.commandName = "segue import-mpd"
        configuration.version = segueVersion
        return configuration
    }()

    @OptionGroup var options: ImportOptions

    func run() throws {
        let places = try ImportPlaces.find(options)
        let state = places.sources.read()
        let notes = places.notes + running(places.sources.stateFile)
        if options.dryRun { return show(ImportReport(found: state, notes: notes, options: options)) }
        let report: TakeoverReport
        do {
            let progress = ImportProgress(isShown: !options.server.quiet && !options.server.json)
            defer { progress.end() }
            report = try Takeover(
                options.server.connect(),
                .init(replaces: options.replace, mayPlay: options.play),
                onProgress: progress.show
            ).run(state)
        } catch let error as RemoteError {
            throw options.server.failure(error)
        }
        show(ImportReport(report, notes: notes, options: options))
        if !report.isComplete { throw ExitStatus.someFailed.exitCode }
    }

    private func show(_ report: ImportReport) {
        for line in report.remarks { writeError("segue: \(DisplayText.harmless(line))") }
        if options.server.json { print(report.json.text) } else if !options.server.quiet { print(report.summary) }
    }

    /// Notes about a running mpd whose state file is read, which may be out of date.
    private func running(_ stateFile: String?) -> [String] {
        guard let stateFile,
            let process = RunningMPD.find().first(where: { $0.mayWrite(stateFile: stateFile) })?.process
        else { return [] }
        return [
            "mpd is running (process \(process)); its state file may lack changes of the last two minutes"
        ]
    }
}
