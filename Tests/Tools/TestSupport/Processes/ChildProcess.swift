private import CTestSupport
private import Foundation
package import Glibc
private import Synchronization

package enum ChildProcessError: Error, Sendable {
    /// The program could not be started; the code is an `errno`.
    case cannotStart(String, Int32)
    /// The program did not do what was waited for in time; it was killed if it was to end.
    case deadline(String, output: String)
    /// The program ended before it did what was waited for.
    case ended(String, output: String)
    /// The program ended with an error.
    case failed(String, ExitStatus, errors: String)
}

/// How a process ended.
package enum ExitStatus: Sendable, Hashable {
    case code(Int32)
    case signal(Int32)
}

/// A program started by a test: its output, its end and what it cost.
///
/// It ends with this object at the latest, and with the test process whatever happens to that.
package final class ChildProcess: Sendable {
    /// What a program may read.
    package enum Input: Sendable {
        /// `/dev/null`.
        case nothing
        case bytes([UInt8])
        /// What `write` sends, until `closeInput`.
        case live
    }

    package struct Result: Sendable {
        package var status: ExitStatus
        package var output: [UInt8]
        package var errors: [UInt8]
        /// User and system time, in seconds.
        package var cpuSeconds: Double
        /// The largest resident memory of it, or of a child that it waited for.
        package var peakKilobytes: Int
        package var voluntarySwitches: Int

        package var outputText: String { String(decoding: output, as: UTF8.self) }
        package var errorText: String { String(decoding: errors, as: UTF8.self) }
    }

    private struct State: Sendable {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var openStreams = 0
        var end: (status: ExitStatus, usage: rusage)?

        var isOver: Bool { end != nil && openStreams == 0 }
    }

    package let pid: pid_t
    private let name: String
    private let state = Watched(State())
    /// Our end of the child's standard input, or of its terminal; −1 when there is none.
    private let input: Mutex<Int32>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - command: A path, or a name that is looked for in PATH.
    ///   - environment: The whole environment; `nil` inherits the test's.
    ///   - unprivileged: Whether it is run as another user when the tests are run by root.
    ///   - isUrgent: Whether it goes before all that computes, where that is permitted: a sound server that comes too late
    ///     skips what it should have played.
    ///   - outlivesNothing: Whether the kernel kills it when the test process dies. That costs one `exec` of `setpriv`
    ///     (about a millisecond) before the program, so a measurement of start-up may do without.
    ///   - inherits: Whether it gets the test's descriptors that are not closed on execution.
    ///   - onOutput: Gets what the program writes to standard output, on a thread of its own, instead of the result.
    package init(
        _ command: String,
        _ arguments: [String] = [],
        environment: [String: String]? = nil,
        folder: String? = nil,
        input: Input = .nothing,
        unprivileged: Bool = false,
        isUrgent: Bool = false,
        outlivesNothing: Bool = true,
        inherits: Bool = false,
        onOutput: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws(ChildProcessError) {
        name = command
        let words = folder.map { ["env", "--chdir=\($0)", command] } ?? [command]
        var request = Self.request(words + arguments, environment, unprivileged, outlivesNothing)
        if isUrgent, Self.maySchedule { request.arguments = ["chrt", "--fifo", "1"] + request.arguments }
        if case .nothing = input {} else { request.readsPipe = true }
        request.inherits = inherits
        let started = try Spawner.start(request)
        pid = started.pid
        self.input = Mutex(started.input)

        readAll(from: started.output, named: "stdout") { [state] bytes in
            if let onOutput { onOutput(bytes) } else { state.withLock { $0.output += bytes } }
        }
        readAll(from: started.errors, named: "stderr") { [state] bytes in state.withLock { $0.errors += bytes } }
        awaitEnd()
        if case .bytes(let bytes) = input {
            let thread = Thread { [self] in
                write(bytes)
                closeInput()
            }
            thread.start()
        }
    }

    /// Starts a program in a pseudo terminal; its output and its errors are one stream.
    init(
        inTerminal device: String,
        controller: Int32,
        _ command: String,
        _ arguments: [String],
        environment: [String: String]?,
        onOutput: @escaping @Sendable ([UInt8]) -> Void,
        onEnd: @escaping @Sendable () -> Void
    ) throws(ChildProcessError) {
        name = command
        input = Mutex(controller)
        var request = Self.request([command] + arguments, environment, false, true)
        request.terminal = device
        pid = try Spawner.start(request).pid
        readAll(from: dup(controller), named: "terminal", onOutput, onEnd)
        awaitEnd()
    }

    deinit {
        kill(SIGKILL)
        closeInput()
    }

    private static func request(
        _ words: [String],
        _ environment: [String: String]?,
        _ unprivileged: Bool,
        _ outlivesNothing: Bool
    ) -> Spawner.Request {
        var words = words
        var options: [String] = []
        if unprivileged && getuid() == 0 {
            options += ServerUser.options
        }
        if outlivesNothing { options += ["--pdeathsig=KILL"] }
        if !options.isEmpty { words = ["setpriv"] + options + ["--"] + words }
        return Spawner.Request(
            arguments: words,
            environment: environment ?? ProcessInfo.processInfo.environment
        )
    }

    /// Whether programs may be started with real-time rights.
    private static let maySchedule = getuid() == 0 && (try? run("chrt", ["--fifo", "1", "true"])) != nil

    // MARK: What it does

    package var outputText: String { String(decoding: state.current.output, as: UTF8.self) }
    package var errorText: String { String(decoding: state.current.errors, as: UTF8.self) }
    package var isRunning: Bool { state.current.end == nil }

    /// User and system time so far, or in all once it has ended.
    package var cpuSeconds: Double {
        if let usage = state.current.end?.usage { return usage.cpuSeconds }
        var clock = clockid_t()
        var time = timespec()
        guard unsafe clock_getcpuclockid(pid, &clock) == 0, unsafe clock_gettime(clock, &time) == 0 else { return 0 }
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }

    /// The memory that is resident now, in bytes.
    package func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8)
        return (Int(text.split(separator: " ")[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    }

    /// Voluntary context switches so far, summed over the threads that live.
    package var voluntarySwitches: Int {
        let folder = "/proc/\(pid)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return threads.reduce(0) { sum, thread in
            let status = (try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            return sum + (line?.split(separator: "\t").last.flatMap { Int($0) } ?? 0)
        }
    }

    /// Whether a signal has stopped it, as SIGSTOP does.
    package var isStopped: Bool {
        let text = (try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)) ?? ""
        // The state follows the name, which may have anything in it.
        return text.split(separator: ")").last?.hasPrefix(" T") == true
    }

    // MARK: What is done to it

    /// Sends a signal, never to another process that got the same number later.
    package func kill(_ signal: Int32) {
        state.withLock { if $0.end == nil { _ = Glibc.kill(pid, signal) } }
    }

    package func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes to its standard input or types into its terminal; silently nothing when it reads no more.
    package func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let descriptor = input.withLock { $0 }
            guard descriptor >= 0 else { return }
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    package func closeInput() {
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    // MARK: Waiting

    /// Waits until its output contains `text`.
    package func waitForOutput(_ text: String, within deadline: Duration = .patience) async throws {
        let wanted = Array(text.utf8)
        try await waitForOutput(within: deadline) { $0.output.contains(wanted) || $0.errors.contains(wanted) }
    }

    /// Waits until its standard output fulfils `condition`.
    package func waitForOutput(
        within deadline: Duration = .patience,
        _ condition: @escaping @Sendable (String) -> Bool
    ) async throws {
        try await waitForOutput(within: deadline) { condition(String(decoding: $0.output, as: UTF8.self)) }
    }

    /// A program that has ended is not waited for any longer.
    private func waitForOutput(within deadline: Duration, _ holds: @escaping @Sendable (State) -> Bool) async throws {
        let isOver = await state.wait(within: deadline) { holds($0) || $0.isOver }
        guard !holds(state.current) else { return }
        let output = outputText + errorText
        throw isOver ? ChildProcessError.ended(name, output: output) : .deadline(name, output: output)
    }

    /// Waits for its end; at the deadline it is killed and an error thrown.
    package func wait(within deadline: Duration = .patience) async throws -> Result {
        if await state.wait(within: deadline, until: { $0.isOver }) { return result }
        kill(SIGKILL)
        throw ChildProcessError.deadline(name, output: outputText + errorText)
    }

    /// Waits for its end, though what it wrote may not have been read.
    ///
    /// - Returns: Whether it ended within `deadline`.
    package func hasEnded(within deadline: Duration) async -> Bool {
        await state.wait(within: deadline) { $0.end != nil }
    }

    /// The same for code that is not asynchronous.
    package func waitBlocking(within deadline: Duration = .patience) throws -> Result {
        if state.waitBlocking(within: deadline, until: { $0.isOver }) { return result }
        kill(SIGKILL)
        throw ChildProcessError.deadline(name, output: outputText + errorText)
    }

    /// Kills it and waits until it is gone.
    package func end() {
        kill(SIGKILL)
        _ = state.waitBlocking(within: .patience) { $0.end != nil }
    }

    /// Kills it and waits until it is gone.
    ///
    /// - Returns: How it had crashed before, and what it wrote of that; `nil` when it had not.
    package func endNotingCrash() -> String? {
        end()
        guard case .signal(let signal)? = state.current.end?.status, Self.crashes.contains(signal) else { return nil }
        _ = state.waitBlocking(within: .patience) { $0.openStreams == 0 }
        return "\(name) crashed with signal \(signal): \(errorText)"
    }

    private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS]

    /// Runs a program to its end, which must be a success.
    @discardableResult
    package static func run(
        _ command: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        folder: String? = nil,
        input: Input = .nothing,
        within deadline: Duration = .patience
    ) throws -> Result {
        let child = try ChildProcess(command, arguments, environment: environment, folder: folder, input: input)
        let result = try child.waitBlocking(within: deadline)
        guard result.status == .code(0) else {
            let words = ([command] + arguments).joined(separator: " ")
            throw ChildProcessError.failed(words, result.status, errors: result.errorText)
        }
        return result
    }

    /// Where PATH finds a program; a path names one itself.
    package static func find(_ command: String) -> String? {
        guard !command.contains("/") else { return unsafe access(command, X_OK) == 0 ? command : nil }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(command)" }.first { unsafe access($0, X_OK) == 0 }
    }

    /// Those of `commands` that are not installed.
    package static func missing(_ commands: String...) -> [String] { commands.filter { find($0) == nil } }

    // MARK: Threads

    private var result: Result {
        let state = state.current
        let usage = state.end?.usage ?? rusage()
        return Result(
            status: state.end?.status ?? .code(0),
            output: state.output,
            errors: state.errors,
            cpuSeconds: usage.cpuSeconds,
            peakKilobytes: usage.ru_maxrss,
            voluntarySwitches: usage.ru_nvcsw
        )
    }

    private func readAll(
        from descriptor: Int32,
        named name: String,
        _ body: @escaping @Sendable ([UInt8]) -> Void,
        _ onEnd: @escaping @Sendable () -> Void = {}
    ) {
        state.withLock { $0.openStreams += 1 }
        let thread = Thread { [state] in
            var buffer = [UInt8](repeating: 0, count: 65536)
            while true {
                let count = unsafe buffer.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
                if count < 0 && errno == EINTR { continue }
                // A terminal whose program is gone answers EIO.
                guard count > 0 else { break }
                body(Array(buffer[..<count]))
            }
            close(descriptor)
            state.withLock { $0.openStreams -= 1 }
            onEnd()
        }
        thread.name = name
        thread.start()
    }

    private func awaitEnd() {
        let thread = Thread { [state, pid] in
            // Recorded before it is reaped, so that `kill` never meets a number that is free again. Reaping comes without the
            // lock: beside busy processes Linux 6.18 has spent minutes on taking one of them out of /proc.
            var information = unsafe siginfo_t()
            var usage = rusage()
            while unsafe segue_wait_for_child(pid, &information, WEXITED | WNOWAIT, &usage) != 0, errno == EINTR {}
            let number = unsafe information._sifields._sigchld.si_status
            let status: ExitStatus = unsafe information.si_code == CLD_EXITED ? .code(number) : .signal(number)
            state.withLock { $0.end = (status, usage) }
            _ = waitpid(pid, nil, 0)
        }
        thread.start()
    }
}

extension rusage {
    fileprivate var cpuSeconds: Double {
        Double(ru_utime.tv_sec + ru_stime.tv_sec) + Double(ru_utime.tv_usec + ru_stime.tv_usec) * 1e-6
    }
}
