internal import Files

/// Performs the steps of a plan, or undoes those of earlier ones; blocks.
package struct SetupRun {
    /// Runs a command and returns whether it succeeded.
    private let runs: ([String]) throws -> Bool
    private let recordPath: String

    package init(recordPath: String, runs: @escaping ([String]) throws -> Bool) {
        self.recordPath = recordPath
        self.runs = runs
    }

    /// Performs steps, and keeps how to undo each before it is taken.
    ///
    /// - Parameter tell: Called before each step.
    /// - Throws: An error that says what failed; the steps before it have been taken.
    package func perform(_ steps: [SetupStep], tell: (SetupStep) -> Void = { _ in }) throws {
        var record = try SetupRecord.read(recordPath) ?? SetupRecord()
        makeFolders(folder(of: recordPath), permissions: 0o755)
        for step in steps {
            tell(step)
            let earlier = record
            record.add(step, permissions: Self.permissions(of: step))
            if record != earlier { try record.write(to: recordPath) }
            switch step {
            case .write(let path, let before, let after, let isSecret):
                guard Self.contents(of: path) == before else {
                    throw SetupPlan.Failure(description: "\(path) was changed meanwhile; run segue setup again")
                }
                makeFolders(folder(of: path), permissions: 0o755)
                try AtomicFile.write(Array(after.utf8), to: path, access: isSecret ? .onlyOwner : .asBefore)
            case .run(let words, _):
                guard try runs(words) else {
                    throw SetupPlan.Failure(description: "failed: \(words.joined(separator: " "))")
                }
            }
        }
    }

    /// Undoes all that was recorded, and then forgets it.
    ///
    /// - Returns: The steps that were not undone, and the reasons.
    package func undo(_ record: SetupRecord, tell: (String) -> Void = { _ in }) throws -> [String] {
        var problems: [String] = []
        for words in record.commands {
            tell(words.joined(separator: " "))
            let isDone = (try? runs(words)) ?? false
            if !isDone { problems.append("failed: \(words.joined(separator: " "))") }
        }
        for file in record.files {
            switch Self.contents(of: file.path) {
            case file.before?.text: continue
            case file.after:
                tell(file.before == nil ? "remove \(file.path)" : "restore \(file.path)")
                if let before = file.before {
                    try AtomicFile.write(Array(before.text.utf8), to: file.path, access: .asBefore)
                    try Descriptor(file.path, .reading).setPermissions(before.permissions)
                } else {
                    try AtomicFile.remove(file.path)
                }
            default:
                problems.append("\(file.path) was changed since, so it stays as it is")
            }
        }
        try AtomicFile.remove(recordPath)
        return problems
    }

    private static func permissions(of step: SetupStep) -> UInt32 {
        guard case .write(let path, _, _, _) = step else { return 0 }
        return ((try? FileStatus(of: path))?.permissions ?? 0o644) & 0o777
    }

    private static func contents(of path: String) -> String? {
        guard let bytes = try? fileContents(path, atMost: 4 << 20) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
