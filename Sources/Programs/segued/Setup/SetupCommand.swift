import ArgumentParser
import ClientVerbs
import CommandOptions
import Files
import Glibc
import Settings
import Setup
import TerminalText
import TextEncodings

/// `segue setup`, executed here because the daemon knows its configuration.
struct SetupCommand: ParsableCommand {
    /// The first word of the command line.
    static let word = "setup"

    static let configuration = {
        var configuration = CommandConfiguration.setup
        // The name for messages.
        configuration.commandName = "segue setup"
        configuration.version = segueVersion
        return configuration
    }()

    @OptionGroup var options: SetupOptions

    func run() throws {
        do {
            let machine = SetupMachine(options)
            if options.undo { try undo(machine) } else { try setUp(machine) }
        } catch let error as SetupPlan.Failure {
            throw Self.failure(error.description)
        } catch let error as SystemError {
            throw Self.failure(error.description)
        }
    }

    private static func failure(_ text: String) -> ExitCode {
        writeError("segue: \(DisplayText.harmless(text))")
        return ExitStatus.someFailed.exitCode
    }

    /// Whether questions can be asked.
    private var isInteractive: Bool {
        !options.yes && !options.dryRun && TerminalTraits.isTerminal(STDIN_FILENO)
            && TerminalTraits.isTerminal(STDOUT_FILENO)
    }

    // MARK: Doing

    private func setUp(_ machine: SetupMachine) throws {
        guard isInteractive || options.yes || options.dryRun else {
            throw Self.failure("there is no terminal to ask at; --dry-run shows what would be done, --yes does it")
        }
        let questions = isInteractive ? SetupQuestions() : nil
        let choices = try machine.choices(options, questions)
        let plan = try SetupPlan(choices, machine.findings(for: choices))
        if options.json { print(SetupReport(plan, isDone: false).json.text) } else { show(plan) }
        if options.dryRun || plan.steps.isEmpty { return }
        if let questions, !questions.agrees("Do this?", byDefault: true) { return print("Nothing was done.") }
        try machine.run.perform(plan.steps) { if !options.json { print("> \(SetupReport.title(of: $0))") } }
        guard !options.json else { return }
        print("Done; undo it with: \(machine.isSystem ? "sudo " : "")segue setup --undo")
        for line in SetupReport.next(choices, machine) { print(line) }
    }

    private func show(_ plan: SetupPlan) {
        let lines = SetupReport(plan, isDone: false).lines
        print(lines.map { DisplayText.harmless($0) }.joined(separator: "\n"))
    }

    // MARK: Undoing

    private func undo(_ machine: SetupMachine) throws {
        guard let record = try SetupRecord.read(machine.recordPath), !record.isEmpty else {
            throw Self.failure("there is nothing to undo: \(machine.recordPath) is not there")
        }
        if options.json {
            print(SetupReport.json(undoing: record).text)
        } else {
            print("This is undone:")
            for line in SetupReport.lines(undoing: record) { print("  " + DisplayText.harmless(line)) }
        }
        if options.dryRun { return }
        if isInteractive {
            guard SetupQuestions().agrees("Undo it?", byDefault: true) else { return print("Nothing was done.") }
        } else if !options.yes {
            throw Self.failure("there is no terminal to ask at; --undo --yes undoes it")
        }
        let problems = try machine.run.undo(record) { if !options.json { print("> \(DisplayText.harmless($0))") } }
        for problem in problems { writeError("segue: \(DisplayText.harmless(problem))") }
        if !problems.isEmpty { throw ExitStatus.someFailed.exitCode }
    }
}
