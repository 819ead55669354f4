internal import Glibc
internal import Threads

/// Tries the control loops, which take a whole process over, and prints one line for each thing found.
@main
struct ControlLoopProgram {
    static func main() {
        ControlLoop.main {
            let main = currentThread()
            let worker = Worker()
            let other = await worker.thread()
            say("main-is-main", main == getpid())
            let another = await Worker().thread()
            say("actors-share-one-thread", other != main && another == other)
            await Task.detached { say("tasks-too", currentThread() == other) }.value
            say("comes-back", currentThread() == main)
            say("sleeps-in-order", await sleeps() == ["1", "2", "3"])
            say("sleeps-long-enough", await sleepTime() >= .milliseconds(20))
            say("cancels-sleep", await isCancelled())
            say("counts", await worker.count(to: 10_000) == 10_000)
            // Nor is there one of libdispatch, whose manager wakes up once a second for ever.
            say("threads", threads() == ["control-loop-pr", "segue-control"])
            exit(0)
        }
    }

    /// Those that were started last are to be woken up first.
    private static func sleeps() async -> [String] {
        await withTaskGroup(of: String.self) { group in
            for number in [3, 1, 2] {
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(20 * number))
                    return String(number)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    private static func sleepTime() async -> Duration {
        let clock = ContinuousClock()
        return await clock.measure { try? await Task.sleep(for: .milliseconds(20), clock: clock) }
    }

    private static func isCancelled() async -> Bool {
        let task = Task { (try? await Task.sleep(for: .seconds(600))) == nil }
        task.cancel()
        return await task.value
    }
}

private actor Worker {
    private var number = 0

    func thread() -> pid_t { currentThread() }

    func count(to end: Int) async -> Int {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<end { group.addTask { await self.increment() } }
        }
        return number
    }

    private func increment() { number += 1 }
}

/// The number of the calling thread.
private func currentThread() -> pid_t {
    // Glibc's module shows neither gettid nor syscall.
    var link = [CChar](repeating: 0, count: 64)
    let count = unsafe readlink("/proc/thread-self", &link, link.count)
    let text = String(decoding: link.prefix(max(0, count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    return text.split(separator: "/").last.flatMap { pid_t($0) } ?? 0
}

private func say(_ what: String, _ isRight: Bool) { print(what, isRight ? "right" : "wrong") }

/// A file of `/proc/self`, for all threads.
private func read(_ name: String) -> [String] {
    guard let folder = unsafe opendir("/proc/self/task") else { return [] }
    defer { unsafe closedir(folder) }
    var texts: [String] = []
    while let entry = unsafe readdir(folder) {
        let number = unsafe withUnsafePointer(to: entry.pointee.d_name) {
            unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
        }
        guard Int(number) != nil, let file = unsafe fopen("/proc/self/task/\(number)/\(name)", "r") else { continue }
        defer { unsafe fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        texts.append(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
    return texts
}

private func threads() -> [String] {
    read("comm").map { String($0.prefix { $0 != "\n" }) }.sorted()
}
