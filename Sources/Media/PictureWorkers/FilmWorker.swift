package import Files
package import Pictures

/// A sandboxed process that decodes one film, frame by frame, as text for a terminal.
///
/// All calls block, and belong to one thread at a time.
package final class FilmWorker: Sendable {
    /// A frame as text.
    package struct Frame: Sendable {
        /// When it is shown, in seconds of the film's sound; the last frame has no end.
        package let begin: Double
        package let end: Double?
        /// Empty when the frame is on the screen already.
        package let text: [UInt8]
    }

    private let worker: PictureWorker
    /// The film's size, upright and in square pixels.
    package let size: PixelSize

    /// Opens a film.
    ///
    /// - Parameters:
    ///   - program: The one that decodes.
    ///   - threads: How many of its threads decode at once.
    package init(_ film: borrowing Descriptor, program: String, threads: Int) throws(PictureError) {
        worker = PictureWorker(program: program)
        let text = try worker.ask(FilmOrder.open(threads: threads).text, [film.number], seconds: PictureLimits.seconds)
        guard case .opened(let size) = FilmAnswer(text) else { throw Self.error(text) }
        self.size = size
    }

    /// The frame that is shown at a moment.
    ///
    /// - Returns: `nil` when the film has none.
    package func frame(_ order: FilmOrder.Frame) throws(PictureError) -> Frame? {
        let result = try PictureWorker.memory()
        let text = try worker.ask(FilmOrder.frame(order).text, [result.number], seconds: PictureLimits.seconds)
        switch FilmAnswer(text) {
        case .frame(let begin, let end):
            let text = try PictureWorker.contents(of: result)
            try PictureWorker.check(text)
            return Frame(begin: begin, end: end, text: text)
        case .nothing: return nil
        default: throw Self.error(text)
        }
    }

    private static func error(_ answer: String) -> PictureError {
        switch PictureAnswer(answer) {
        case .failed(let reason): .reported(reason)
        case .unable(let reason): .system(reason)
        default: .system("the decoder's answer is not understood")
        }
    }
}
