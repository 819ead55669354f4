import AudioTypes
import FFmpegValues
import Glibc
import MediaCoding
import TestSupport
import Testing
import Threads

/// A FIFO that is played is opened once, and an interrupt ends its opening while no program writes to it.
@Suite struct PipeInputTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("pipe")
        unsafe try #require(mkfifo(path, 0o600) == 0)
    }

    /// Opens the FIFO on a thread of its own, and tells of the result.
    private func open(_ interrupt: Interrupt) -> Watched<Result<Void, any Error>?> {
        let result = Watched<Result<Void, any Error>?>(nil)
        WorkThread.startWhenPossible(named: "test-opens") { [path] in
            let opened = Result { _ = try MediaReader.open(MediaEntry(location: path), interrupt: interrupt) }
            result.withLock { $0 = opened }
        }
        return result
    }

    /// A reader that comes and goes would end a program that waits to write.
    @Test func itIsOpenedOnce() async throws {
        let watch = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        defer { close(watch) }
        unsafe try #require(inotify_add_watch(watch, path, UInt32(IN_OPEN | IN_CLOSE_NOWRITE)) >= 0)
        let file = folder.file("noise.wav")
        try WaveFile.write(Signal.noise(frames: 44_100), sampleRate: 44_100, to: file)
        let opening = open(Interrupt())
        let writer = try ChildProcess("dd", ["if=\(file)", "of=\(path)", "bs=64k"])
        #expect(await opening.wait(within: .patience) { $0 != nil })
        try opening.current?.get()
        writer.end()
        var events = [UInt8](repeating: 0, count: 4_096)
        let count = unsafe read(watch, &events, events.count)
        try #require(count > 0)
        // Without a name each event is as long as its header (inotify(7)); the mask is its second field.
        let masks = stride(from: 0, to: count, by: 16).map { UInt32(events[$0 + 4]) | UInt32(events[$0 + 5]) << 8 }
        // Of equal events one after the other only one is told.
        #expect(masks.count { $0 & UInt32(IN_CLOSE_NOWRITE) != 0 } == 1)
    }

    @Test func itsOpeningIsInterruptedWhileNobodyWrites() async throws {
        let interrupt = Interrupt()
        let opening = open(interrupt)
        #expect(await !opening.wait(within: .milliseconds(50)) { $0 != nil })
        interrupt.raise()
        #expect(await opening.wait(within: .patience) { $0 != nil })
        #expect { try opening.current?.get() } throws: { ($0 as? FFmpegError)?.isInterruption == true }
    }
}
