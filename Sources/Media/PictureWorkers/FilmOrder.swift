package import PictureValues

/// A request for a film's frames, as one message.
package enum FilmOrder: Sendable, Hashable {
    /// The choice of the frame for a moment.
    package enum Approach: String, Sendable, Hashable {
        /// The one that is shown then.
        case exact
        /// After a jump also the keyframe before, which is there sooner.
        case first
        /// The next keyframe: what comes before it is not decoded.
        case next
    }

    /// The sound's time.
    package struct Clock: Sendable, Hashable {
        /// In seconds.
        package let time: Double
        /// Seconds of it in one second: more than 0, at most 100.
        package let rate: Double

        /// - Returns: `nil` for a clock that stands still.
        package init?(time: Double, rate: Double) {
            guard time.isFinite, abs(time) < 1e9, rate > 0, rate <= 100 else { return nil }
            (self.time, self.rate) = (time, rate)
        }
    }

    package struct Frame: Sendable, Hashable {
        /// The moment whose frame is wanted, in seconds of the film's sound.
        package var time: Double
        /// The sound's time at which the frame can be on the screen, but for its decoding, when it is to be caught up with: the
        /// frame that is shown then is wanted, or the next one if that is near.
        package var clock: Clock?
        package var approach: Approach
        /// When the frame that is on the screen began, in seconds: it is not made again.
        package var known: Double?
        /// Whether the screen was cleared.
        package var isWhole: Bool
        /// Where the picture begins on the screen; the first column and row are 1.
        package var column, row: Int
        package var canvas: TerminalCanvas

        package init(
            at time: Double,
            clock: Clock? = nil,
            approach: Approach = .exact,
            known: Double? = nil,
            isWhole: Bool,
            column: Int = 1,
            row: Int = 1,
            on canvas: TerminalCanvas
        ) {
            self.time = time.isFinite ? min(max(time, 0), 1e9) : 0
            self.clock = clock
            (self.approach, self.known, self.isWhole, self.canvas) = (approach, known, isWhole, canvas)
            (self.column, self.row) = (
                min(TerminalCanvas.limit, max(1, column)), min(TerminalCanvas.limit, max(1, row))
            )
        }
    }

    /// Where the film's bytes come from.
    package enum Source: Sendable, Hashable {
        /// The order's file.
        case file
        /// The one who orders, who is asked for them by ``FilmBytesRequest``s and puts them into the order's file; `nil` when
        /// they can only be read in order.
        case orderer(size: Int?)

        fileprivate var text: String {
            switch self {
            case .file: "file"
            case .orderer(let size): size.map(String.init) ?? "stream"
            }
        }

        fileprivate init?(_ text: Substring) {
            switch text {
            case "file": self = .file
            case "stream": self = .orderer(size: nil)
            default:
                guard let size = Int(text), size >= 0 else { return nil }
                self = .orderer(size: size)
            }
        }
    }

    /// Shows a stream of the film, or the one that is best, and decodes with so many threads.
    case open(Source, stream: Int?, threads: Int)
    case frame(Frame)

    var isOpening: Bool { if case .open = self { true } else { false } }

    package var text: String {
        switch self {
        case .open(let source, let stream, let threads):
            return "open \(source.text) \(stream.map(String.init) ?? "best") \(threads)"
        case .frame(let frame):
            let flags = "\(frame.approach.rawValue) \(frame.isWhole ? "whole" : "changes")"
            let known = frame.known.map { "\($0)" } ?? "-"
            let clock = frame.clock.map { "\($0.time) \($0.rate)" } ?? "0 0"
            return "frame \(frame.time) \(clock) \(flags) \(known) \(frame.column) \(frame.row) \(frame.canvas.text)"
        }
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        switch words.first {
        case "open":
            guard words.count == 4, let source = Source(words[1]), let threads = Int(words[3]) else { return nil }
            let stream = Int(words[2])
            guard words[2] == "best" || stream.map({ $0 >= 0 }) == true else { return nil }
            self = .open(source, stream: stream, threads: threads)
        case "frame":
            guard words.count == 9 + TerminalCanvas.wordCount, let time = Double(words[1]),
                let clock = Double(words[2]), let rate = Double(words[3]),
                let approach = Approach(rawValue: String(words[4])), let column = Int(words[7]),
                let row = Int(words[8]), let canvas = TerminalCanvas(words[9...])
            else { return nil }
            self = .frame(
                Frame(
                    at: time,
                    clock: Clock(time: clock, rate: rate),
                    approach: approach,
                    known: Double(words[6]),
                    isWhole: words[5] == "whole",
                    column: column,
                    row: row,
                    on: canvas
                )
            )
        default: return nil
        }
    }
}

/// The answer to a ``FilmOrder``, as one message.
package enum FilmAnswer: Sendable, Hashable {
    /// The film's size, upright and in square pixels, and the stream that is shown.
    case opened(PixelSize, stream: Int)
    /// When the frame is shown, in seconds; the last one has no end.
    case frame(begin: Double, end: Double?)
    /// The film has no frames.
    case nothing

    package var text: String {
        switch self {
        case .opened(let size, let stream): "opened \(size.width) \(size.height) \(stream)"
        case .frame(let begin, let end): "frame \(begin) \(end.map { "\($0)" } ?? "-")"
        case .nothing: "nothing"
        }
    }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        switch words.first {
        case "opened":
            guard words.count == 4, let width = Int(words[1]), let height = Int(words[2]),
                let size = PixelSize(width, height), let stream = Int(words[3]), stream >= 0
            else { return nil }
            self = .opened(size, stream: stream)
        case "frame":
            guard words.count == 3, let begin = Double(words[1]), begin.isFinite else { return nil }
            let end = Double(words[2])
            if let end, !end.isFinite { return nil }
            self = .frame(begin: begin, end: end)
        case "nothing": self = .nothing
        default: return nil
        }
    }
}

/// A worker's question to the one who ordered a film, as one message; the reply is the number of bytes at
/// the beginning of the film's file.
package struct FilmBytesRequest: Sendable, Hashable {
    /// In bytes of the film.
    package let offset: Int
    /// 1 to ``limit``.
    package let count: Int

    /// In bytes.
    package static let limit = 256 << 10

    /// - Returns: `nil` for places that no film has.
    package init?(offset: Int64, count: Int) {
        guard offset >= 0, offset < Int64.max - Int64(Self.limit), count > 0 else { return nil }
        (self.offset, self.count) = (Int(offset), min(Self.limit, count))
    }

    package var text: String { "bytes \(offset) \(count)" }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 3, words[0] == "bytes", let offset = Int64(words[1]), let count = Int(words[2]) else {
            return nil
        }
        self.init(offset: offset, count: count)
    }
}
