import ArgumentParser
import MPDImport
import RemoteControl
import RemoteVerbs
import TerminalText
import Verbs

/// `segue import-mpd`, which `segue` hands over because it links no SQLite.
struct ImportCommand: ParsableCommand {
    /// What the command line begins with.
    static let word = "import-mpd"

    static let configuration = {
        var configuration = CommandConfiguration.importMPD
        // It is called by this name.
        configuration.commandName = "segue import-mpd"
        configuration.version = segueVersion
        return configuration
    }()

    @OptionGroup var options: ImportOptions

    func run() throws {
        let places = try ImportPlaces.find(options)
        let state = places.sources.read()
        let notes = places.notes + running()
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

    /// An mpd that has not written down yet what it does.
    private func running() -> [String] {
        guard let process = RunningMPD.find().lazy.compactMap(\.process).first else { return [] }
        return [
            "mpd is running (process \(process)); what it did in the last two minutes may not be in its state file yet"
        ]
    }
}
