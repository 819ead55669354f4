package import Files
internal import StateStore

/// The steps that setups have taken, so that they can be undone: a file of lines beside the configuration.
///
///     file ~/.config/segue/segued.toml "…after…"
///     file /etc/segue/segued.toml "…after…" 644 "…before…"
///     run systemctl --user disable --now segued
///
/// It is written before each step, so that an interrupted setup can be undone, too. Only its owner may write it, because
/// its commands are run.
package struct SetupRecord: Sendable, Hashable {
    package struct File: Sendable, Hashable {
        package let path: String
        package let after: String
        /// `nil` where there was none.
        package let before: Before?
    }

    package struct Before: Sendable, Hashable {
        package let permissions: UInt32
        package let text: String
    }

    /// Each path once.
    package private(set) var files: [File] = []
    /// In the order in which they are run.
    package private(set) var commands: [[String]] = []

    package init() {}

    package var isEmpty: Bool { files.isEmpty && commands.isEmpty }

    /// Records a step that is about to be taken.
    ///
    /// - Parameter permissions: Of the file that is replaced.
    package mutating func add(_ step: SetupStep, permissions: UInt32 = 0o644) {
        switch step {
        case .write(let path, let before, let after, _):
            // After several setups, what was there before the first of them comes back.
            let now = before.map { Before(permissions: permissions, text: $0) }
            let first = files.first { $0.path == path }
            files.removeAll { $0.path == path }
            files.append(File(path: path, after: after, before: first.map(\.before) ?? now))
        case .run(_, let undo):
            guard let undo, !commands.contains(undo) else { return }
            commands.insert(undo, at: 0)
        }
    }

    // MARK: The file

    /// The name of the file beside a configuration.
    package static func path(besides configuration: String) -> String {
        folder(of: configuration) + "/setup.undo"
    }

    /// The largest one: two configurations, and what quoting adds.
    private static let limit = 32 << 20

    /// - Returns: `nil` when there is none.
    /// - Throws: `SystemError`, or `SetupPlan.Failure` for one that cannot be trusted or read.
    package static func read(_ path: String) throws -> SetupRecord? {
        let file: Descriptor
        do throws(SystemError) {
            file = try Descriptor(path, .reading)
        } catch {
            if error == .noSuchFile { return nil }
            throw error
        }
        guard try file.status.permissions & 0o022 == 0 else {
            throw SetupPlan.Failure(description: "\(path) can be written by others, so it is not trusted")
        }
        let bytes = try file.contents(atMost: Self.limit)
        var record = SetupRecord()
        for line in bytes.split(separator: 0x0a) {
            guard let words = Record(parsing: line), record.apply(words) else {
                throw SetupPlan.Failure(
                    description: "\(path) cannot be read: \(String(decoding: line.prefix(80), as: UTF8.self))"
                )
            }
        }
        return record
    }

    private mutating func apply(_ record: Record) -> Bool {
        let words = record.arguments
        switch (record.verb, words.count) {
        case ("file", 2): files.append(File(path: words[0], after: words[1], before: nil))
        case ("file", 4):
            guard let permissions = UInt32(digits: words[2].utf8, radix: 8), permissions <= 0o777 else { return false }
            let before = Before(permissions: permissions, text: words[3])
            files.append(File(path: words[0], after: words[1], before: before))
        case ("run", 1...): commands.append(words)
        default: return false
        }
        return true
    }

    package func write(to path: String) throws(SystemError) {
        let records =
            files.map { file in
                let before = file.before.map { [String($0.permissions, radix: 8), $0.text] } ?? []
                return Record("file", [file.path, file.after] + before)
            } + commands.map { Record("run", $0) }
        let text = records.map { $0.text + "\n" }.joined()
        try AtomicFile.write(Array(text.utf8), to: path, access: .onlyOwner)
    }
}
