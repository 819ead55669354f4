import Files
import Foundation
import Glibc
import PictureValues
import PictureWorkers
import Synchronization
import TestSupport
import TestThreads
import Testing
import Threads

extension WorkerTests {
    /// Pictures that several threads want, made by real workers.
    @Suite struct PictureStoreTests {
        private let folder: TemporaryFolder
        private let store: PictureStore

        /// A strip of many frames takes long, each of them far from a keyframe.
        private let slow = PictureOrder(side: 80, isExact: true, frames: 12)

        init() throws {
            folder = try TemporaryFolder()
            store = PictureStore(program: try workerProgram(), workers: 1, folder: folder.file("kept"))
            for (name, words) in [
                ("film.mkv", ["-t", "20", "-g", "500"]), ("other.mkv", ["-t", "19", "-g", "500"]),
                ("a.png", ["-frames:v", "1"]),
            ] {
                let input = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360", "-preset", "ultrafast"]
                try ChildProcess.run("ffmpeg", input + words + [folder.file(name)])
            }
        }

        private typealias Result = Swift.Result<[UInt8], PictureError>

        /// Asks on a thread of its own.
        private func ask(
            _ name: String,
            _ order: PictureOrder,
            _ priority: PicturePriority = .visible,
            _ cancellation: Cancellation = Cancellation()
        ) throws -> Asked {
            let asked = Asked()
            let path = folder.file(name)
            try WorkThread.start(named: "test") { [store] in
                do {
                    let file = try Descriptor(path, .reading)
                    asked.end(.success(try store.picture(order, of: file, priority, cancellation)))
                } catch {
                    asked.end(.failure(error as? PictureError ?? .system("\(error)")))
                }
            }
            return asked
        }

        private final class Asked: Sendable {
            private let state = Monitor<(Result, ContinuousClock.Instant)?>(nil)
            func end(_ result: Result) { state.change { $0 = (result, .now) } }
            var result: Result { state.wait { $0 }.0 }
            var end: ContinuousClock.Instant { state.wait { $0 }.1 }
            var isCancelled: Bool { result == .failure(.cancelled) }
            var isThere: Bool { state.read { $0 != nil } }
        }

        private func untilAWorkerDecodes() throws {
            var before: [Int32: Int] = [:]
            try wait(for: "a worker that decodes") {
                for id in try workers() {
                    let ticks = try cpuTicks(id)
                    if let known = before[id], ticks > known + 5 { return true }
                    before[id] = before[id] ?? ticks
                }
                return false
            }
        }

        private func cpuTicks(_ id: Int32) throws -> Int {
            let stat = try String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)
            let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
            return (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0)
        }

        @Test(.enabled("ffmpeg is not installed") { WorkerTests.missing.isEmpty })
        func isCancelledAtOnceWhenTheLastLeaves() throws {
            var times: [Duration] = []
            for _ in 0..<3 {
                let (first, second) = (Cancellation(), Cancellation())
                let maker = try ask("film.mkv", slow, .visible, first)
                try untilAWorkerDecodes()
                let other = try ask("film.mkv", slow, .visible, second)
                try wait(for: "the other one to wait") { try threadsThatWait() == 1 }
                let id = try #require(try workers().first)
                // The other one still waits for it.
                second.cancel()
                #expect(other.isCancelled)
                #expect(try workers() == [id] && !maker.isThere)
                let start = ContinuousClock.now
                first.cancel()
                #expect(maker.isCancelled)
                times.append(maker.end - start)
                #expect(try !workers().contains(id))
                // It is no failure, and the next one is made at once.
                let next = try Descriptor(folder.file("a.png"), .reading)
                #expect(try store.picture(PictureOrder(side: 100), of: next).count > 100)
            }
            #expect(try #require(times.min()) < .milliseconds(500), "\(times)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("kept")).count == 1)
        }

        @Test(.enabled("ffmpeg is not installed") { WorkerTests.missing.isEmpty })
        func theOneWhoLoadsMayLeave() throws {
            let leaving = Cancellation()
            let maker = try ask("film.mkv", slow, .visible, leaving)
            try untilAWorkerDecodes()
            let other = try ask("film.mkv", slow)
            let ids = try workers()
            try wait(for: "both to wait") { try threadsThatWait() == 1 }
            leaving.cancel()
            #expect(try other.result.get().count > 1_000)
            #expect(try workers() == ids)
            _ = maker.result
        }

        /// Threads named by ``ask``, but for those that decode.
        private func threadsThatWait() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").filter { id in
                let name = try? String(contentsOfFile: "/proc/self/task/\(id)/comm", encoding: .utf8)
                let place = try? String(contentsOfFile: "/proc/self/task/\(id)/wchan", encoding: .utf8)
                return name == "test\n" && place?.hasPrefix("futex") == true
            }.count
        }

        @Test(.enabled("ffmpeg is not installed") { WorkerTests.missing.isEmpty })
        func whatIsPrefetchedWaits() throws {
            let first = try ask("film.mkv", slow)
            try untilAWorkerDecodes()
            let prefetched = try ask("other.mkv", slow, .prefetched)
            try wait(for: "the prefetched one to wait") { try threadsThatWait() == 1 }
            let seen = try ask("a.png", PictureOrder(side: 100))
            _ = try seen.result.get()
            #expect(first.isThere && !prefetched.isThere)
            #expect(try prefetched.result.get().count > 1_000)
            #expect(seen.end < prefetched.end)
        }

        @Test(.enabled("ffmpeg is not installed") { WorkerTests.missing.isEmpty })
        func whatIsDamagedIsNotTriedAgainUntilItChanges() throws {
            let path = try folder.write("bad.jpg", [0xff, 0xd8, 0xff, 0xe0, 0, 0, 0, 0, 0])
            func made() throws -> Result {
                let file = try Descriptor(path, .reading)
                do { return .success(try store.picture(PictureOrder(side: 10), of: file)) } catch {
                    return .failure(error)
                }
            }
            let first = try made()
            #expect(throws: PictureError.self) { try first.get() }
            for id in try workers() { kill(id, SIGKILL) }
            try wait(for: "the workers' ends") { try workers().isEmpty }
            // Without a worker.
            #expect(try made() == first)
            #expect(try workers().isEmpty)
            try ChildProcess.run("ffmpeg", ["-v", "error", "-y", "-i", folder.file("a.png"), path])
            #expect(try made().get().count > 10)
        }
    }
}
