import CSeccomp
import Files
import Glibc
import PictureDecoding
import PictureValues
import PictureWorkers

/// A worker: takes orders from standard input, which is a socket, until its other end is closed.
struct PictureWork {
    /// The film whose frames are asked for one after another.
    private var reel: FilmReel?
    /// The file that it is read from.
    private var film: Int32 = -1
    /// How long the last frame took from a picture to its text, in seconds.
    private var drawing = 0.0

    static func run() -> Never {
        // Codecs load their parts now: later nothing can be opened.
        PictureDecoder.prepare()
        let code = segue_confine()
        var work = PictureWork()
        let socket = MessageSocket(Descriptor(borrowing: STDIN_FILENO))
        while let message = try? socket.receive() {
            let answer =
                code == 0
                ? work.answer(message.text, message.files)
                : PictureAnswer.unable("there is no sandbox: \(SystemError(code))").text
            for file in message.files where file != work.film { close(file) }
            do { try socket.send(answer) } catch { exit(0) }
        }
        exit(0)
    }

    private mutating func answer(_ text: String, _ files: [Int32]) -> String {
        limitTime(PictureLimits.seconds)
        do throws(PictureError) {
            if let order = PictureOrder(text),
                files.count == (order.layout == .mosaic ? PictureLayout.mosaicParts : 1) + 1
            {
                return try make(order, files).text
            }
            if let order = TerminalOrder(text), files.count == 2 {
                return try show(order, files).text
            }
            if let order = FilmOrder(text), files.count == 1 { return try answer(order, files[0]).text }
            return PictureAnswer.failed("the order is not understood").text
        } catch {
            return PictureAnswer.failed("\(error)").text
        }
    }

    private func make(_ order: PictureOrder, _ files: [Int32]) throws(PictureError) -> PictureAnswer {
        limitTime(PictureLimits.seconds * order.frames)
        let picture = try picture(order, files.dropLast())
        try PictureEncoder.write(picture, as: order.format, quality: order.quality, to: files[files.count - 1])
        return answer(picture.size, picture.damage)
    }

    private func answer(_ size: PixelSize, _ damage: String?) -> PictureAnswer {
        damage.map { .partlyMade(size, $0) } ?? .made(size)
    }

    private func picture(_ order: PictureOrder, _ files: ArraySlice<Int32>) throws(PictureError) -> Bitmap {
        var request = PictureDecoder.Request(side: order.side)
        (request.moment, request.isExact, request.isOfCover) = (order.moment, order.isExact, order.isOfCover)
        return switch order.layout {
        case .mosaic: try PictureDecoder.mosaic(of: Array(files))
        case .square: try PictureDecoder.square(of: files[0], request)
        case .whole where order.frames == 1: try PictureDecoder.picture(of: files[0], request)
        case .whole: try PictureDecoder.strip(of: files[0], request, frames: order.frames)
        }
    }

    private func show(_ order: TerminalOrder, _ files: [Int32]) throws(PictureError) -> PictureAnswer {
        var request = PictureDecoder.Request(side: order.canvas.pixels.longestSide)
        (request.moment, request.isOfCover) = (order.moment, order.isOfCover)
        var picture = try PictureDecoder.picture(of: files[0], request)
        let canvas = order.canvas.fitted(to: picture.size, enlarges: false)
        // Only now the picture's shape is known; pixels that the terminal would scale away are not sent to it.
        if picture.size.longestSide > canvas.pixels.longestSide {
            request.side = canvas.pixels.longestSide
            picture = try PictureDecoder.picture(of: files[0], request)
        }
        try PictureEncoder.write(TerminalEncoder.text(showing: picture, on: canvas), to: files[1])
        return answer(try size(canvas.columns, canvas.rows), picture.damage)
    }

    private mutating func answer(_ order: FilmOrder, _ file: Int32) throws(PictureError) -> FilmAnswer {
        switch order {
        case .open(let source, let stream, let threads):
            reel = nil
            if film >= 0 { close(film) }
            film = file
            let opened = try FilmReel(bytes(of: source, in: file), stream: stream, threads: threads)
            guard let size = opened.size else { throw .noVideo }
            reel = opened
            return .opened(size, stream: opened.stream)
        case .frame(let frame):
            guard let reel else { throw .noVideo }
            guard let span = try advance(reel, to: frame) else { return .nothing }
            if let known = frame.known, known == span.begin { return .frame(begin: span.begin, end: span.end) }
            let begin = ContinuousClock.now
            let text = try reel.text(on: frame.canvas, column: frame.column, row: frame.row, isWhole: frame.isWhole)
            drawing = (.now - begin) / .seconds(1)
            guard ftruncate(file, 0) == 0, lseek(file, 0, SEEK_SET) == 0 else { throw .system("out of memory") }
            try PictureEncoder.write(text, to: file)
            return .frame(begin: span.begin, end: span.end)
        }
    }

    /// Goes to the frame that is wanted, or, where the sound is to be caught up with, to one that is in time with it.
    private func advance(_ reel: FilmReel, to order: FilmOrder.Frame) throws(PictureError) -> FilmReel.Span? {
        let start = ContinuousClock.now
        if order.approach == .next { return try reel.advance(toKeyframeAfter: order.time) }
        var span = try reel.advance(to: order.time, isFirst: order.approach == .first)
        guard let clock = order.clock, order.approach == .exact else { return span }
        // A decoder that is too slow for a film shows it late.
        for _ in 0..<Self.attempts {
            let now = clock.time + ((.now - start) / .seconds(1) + drawing) * clock.rate
            guard let begin = span?.begin, let end = span?.end, begin < now, end - now < Self.nearness else { break }
            span = try reel.advance(to: max(now, end), isFirst: false)
        }
        return span
    }

    private static let attempts = 6
    /// In seconds: frames are waited for that begin so soon.
    private static let nearness = 0.05

    private func bytes(of source: FilmOrder.Source, in file: Int32) throws(PictureError) -> FilmSource {
        switch source {
        case .file: try FilmSource.file(file)
        case .orderer(let size):
            unsafe FilmSource(size: size) { offset, bytes in
                guard let request = FilmBytesRequest(offset: offset, count: bytes.count) else { return 0 }
                let socket = MessageSocket(Descriptor(borrowing: STDIN_FILENO))
                // Without the one who ordered there is nothing left to do.
                guard (try? socket.send(request.text)) != nil, let reply = try? socket.receive() else { exit(0) }
                guard let count = Int(reply.text), count > 0 else { return Int(reply.text) ?? -1 }
                return unsafe pread(file, bytes.baseAddress, min(count, request.count), 0)
            }
        }
    }

    private func size(_ width: Int, _ height: Int) throws(PictureError) -> PixelSize {
        guard let size = PixelSize(width, height) else { throw .damaged("it has no pixels") }
        return size
    }

    /// Lets the kernel end this process when it needs more than so many seconds of processor time from now on.
    private func limitTime(_ seconds: Int) {
        var usage = rusage()
        var limit = rlimit()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0, unsafe getrlimit(__rlimit_resource_t(0), &limit) == 0
        else { return }
        let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        limit.rlim_cur = min(limit.rlim_max, rlim_t(used + seconds + 1))
        _ = unsafe setrlimit(__rlimit_resource_t(0), &limit)
    }
}
