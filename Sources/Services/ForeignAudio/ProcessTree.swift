internal import Files

/// A process and those that it descends from.
struct ProcessLine: Hashable, Sendable {
    /// Nearest first.
    private(set) var processes: [Int32] = []
    /// How many of them are in one session of the system (setsid(2)) with the process: a shell or `segue exec` is in its
    /// program's, a desktop in none of those that it starts.
    private(set) var relatedCount = 0

    /// The process and those that have started it as a part of what they do themselves.
    var related: ArraySlice<Int32> { processes.prefix(relatedCount) }

    init() {}

    /// Reads a process's line; blocks.
    init(of process: Int32) {
        var (next, session): (Int32, Int32?) = (process, nil)
        while processes.count < Self.limit, next > 1, !processes.contains(next), let known = Entry(of: next) {
            if session == nil { session = known.session }
            if known.session == session, relatedCount == processes.count { relatedCount += 1 }
            processes.append(next)
            next = known.parent
        }
    }

    private static let limit = 64

    /// The text of `/proc/PID/stat` (proc(5)), where the name is in parentheses and may contain any character.
    private struct Entry {
        let parent: Int32
        let session: Int32

        init?(of process: Int32) {
            guard let text = try? fileContents("/proc/\(process)/stat", atMost: 4_096),
                let end = text.lastIndex(of: UInt8(ascii: ")"))
            else { return nil }
            let words = text[(end + 1)...].split(separator: UInt8(ascii: " ")).prefix(4)
                .map { Int32(String(decoding: $0, as: UTF8.self)) }
            guard words.count == 4, let parent = words[1], let session = words[3] else { return nil }
            (self.parent, self.session) = (parent, session)
        }
    }
}
