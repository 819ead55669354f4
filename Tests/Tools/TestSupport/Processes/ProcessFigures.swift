private import Foundation

extension ChildProcess {
    /// Memory that is its own and was written to, in megabytes; `nil` when it has ended.
    package var privateDirty: Double? {
        guard let text = try? String(contentsOfFile: "/proc/\(pid)/smaps_rollup", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
        let words = line?.split(separator: " ") ?? []
        return words.count > 1 ? Double(words[1]).map { $0 / 1024 } : nil
    }

    /// How many descriptors it has open.
    package var openDescriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/fd").count) ?? 0
    }

    /// The names of its threads.
    package var threadNames: [String] {
        let tasks = "/proc/\(pid)/task"
        return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).compactMap {
            try? String(contentsOfFile: "\(tasks)/\($0)/comm", encoding: .utf8).trimmingCharacters(in: .newlines)
        }
    }

    /// How many threads it has.
    package var threadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(pid)/task").count) ?? 0
    }
}
