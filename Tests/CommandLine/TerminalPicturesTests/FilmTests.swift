import AudioTypes
import Files
import Foundation
import PictureValues
import PictureWorkers
import Synchronization
import TerminalPictures
import TestSupport
import TestThreads
import Testing

/// A film's frames, from a worker in its sandbox.
@Suite(.blocking, .enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
struct FilmWorkerTests {
    private let canvas = TerminalCanvas(.symbols, columns: 80, rows: 30, cell: PixelSize(8, 16))

    private func worker(_ path: String) throws -> FilmWorker {
        try FilmWorker(Descriptor(path, .reading), program: builtProgram("segue-pictures"), threads: 2)
    }

    private func picture(_ frame: FilmWorker.Frame, _ screen: inout TerminalScreen) -> Bitmap? {
        screen.receive(frame.text)
        return screen.halfBlocks(rows: 0..<canvas.rows, columns: 0..<canvas.columns)
    }

    @Test(arguments: [
        ("film.mp4", Fixtures.usual + ["-preset", "veryfast", "-bf", "3"]),
        ("film.mkv", Fixtures.usual.dropLast(1) + ["flac"]),
        ("film.webm", ["-c:v", "libvpx", "-b:v", "2M", "-deadline", "realtime", "-c:a", "libopus"]),
        ("film.ts", ["-c:v", "mpeg2video", "-q:v", "2", "-c:a", "mp2"]),
    ])
    func everyFrameIsShownAtItsTime(name: String, options: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(name, seconds: 2, in: folder, options)
        let film = try worker(path)
        #expect(film.size == PixelSize(320, 240))
        var screen = TerminalScreen(columns: 80, rows: 30)
        var time = 0.0
        var begins: [Double] = []
        var frames: [Bitmap] = []
        while begins.count <= 60 {
            let frame = try #require(try film.frame(.init(at: time, isWhole: begins.isEmpty, on: canvas)))
            begins.append(frame.begin)
            frames.append(try #require(picture(frame, &screen)))
            guard let end = frame.end else { break }
            time = end
        }
        #expect(begins.count == 50)
        // As far as the container's clock and the sound's first samples let it be.
        for (number, begin) in begins.enumerated() { #expect(abs(begin - Double(number) / 25) < 0.035) }
        for number in [0, 1, 17, 49] {
            let expected = try Fixtures.frame(number, of: path, in: folder)
            #expect(frames[number].difference(to: expected) < 2.5, "frame \(number)")
        }
        #expect(frames[17].difference(to: frames[49]) > 2.5)
    }

    @Test func theVideoThatIsOrderedIsShown() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.angles(in: folder)
        // The sound is stream 1.
        for (ordered, stream) in [(0, 0), (2, 2), (nil, 2)] {
            let file = try Descriptor(path, .reading)
            let film = try FilmWorker(file, stream: ordered, program: builtProgram("segue-pictures"), threads: 1)
            #expect(film.stream == stream)
            var screen = TerminalScreen(columns: 80, rows: 30)
            // The sound begins a little before the pictures.
            let frame = try #require(try film.frame(.init(at: 1.03, isWhole: true, on: canvas)))
            let expected = try Fixtures.frame(25, of: path, video: stream / 2, in: folder)
            #expect(try #require(picture(frame, &screen)).difference(to: expected) < 2.5)
        }
        for stream in [1, 3, 1 << 40] {
            #expect(throws: PictureError.reported(PictureError.noVideo.description)) {
                _ = try FilmWorker(
                    Descriptor(path, .reading),
                    stream: stream,
                    program: builtProgram("segue-pictures"),
                    threads: 1
                )
            }
        }
    }

    /// Pixels are sent once, as long as they stay the same.
    @Test(arguments: [TerminalCanvas.Graphics.sixel, .kitty, .iterm])
    func aStillIsSentOnce(graphics: TerminalCanvas.Graphics) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("still.mkv")
        try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "color=red:s=64x48:d=2", "-c:v", "ffv1", path]
        )
        let canvas = TerminalCanvas(graphics, columns: 10, rows: 4, cell: PixelSize(8, 16))
        let film = try worker(path)
        let lengths = try [(0.0, true), (0.5, false), (1, false), (1.5, true)].map { time, isWhole in
            try #require(try film.frame(.init(at: time, isWhole: isWhole, on: canvas))).text.count
        }
        #expect(lengths[0] > 100 && lengths[3] == lengths[0])
        #expect(lengths[1] == 0 && lengths[2] == 0)
    }

    /// Over a network, kitty's pixels are sent deflated, and are the same.
    @Test func remoteFramesAreDeflated() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let frames = try [false, true].map { isRemote in
            let canvas = TerminalCanvas(.kitty, isRemote: isRemote, columns: 40, rows: 15, cell: PixelSize(8, 16))
            return try #require(try worker(path).frame(.init(at: 1, isWhole: true, on: canvas)))
        }
        #expect(frames[1].text.count < frames[0].text.count * 2 / 3, "\(frames.map(\.text.count))")
        let shown = frames.map { frame in
            var screen = TerminalScreen(columns: 80, rows: 30)
            screen.receive(frame.text)
            return screen.pictures.first?.bitmap
        }
        #expect(try #require(shown[0]).difference(to: try #require(shown[1])) == 0)
    }

    @Test func jumpsLandOnTheFrameThatIsShown() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let film = try worker(path)
        var screen = TerminalScreen(columns: 80, rows: 30)
        for (seconds, number) in [(3.05, 76), (0.5, 12), (3.99, 99), (1.0, 25), (100, 99), (0, 0)] {
            let frame = try #require(try film.frame(.init(at: seconds, isWhole: true, on: canvas)))
            #expect(abs(frame.begin - Double(number) / 25) < 0.001)
            let expected = try Fixtures.frame(number, of: path, in: folder)
            #expect(try #require(picture(frame, &screen)).difference(to: expected) < 2.5, "\(seconds) s")
        }
        // At once after a jump: the keyframe before, of which there is one each two seconds.
        let first = try #require(try film.frame(.init(at: 3.05, approach: .first, isWhole: true, on: canvas)))
        #expect(abs(first.begin - 2) < 0.001)
    }

    @Test func aFrameOnTheScreenIsNotMadeAgain() throws {
        let folder = try TemporaryFolder()
        let film = try worker(Fixtures.film(in: folder))
        let frame = try #require(try film.frame(.init(at: 1, isWhole: true, on: canvas)))
        let again = try #require(try film.frame(.init(at: 1.01, known: frame.begin, isWhole: false, on: canvas)))
        #expect(!frame.text.isEmpty && again.text.isEmpty && again.begin == frame.begin)
        let whole = try #require(try film.frame(.init(at: 1.01, isWhole: true, on: canvas)))
        #expect(whole.text == frame.text)
    }

    @Test func filmsAreTurnedUpright() throws {
        let folder = try TemporaryFolder()
        _ = try Fixtures.film(in: folder)
        // FFmpeg before 6.0 writes it from the metadata, later versions by an option of their own.
        for (name, before, after) in [
            ("a.mp4", [], ["-metadata:s:v", "rotate=90"]), ("b.mp4", ["-display_rotation", "270"], []),
        ] {
            let words = ["-v", "error"] + before + ["-i", folder.file("film.mp4"), "-c", "copy"] + after
            _ = try? ChildProcess.run("ffmpeg", words + [folder.file(name)])
        }
        let sizes = ["a.mp4", "b.mp4"].map { name in try? worker(folder.file(name)).size }
        #expect(sizes.contains(PixelSize(240, 320)))
    }

    @Test func aKeyframeBehindCanBeAskedFor() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let film = try worker(path)
        // A keyframe every two seconds.
        let frame = try #require(try film.frame(.init(at: 1.2, approach: .next, isWhole: true, on: canvas)))
        var screen = TerminalScreen(columns: 80, rows: 30)
        let expected = try Fixtures.frame(50, of: path, in: folder)
        #expect(abs(frame.begin - 2) < 0.001 && (picture(frame, &screen)?.difference(to: expected) ?? 255) < 2.5)
        #expect(try film.frame(.init(at: 3.5, approach: .next, isWhole: true, on: canvas)) == nil)
    }

    @Test func aProgramThatIsMissingSaysWhatBuildsIt() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let error = #expect(throws: PictureError.self) {
            _ = try FilmWorker(Descriptor(path, .reading), program: folder.file("segue-pictures"), threads: 1)
        }
        #expect(error?.description.contains("make build") == true)
    }

    @Test func theSoundIsCaughtUpWith() throws {
        let folder = try TemporaryFolder()
        let film = try worker(try Fixtures.film(in: folder))
        func begin(_ time: Double, _ clock: FilmOrder.Clock?) throws -> Double {
            try #require(try film.frame(.init(at: time, clock: clock, isWhole: true, on: canvas))).begin
        }
        #expect(try abs(begin(0.5, nil) - 0.48) < 0.001)
        // The frame that is shown then has begun already: the next one is in time.
        #expect(try begin(0.5, .init(time: 0.5, rate: 0.001)) > 0.5)
        // Time goes on while it is decoded.
        #expect(try begin(0.6, .init(time: 0.6, rate: 100)) > 0.7)
        #expect(FilmOrder.Clock(time: .infinity, rate: 1) == nil && FilmOrder.Clock(time: 1, rate: .nan) == nil)
    }

    /// A film's bytes as a network has them: a few at a time, and sometimes none.
    private final class Bytes: FilmBytes {
        let bytes: [UInt8]
        let size: Int?
        var failsAt: Int
        var asked = 0

        init(_ path: String, isSeekable: Bool, failsAt: Int = .max) throws {
            bytes = try FileBytes.read(path)
            (size, self.failsAt) = (isSeekable ? bytes.count : nil, failsAt)
        }

        struct IsGone: Error {}

        func read(at offset: Int, count: Int) throws -> [UInt8] {
            asked += 1
            if asked > failsAt { throw IsGone() }
            #expect(count <= FilmBytesRequest.limit)
            return Array(bytes[min(offset, bytes.count)...].prefix(min(count, 30_000)))
        }
    }

    @Test(arguments: [("film.mp4", true), ("film.mkv", true), ("film.ts", false)])
    func bytesAreAskedFor(name: String, isSeekable: Bool) throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(name, in: folder)
        let bytes = try Bytes(path, isSeekable: isSeekable)
        let film = try FilmWorker(bytes, program: builtProgram("segue-pictures"), threads: 2)
        var screen = TerminalScreen(columns: 80, rows: 30)
        for number in isSeekable ? [5, 90, 30] : [5, 60, 90] {
            let frame = try film.frame(.init(at: Double(number) / 25 + 0.03, isWhole: true, on: canvas))
            let shown = picture(try #require(frame), &screen)
            let expected = try Fixtures.frame(number, of: path, in: folder)
            #expect((shown?.difference(to: expected) ?? 255) < 2.5, "frame \(number)")
        }
    }

    @Test func whatEndedTheBytesIsTold() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film("film.ts", seconds: 20, in: folder)
        #expect(throws: Bytes.IsGone.self) {
            let none = try Bytes(path, isSeekable: true, failsAt: 0)
            _ = try FilmWorker(none, program: builtProgram("segue-pictures"), threads: 2)
        }
        let bytes = try Bytes(path, isSeekable: true)
        let film = try FilmWorker(bytes, program: builtProgram("segue-pictures"), threads: 2)
        bytes.failsAt = bytes.asked + 3
        #expect(throws: Bytes.IsGone.self) { _ = try film.frame(.init(at: 18, isWhole: true, on: canvas)) }
    }

    @Test(arguments: [
        "bytes -1 5", "bytes 5 0", "bytes 9223372036854775807 1", "bytes 1", "bytes 1 2 3", "bytes 1e300 4",
    ])
    func requestsThatNoFilmHasAreNone(_ text: String) { #expect(FilmBytesRequest(text) == nil) }

    @Test func mediaWithoutPicturesAreRefused() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film("a.flac", in: folder, ["-vn"])
        #expect(throws: PictureError.reported("has no picture")) { _ = try worker(path) }
    }
}

