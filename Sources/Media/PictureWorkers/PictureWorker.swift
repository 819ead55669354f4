private import CLinux
internal import ChildPrograms
package import Files
private import Glibc
package import PictureValues
private import Synchronization
package import Threads

/// A picture as a file has it.
package struct EncodedPicture: Sendable {
    package let format: PictureFormat
    package let size: PixelSize
    package let bytes: [UInt8]
    /// Why a part of it is missing; `nil` when it is whole.
    package let damage: String?
}

/// A sandboxed process that decodes pictures, one after another; it is started when it is needed, and again when it ended.
///
/// All calls block, and belong to one thread at a time.
package final class PictureWorker: Sendable {
    private struct Running {
        let program: RunningProgram
        let socket: Int32
    }

    /// The program that is the worker with the argument `worker`.
    private let program: String
    private let running = Mutex<Running?>(nil)
    /// Whether what else runs goes before it.
    private let yields: Bool

    package init(program: String, yields: Bool = false) { (self.program, self.yields) = (program, yields) }

    deinit { end() }

    /// On a busy processor, a third of the share that other processes get.
    private static let niceness: Int32 = 5

    /// In bytes: what a worker may write for one picture.
    private static let largest = 128 << 20

    /// Makes a picture of an open file.
    ///
    /// A crash of the worker costs this picture alone.
    ///
    /// - Parameter cancellation: Ends the worker; must not be used after this call.
    package func make(
        _ order: PictureOrder,
        of source: borrowing Descriptor,
        _ cancellation: Cancellation? = nil
    ) throws(PictureError) -> EncodedPicture {
        try make(order, ofFiles: [source.number], cancellation)
    }

    /// Makes one picture of several.
    ///
    /// - Parameter parts: Encoded ones, as many as the order's layout has.
    func make(
        _ order: PictureOrder,
        ofParts parts: [[UInt8]],
        _ cancellation: Cancellation
    ) throws(PictureError) -> EncodedPicture {
        let files = parts.map { _ in segue_memory_file() }
        defer { for file in files where file >= 0 { close(file) } }
        for (file, part) in zip(files, parts) {
            do { try Descriptor(borrowing: file).write(part) } catch { throw .system("\(error)") }
        }
        return try make(order, ofFiles: files, cancellation)
    }

    private func make(
        _ order: PictureOrder,
        ofFiles files: [Int32],
        _ cancellation: Cancellation?
    ) throws(PictureError) -> EncodedPicture {
        let seconds = PictureLimits.seconds * order.frames
        let (size, bytes, damage) = try result(of: order.text, files, seconds: seconds, cancellation)
        return EncodedPicture(format: order.format, size: size, bytes: bytes, damage: damage)
    }

    /// Makes a picture of an open file, as text for a terminal.
    package func show(_ order: TerminalOrder, of source: borrowing Descriptor) throws(PictureError) -> TerminalPicture {
        let (size, bytes, damage) = try result(of: order.text, [source.number], seconds: PictureLimits.seconds)
        try Self.check(bytes)
        return TerminalPicture(columns: size.width, rows: size.height, text: bytes, damage: damage)
    }

    private func result(
        of order: String,
        _ sources: [Int32],
        seconds: Int,
        _ cancellation: Cancellation? = nil
    ) throws(PictureError) -> (size: PixelSize, bytes: [UInt8], damage: String?) {
        let result = try Self.memory()
        let answer = PictureAnswer(try ask(order, sources + [result.number], seconds: seconds, cancellation))
        switch answer {
        case .made(let size): return (size, try Self.contents(of: result), nil)
        case .partlyMade(let size, let damage): return (size, try Self.contents(of: result), damage)
        case .failed(let reason): throw .reported(reason)
        case .unable(let reason): throw .system(reason)
        case nil: throw .ended(end())
        }
    }

    /// A file in memory, for a worker to write to.
    static func memory() throws(PictureError) -> Descriptor {
        let file = Descriptor(adopting: segue_memory_file())
        guard file.number >= 0 else { throw .system("out of memory") }
        return file
    }

    /// Bytes as an open file.
    package static func file(with bytes: [UInt8]) throws(PictureError) -> Descriptor {
        let file = try memory()
        do { try file.write(bytes) } catch { throw .system("\(error)") }
        return file
    }

    /// A worker that a file has taken over could make the terminal do anything.
    static func check(_ text: [UInt8]) throws(PictureError) {
        if !TerminalSequences.onlyDraw(text) { throw .system("the decoder sends what is no picture") }
    }

    static func contents(of file: borrowing Descriptor) throws(PictureError) -> [UInt8] {
        do throws(SystemError) {
            let count = try file.status.size
            guard count <= largest else { throw .tooLarge }
            return try file.bytes(at: 0, count: count)
        } catch {
            throw .system("\(error)")
        }
    }

    /// Sends an order and waits for the answer; the worker is started when there is none.
    ///
    /// - Parameters:
    ///   - seconds: The longest wait; it ends the worker.
    ///   - cancellation: Ends the worker.
    ///   - isFirst: Whether the worker may be another one than before; otherwise it fails if that has ended meanwhile.
    ///   - reply: Answers what the worker asks meanwhile, which begins its time again; `nil` for what is no question.
    /// - Throws: Also what ended the worker meanwhile.
    func ask(
        _ order: String,
        _ files: [Int32],
        seconds: Int,
        _ cancellation: Cancellation? = nil,
        isFirst: Bool = true,
        reply: (String) -> String? = { _ in nil }
    ) throws(PictureError) -> String {
        let socket = MessageSocket(Descriptor(borrowing: try started(isFirst: isFirst).socket))
        cancellation?.onCancel { [self] in kill() }
        do throws(SystemError) {
            try socket.send(order, files)
            while true {
                guard socket.waitForMessage(.seconds(seconds)) else {
                    end()
                    throw SystemError(ETIMEDOUT)
                }
                guard let message = try socket.receive() else { break }
                // None are expected, and none are kept.
                for file in message.files { close(file) }
                guard let answer = reply(message.text) else { return message.text }
                try socket.send(answer)
            }
        } catch {
            if error.number == ETIMEDOUT { throw .tookTooLong(seconds: seconds) }
            guard error.number == EPIPE || error.number == ECONNRESET else {
                // Its answer would be taken for that to the next order.
                end()
                throw .system("\(error)")
            }
        }
        throw .ended(end())
    }

    private func started(isFirst: Bool) throws(PictureError) -> Running {
        if let known = running.withLock({ $0 }) {
            if !MessageSocket(Descriptor(borrowing: known.socket)).isClosed { return known }
            // It ended while it had nothing to do.
            let reason = end()
            if !isFirst { throw .ended(reason) }
        }
        do {
            let nothing = try Descriptor("/dev/null", .appending)
            let ends = try MessageSocket.pair()
            let (ours, theirs) = (ends[0], ends[1])
            defer { close(theirs) }
            var start = ProgramStart([program, "worker"])
            start.streams = .init(input: theirs, output: nothing.number, errors: nothing.number)
            // It sets limits for each picture itself.
            var limits = ProgramLimits(seconds: 1 << 20, fileBytes: Self.largest)
            limits.memoryBytes = 3 << 30
            start.limits = limits
            do {
                let made = Running(program: try start.run(), socket: ours)
                // Where that is not allowed, it decodes as everything else runs.
                if yields {
                    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), id_t(made.program.id), Self.niceness)
                }
                running.withLock { $0 = made }
                return made
            } catch {
                close(ours)
                throw SystemError(error.number)
            }
        } catch {
            let remedy =
                (error as? SystemError)?.number == ENOENT ? "; it is a part of Segue that 'make build' builds" : ""
            throw .system("cannot start \(program): \(error)\(remedy)")
        }
    }

    /// Ends the process at once, and leaves it to ``end()`` to wait for that; may be called from any thread.
    private func kill() {
        // With the lock held, so that the number is not another process's by now.
        running.withLock { $0?.program.send(SIGKILL) }
    }

    /// Ends the process, if there is one.
    ///
    /// - Returns: How it ended, for a message.
    @discardableResult
    func end() -> String {
        guard let process = running.withLock({ $0.take() }) else { return "is not there" }
        close(process.socket)
        // One that ended by itself has a reason; one that has not is ended now.
        if let end = Self.end(of: process.program, pauses: 20) { return Self.reason(end) }
        process.program.send(SIGKILL)
        if let end = Self.end(of: process.program, pauses: 100) { return Self.reason(end) }
        // It reads from a disk that does not answer, and ends when that does.
        WorkThread.startWhenPossible(named: "segue-picture") {
            process.program.waitForEnd()
        }
        return "cannot be ended"
    }

    /// - Parameter pauses: How many milliseconds its end is waited for.
    private static func end(of program: RunningProgram, pauses: Int) -> RunningProgram.End? {
        for _ in 0..<pauses {
            if case .ended(let end) = program.change() { return end }
            usleep(1_000)
        }
        return nil
    }

    private static func reason(_ end: RunningProgram.End) -> String {
        switch end {
        case .exited(let status): "ended with status \(status)"
        case .signalled(SIGXCPU): "took too much time"
        case .signalled(SIGKILL): "was ended"
        case .signalled(let signal): "crashed (\(unsafe String(cString: strsignal(signal))))"
        }
    }
}
