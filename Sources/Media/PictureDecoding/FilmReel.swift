internal import CFFmpeg
internal import FFmpegValues
package import PictureValues

/// A film's frames as time passes, for a terminal.
///
/// All calls block, and belong to one thread at a time.
@safe
package final class FilmReel {
    /// The time in which a frame is shown, in seconds of the film's sound, whose first sample is at 0.
    package struct Span: Sendable, Hashable {
        package var begin: Double
        /// `nil` for the last frame.
        package var end: Double?
    }

    private let film: FilmDecoder
    /// The frame that is shown.
    private let shown: Frame
    /// The next one, in the film's time; `nil` at the end, and before anything was decoded.
    private var next: Double?
    private var begin: Double?
    private var blocks: (canvas: TerminalCanvas, state: HalfBlocks)?
    /// The frame that the terminal shows in pixels.
    private var sent: (canvas: TerminalCanvas, picture: Bitmap)?

    /// A moment that is later than this is looked for at a keyframe, in seconds.
    private static let patience = 1.0
    /// From this on, frames that no others need are not decoded, in seconds.
    private static let haste = 0.2

    /// Opens a film.
    ///
    /// - Parameters:
    ///   - source: Read as long as the reel exists.
    ///   - stream: The index of the stream to show; `nil` for the one that is best.
    ///   - threads: How many decode at once.
    package init(_ source: FilmSource, stream: Int? = nil, threads: Int) throws(PictureError) {
        do {
            let container = try FilmContainer(source, isTimed: true)
            film = try FilmDecoder(container, stream: stream, threads: Int32(clamping: min(16, max(1, threads))))
            shown = try Frame()
        } catch {
            throw PictureError(opening: error)
        }
    }

    /// Upright, in square pixels.
    package var size: PixelSize? { film.shownSize }

    /// The index of the stream that is shown.
    package var stream: Int { film.streamIndex }

    // MARK: - Time

    /// Makes the frame that is shown at a moment the current one.
    ///
    /// - Parameter isFirst: Whether after a jump the keyframe before will do, for it is there at once.
    /// - Returns: When it is shown; `nil` when there is none.
    package func advance(to time: Double, isFirst: Bool) throws(PictureError) -> Span? {
        do {
            if try mustJump(to: time) {
                try jump(to: time)
                if isFirst, let begin { return Span(begin: begin, end: next) }
            }
            while let next, next <= time {
                unsafe film.codec.pointee.skip_frame = time - next > Self.haste ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
                try step()
            }
        } catch {
            throw PictureError(decoding: error)
        }
        return begin.map { Span(begin: $0, end: next) }
    }

    /// Makes the next keyframe the current frame, without a look at what comes before.
    ///
    /// - Returns: When it is shown; `nil` when there is none.
    package func advance(toKeyframeAfter time: Double) throws(PictureError) -> Span? {
        do {
            (begin, next) = (nil, nil)
            guard try film.seek(toKeyframeAfter: time) else { return nil }
            try decode()
            try step()
        } catch {
            throw PictureError(decoding: error)
        }
        return begin.map { Span(begin: $0, end: next) }
    }

    private func mustJump(to time: Double) throws -> Bool {
        guard let begin else { return true }
        if time < begin, !film.isSeekable { throw PictureError.cannotGoBack }
        if time < begin { return true }
        guard film.isSeekable else { return false }
        guard let next, time - next > Self.patience else { return false }
        return film.keyframe(before: time).map { $0 > next } ?? (time - next > 20)
    }

    private func jump(to time: Double) throws {
        unsafe film.codec.pointee.skip_frame = AVDISCARD_DEFAULT
        if film.isSeekable { _ = try film.seek(to: max(0, time)) }
        (begin, next) = (nil, nil)
        // The first is decoded into the next one's place.
        try decode()
        try step()
    }

    /// Makes the next frame the current one, and decodes one more.
    private func step() throws {
        guard let next else { return }
        begin = next
        unsafe av_frame_unref(shown.pointer)
        unsafe av_frame_move_ref(shown.pointer, film.frame.pointer)
        try decode()
    }

    private func decode() throws {
        next = nil
        while try film.next() {
            // One without a time follows the one before, as in bare streams.
            next = film.time(of: film.frame) ?? (begin ?? 0) + 0.04
            if let begin, let next, next <= begin { continue }
            return
        }
        next = nil
    }

    // MARK: - Text

    /// The text that shows the current frame, at a place of the screen.
    ///
    /// - Parameters:
    ///   - canvas: Of the picture's shape.
    ///   - isWhole: Whether the screen was cleared, so that all is written.
    package func text(
        on canvas: TerminalCanvas,
        column: Int,
        row: Int,
        isWhole: Bool
    ) throws(PictureError) -> [UInt8] {
        let place = Array("\u{1b}[\(row);\(column)H".utf8)
        guard canvas.graphics == .symbols, canvas.isUnicode, canvas.colours != .none else {
            let picture = try picture(of: pixels(on: canvas))
            // Much of what is called a film shows a still.
            if !isWhole, let sent, sent == (canvas, picture) { return [] }
            sent = (canvas, picture)
            let text = try TerminalEncoder.text(showing: picture, on: canvas, isOfFilm: true)
            return place + (canvas.graphics == .symbols ? moved(text, column, row) : text)
        }
        if isWhole || blocks?.canvas != canvas { blocks = (canvas, HalfBlocks(canvas)) }
        let picture = try picture(of: HalfBlocks.pixels(of: canvas))
        return blocks?.state.text(showing: picture, column: column, row: row) ?? []
    }

    /// As many pixels as are made of a frame: kitty's terminals enlarge it themselves, faster than they take more pixels.
    private func pixels(on canvas: TerminalCanvas) -> PixelSize {
        let useful = canvas.usefulPixels
        guard canvas.graphics == .kitty else { return useful }
        let most = min(Self.mostPixels, film.shownSize?.pixelCount ?? .max)
        guard useful.pixelCount > most else { return useful }
        let scale = (Double(most) / Double(useful.pixelCount)).squareRoot()
        return PixelSize(
            max(1, Int(saturating: Double(useful.width) * scale)),
            max(1, Int(saturating: Double(useful.height) * scale))
        ) ?? useful
    }

    /// Of a frame: 640 x 360, or as many in another shape.
    private static let mostPixels = 640 * 360

    /// Rows of characters, each moved to its place.
    private func moved(_ text: [UInt8], _ column: Int, _ row: Int) -> [UInt8] {
        text.split(separator: UInt8(ascii: "\n")).enumerated().flatMap { number, line in
            Array("\u{1b}[\(row + number);\(column)H".utf8) + line
        }
    }

    private func picture(of size: PixelSize) throws(PictureError) -> Bitmap {
        do {
            return try film.picture(of: shown, exactly: size).bitmap().flattened(on: .black)
        } catch {
            throw PictureError(decoding: error)
        }
    }
}