/// Films in time with a clock that the tests move.
@Suite(.blocking, .enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
struct FilmPresenterTests {
    /// What the presenter sees and does.
    private final class Stage: Sendable {
        let clock = Mutex((FilmPresenter.Clock(time: 0, rate: 0), ContinuousClock.now))
        let written = Watched([Bitmap]())
        let events = Watched([FilmPresenter.Event]())
        let screen = Mutex(TerminalScreen(columns: 80, rows: 30))

        /// The time goes on by itself from when it is set.
        func setClock(_ time: Double, rate: Double) {
            clock.withLock { $0 = (FilmPresenter.Clock(time: time, rate: rate), .now) }
        }

        var time: FilmPresenter.Clock {
            let (clock, since) = clock.withLock { $0 }
            return .init(
                time: clock.time + clock.rate * ((ContinuousClock.now - since) / .seconds(1)),
                rate: clock.rate
            )
        }

        func write(_ bytes: [UInt8]) {
            let picture = screen.withLock { screen in
                screen.receive(bytes)
                return screen.halfBlocks(rows: 0..<30, columns: 0..<80)
            }
            if let picture { written.withLock { $0.append(picture) } }
        }

        func presenter() -> FilmPresenter {
            FilmPresenter(
                clock: { [self] in time },
                write: { [self] in write($0) },
                tell: { [events] event in events.withLock { $0.append(event) } }
            )
        }
    }

    private let canvas = TerminalCanvas(.symbols, columns: 80, rows: 30, cell: PixelSize(8, 16))

    private func medium(_ path: String) throws -> FilmPresenter.Medium {
        .file(try #require(FilePath(bytes: path.utf8)))
    }

    @Test func aPausedFilmShowsTheFrameOfItsTime() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let stage = Stage()
        let presenter = stage.presenter()
        defer { presenter.finish() }
        stage.setClock(2.5, rate: 0)
        _ = try presenter.show(medium(path), offset: 0.5)
        #expect(await stage.events.wait(within: .patience) { $0 == [.opened(1, stream: 0)] })
        presenter.place(on: canvas)
        // The item begins half a second into the film.
        let expected = try Fixtures.frame(75, of: path, in: folder)
        #expect(await stage.written.wait(within: .patience) { ($0.last?.difference(to: expected) ?? 255) < 2.5 })
        #expect(abs((presenter.endOfFrame ?? 0) - 2.54) < 0.001)
        // A jump while paused shows the frame there.
        stage.setClock(0.5, rate: 0)
        presenter.recordChange()
        let earlier = try Fixtures.frame(25, of: path, in: folder)
        #expect(await stage.written.wait(within: .patience) { ($0.last?.difference(to: earlier) ?? 255) < 2.5 })
    }

    @Test func framesFollowTheSound() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let stage = Stage()
        let presenter = stage.presenter()
        _ = try presenter.show(medium(path), offset: 0)
        #expect(await stage.events.wait(within: .patience) { $0 == [.opened(1, stream: 0)] })
        presenter.place(on: canvas)
        #expect(await stage.written.wait(within: .patience) { !$0.isEmpty })
        // Slow enough for a busy machine: no frame may be left out, none comes twice.
        stage.setClock(0, rate: 0.25)
        presenter.recordChange()
        #expect(await stage.written.wait(within: .patience) { $0.count >= 25 })
        presenter.finish()
        let shown = stage.written.current
        let figures = presenter.figures
        for number in [5, 10, 20] {
            let expected = try Fixtures.frame(number, of: path, in: folder)
            #expect(shown.contains { $0.difference(to: expected) < 2.5 }, "frame \(number)")
        }
        #expect(figures.shown >= 25)
        for (one, next) in zip(shown.dropFirst(2), shown.dropFirst(3)) { #expect(one.difference(to: next) > 0) }
    }

    @Test func whatHasNoPicturesIsToldOnce() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film("a.flac", in: folder, ["-vn"])
        let stage = Stage()
        let presenter = stage.presenter()
        _ = try presenter.show(medium(path), offset: 0)
        #expect(await stage.events.wait(within: .patience) { $0 == [.failed(1, nil)] })
        _ = try presenter.show(medium(folder.file("missing.mp4")), offset: 0)
        #expect(await stage.events.wait(within: .patience) { $0.count == 2 })
        guard case .failed(2, let reason?) = stage.events.current[1] else {
            Issue.record("\(stage.events.current)")
            return
        }
        #expect(reason.hasSuffix("missing.mp4: No such file or directory"))
        presenter.finish()
        #expect(stage.written.current.isEmpty)
    }
}
