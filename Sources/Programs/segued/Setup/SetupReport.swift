import AudioTypes
import CommandOptions
import Files
import Glibc
import Settings
import Setup
import TextEncodings

/// A plan as text and as JSON.
struct SetupReport {
    private let plan: SetupPlan
    private let isDone: Bool

    init(_ plan: SetupPlan, isDone: Bool) {
        self.plan = plan
        self.isDone = isDone
    }

    /// For people.
    var lines: [String] {
        var lines: [String] = []
        if plan.steps.isEmpty {
            lines.append("There is nothing to do: everything is set up like that.")
        } else {
            lines.append("This will be done:")
            for step in plan.steps {
                lines.append("  \(Self.title(of: step))")
                if case .write(_, let before, let after, _) = step {
                    lines += Self.changes(from: before ?? "", to: after).map { "    \($0)" }
                }
            }
        }
        return lines + plan.notes.map { "Note: \($0)" }
    }

    var json: JSON {
        .object([
            .init("steps", .array(plan.steps.map(Self.json))),
            .init("notes", .array(plan.notes.map(JSON.string))),
        ])
    }

    private static func json(_ step: SetupStep) -> JSON {
        switch step {
        case .write(let path, let before, let after, let isSecret):
            .object([
                .init("write", .string(path)), .init("is_new", .bool(before == nil)),
                .init("is_secret", .bool(isSecret)), .init("text", .string(after)),
            ])
        case .run(let words, let undo):
            .compact([
                .init("run", .array(words.map(JSON.string))),
                .init("undo", undo.map { .array($0.map(JSON.string)) } ?? .null),
            ])
        }
    }

    static func title(of step: SetupStep) -> String {
        switch step {
        case .write(let path, let before, _, _): "\(before == nil ? "write" : "change") \(path)"
        case .run(let words, _): "run \(words.joined(separator: " "))"
        }
    }

    /// The lines that go and come, in order, as `diff` marks them.
    private static func changes(from before: String, to after: String) -> [String] {
        let old = before.split(separator: "\n", omittingEmptySubsequences: false)
        let new = after.split(separator: "\n", omittingEmptySubsequences: false)
        let difference = new.difference(from: old)
        let gone = difference.removals.map { change -> (Int, String) in
            guard case .remove(let offset, let line, _) = change else { return (0, "") }
            return (offset, "- \(line)")
        }
        let come = difference.insertions.map { change -> (Int, String) in
            guard case .insert(let offset, let line, _) = change else { return (0, "") }
            return (offset, "+ \(line)")
        }
        return (gone + come).sorted { $0.0 < $1.0 }.map(\.1).filter { $0.count > 2 }
    }

    // MARK: Undoing

    static func lines(undoing record: SetupRecord) -> [String] {
        record.commands.map { "run \($0.joined(separator: " "))" }
            + record.files.map { $0.before == nil ? "remove \($0.path)" : "restore \($0.path)" }
    }

    static func json(undoing record: SetupRecord) -> JSON {
        .object([
            .init("run", .array(record.commands.map { .array($0.map(JSON.string)) })),
            .init("restore", .array(record.files.filter { $0.before != nil }.map { .string($0.path) })),
            .init("remove", .array(record.files.filter { $0.before == nil }.map { .string($0.path) })),
        ])
    }

    // MARK: What follows

    /// The person's next steps.
    static func next(_ choices: SetupChoices, _ machine: SetupMachine) -> [String] {
        var lines = ["See what plays: segue status; add music: segue add /; if there is no sound: segue doctor"]
        switch choices.network {
        case nil, .thisMachine: break
        case .local: lines.append("In a phone's MPD client, enter the name \(hostName), port 6600.")
        case .password(let password):
            lines.append("In a phone's MPD client, enter the name \(hostName), port 6600, password \(password)")
        }
        if choices.service == .none { lines.append("Start the server with: segued") }
        return lines
    }

    private static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&name, name.count - 1) == 0 else { return "of this machine" }
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The sound server whose socket is there.
    static func soundServer(_ environment: ProcessEnvironment) -> String? {
        let folder = environment.variables["XDG_RUNTIME_DIR"] ?? "/run/user/\(environment.userID)"
        if fileExists("\(folder)/pipewire-0") { return "PipeWire" }
        return fileExists("\(folder)/pulse/native") ? "PulseAudio" : nil
    }

    /// 60 random bits, in letters and digits that are not mistaken for each other.
    static func randomPassword() -> String {
        let symbols = Array("abcdefghjkmnpqrstuvwxyz23456789")
        var generator = SystemRandomNumberGenerator()
        return (0..<3).map { _ in
            String((0..<4).map { _ in symbols[Int.random(in: symbols.indices, using: &generator)] })
        }
        .joined(separator: "-")
    }
}
