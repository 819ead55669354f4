package import PictureValues

/// A picture to be made into text for a terminal, as one message.
package struct TerminalOrder: Sendable, Hashable {
    /// As large as the picture may become; it is never enlarged.
    package var canvas: TerminalCanvas
    /// Of a film.
    package var moment: FilmMoment
    /// Whether only the cover of a song or film is wanted, not a frame.
    package var isOfCover: Bool

    package init(_ canvas: TerminalCanvas, moment: FilmMoment = .usual, isOfCover: Bool = false) {
        (self.canvas, self.moment, self.isOfCover) = (canvas, moment, isOfCover)
    }

    package var text: String { "show \(moment.text) \(isOfCover ? "cover" : "any") \(canvas.text)" }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 4 + TerminalCanvas.wordCount, words[0] == "show", let moment = FilmMoment(words[1...2]),
            let canvas = TerminalCanvas(words[4...])
        else { return nil }
        self.init(canvas, moment: moment, isOfCover: words[3] == "cover")
    }
}

/// A picture as text for a terminal.
package struct TerminalPicture: Sendable {
    /// The cells that it covers.
    package let columns, rows: Int
    /// Characters in rows with a newline between two, or pixels by a protocol.
    package let text: [UInt8]
    /// Why a part of it is missing; `nil` when it is whole.
    package let damage: String?

    package init(columns: Int, rows: Int, text: [UInt8], damage: String? = nil) {
        (self.columns, self.rows, self.text, self.damage) = (columns, rows, text, damage)
    }
}
