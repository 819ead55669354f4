package import Files
package import PictureValues

/// The bytes of a film that is no file, such as one on the network.
///
/// All calls belong to one thread at a time.
package protocol FilmBytes {
    /// Bytes of the whole; `nil` when they can only be read in order.
    var size: Int? { get }

    /// Waits for bytes at a place.
    ///
    /// - Returns: As many as there are by then, up to `count`; none at the end.
    func read(at offset: Int, count: Int) throws -> [UInt8]
}

/// A sandboxed process that decodes one film, frame by frame, as text for a terminal.
///
/// All calls block, and belong to one thread at a time.
package final class FilmWorker {
    /// A frame as text.
    package struct Frame: Sendable {
        /// When it is shown, in seconds of the film's sound; the last frame has no end.
        package let begin: Double
        package let end: Double?
        /// Empty when the frame is on the screen already.
        package let text: [UInt8]
    }

    private let worker: PictureWorker
    /// The bytes that the process asks for; `nil` for a file.
    private let bytes: (any FilmBytes)?
    /// Where it finds that.
    private let window: Descriptor
    /// The film's size, upright and in square pixels.
    package let size: PixelSize
    /// The index of the stream that is shown.
    package let stream: Int

    /// In bytes: what the process may ask for to answer one order.
    private static let mostBytes = 512 << 20

    /// Opens a film.
    ///
    /// - Parameters:
    ///   - stream: The index of the stream to show; `nil` for the one that is best.
    ///   - program: The one that decodes.
    ///   - threads: How many of its threads decode at once.
    package init(
        _ film: borrowing Descriptor,
        stream: Int? = nil,
        program: String,
        threads: Int
    ) throws(PictureError) {
        (worker, bytes) = (PictureWorker(program: program), nil)
        window = try PictureWorker.memory()
        let order = FilmOrder.open(.file, stream: stream, threads: threads)
        (size, self.stream) = try Self.opened(
            try worker.ask(order.text, [film.number], seconds: PictureLimits.seconds)
        )
    }

    /// Opens a film whose bytes the process asks for.
    ///
    /// - Parameters:
    ///   - bytes: Is asked only while a call waits.
    ///   - stream: The index of the stream to show; `nil` for the one that is best.
    ///   - program: The one that decodes.
    ///   - threads: How many of its threads decode at once.
    /// - Throws: Also what `bytes` throws.
    package init(_ bytes: any FilmBytes, stream: Int? = nil, program: String, threads: Int) throws {
        (worker, self.bytes) = (PictureWorker(program: program), bytes)
        window = try PictureWorker.memory()
        let order = FilmOrder.open(.orderer(size: bytes.size), stream: stream, threads: threads)
        (size, self.stream) = try Self.opened(try Self.ask(worker, order, window, bytes, window))
    }

    private static func opened(_ answer: String) throws(PictureError) -> (PixelSize, stream: Int) {
        guard case .opened(let size, let stream) = FilmAnswer(answer) else { throw error(answer) }
        return (size, stream)
    }

    /// The frame that is shown at a moment.
    ///
    /// - Returns: `nil` when the film has none.
    /// - Throws: Also what a film's bytes throw.
    package func frame(_ order: FilmOrder.Frame) throws -> Frame? {
        let result = try PictureWorker.memory()
        let text =
            if let bytes {
                try Self.ask(worker, .frame(order), result, bytes, window)
            } else {
                try worker.ask(
                    FilmOrder.frame(order).text,
                    [result.number],
                    seconds: PictureLimits.seconds,
                    isFirst: false
                )
            }
        switch FilmAnswer(text) {
        case .frame(let begin, let end):
            let text = try PictureWorker.contents(of: result)
            try PictureWorker.check(text)
            return Frame(begin: begin, end: end, text: text)
        case .nothing: return nil
        default: throw Self.error(text)
        }
    }

    /// Sends an order and gives the process the bytes that it asks for meanwhile.
    private static func ask(
        _ worker: PictureWorker,
        _ order: FilmOrder,
        _ file: borrowing Descriptor,
        _ bytes: any FilmBytes,
        _ window: borrowing Descriptor
    ) throws -> String {
        var failure: (any Error)?
        var left = mostBytes
        let window = window.number
        let answer = try worker.ask(
            order.text,
            [file.number],
            seconds: PictureLimits.seconds,
            isFirst: order.isOpening
        ) { question in
            guard let request = FilmBytesRequest(question) else { return nil }
            do {
                guard failure == nil, left > 0 else { return "-1" }
                let found = try bytes.read(at: request.offset, count: request.count)
                left -= found.count
                try Descriptor(borrowing: window).write(found, at: 0)
                return "\(found.count)"
            } catch {
                failure = error
                return "-1"
            }
        }
        if let failure { throw failure }
        return answer
    }

    private static func error(_ answer: String) -> PictureError {
        switch PictureAnswer(answer) {
        case .failed(let reason): .reported(reason)
        case .unable(let reason): .system(reason)
        default: .system("the decoder's answer is not understood")
        }
    }
}
