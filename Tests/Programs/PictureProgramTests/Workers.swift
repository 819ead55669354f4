import Files
import Foundation
import Glibc
import PictureValues
import PictureWorkers
import TestSupport
import TestThreads
import Testing

/// The program of workers, by a name of its own: other tests have workers in this process, too.
private let workerFolder = Result { try TemporaryFolder() }

func workerProgram() throws -> String {
    let link = try workerFolder.get().file("looked-at-pictures")
    if !FileManager.default.fileExists(atPath: link) {
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: try builtProgram("segue-pictures")
        )
    }
    return link
}

/// The workers that these tests started in this process.
func workers() throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap(Int32.init).filter { id in
        guard let stat = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let line = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)
        else { return false }
        let parent = stat.split(separator: ")").last?.split(separator: " ").dropFirst().first
        return parent == "\(getpid())" && line.hasSuffix("looked-at-pictures\0worker\0")
    }
}

/// Workers, one after another, as each looks at all of this process.
@Suite(.blocking, .serialized) struct WorkerTests {
    static let missing = (try? ChildProcess.run("sh", ["-c", "command -v ffmpeg"])) == nil ? ["ffmpeg"] : []

    /// A worker is confined, costs one picture when it ends, and is started again.
    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func workersAreConfinedAndReplaced() throws {
        let folder = try TemporaryFolder()
        let words = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=400x300", "-frames:v", "1"]
        try ChildProcess.run("ffmpeg", words + [folder.file("a.png")])
        let worker = PictureWorker(program: try workerProgram())
        let source = try Descriptor(folder.file("a.png"), .reading)
        func make() throws -> PixelSize { try worker.make(PictureOrder(side: 40), of: source).size }
        #expect(try make() == PixelSize(40, 30))
        let id = try #require(try workers().first)
        let status = try String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)
        #expect(status.contains("Seccomp:\t2") && status.contains("NoNewPrivs:\t1"), "\(status)")
        kill(id, SIGKILL)
        try wait(for: "its end") {
            (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8))?.contains(") Z ") != false
        }
        #expect(try make() == PixelSize(40, 30))
        // The same worker serves all that follow.
        let next = try workers()
        #expect(try make() == PixelSize(40, 30))
        #expect(try workers() == next)
    }
}
