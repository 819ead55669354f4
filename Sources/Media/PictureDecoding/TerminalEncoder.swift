private import CChafa
private import CZlib
private import Glibc
package import PictureValues

/// Pictures as text for terminals.
package enum TerminalEncoder {
    /// The text that shows a picture at the cursor, in as many cells as the canvas has.
    ///
    /// Characters come in rows with a newline between two; pixels leave the cursor where their protocol does.
    ///
    /// - Parameter isOfFilm: Whether it takes the place of the frame before.
    package static func text(
        showing picture: Bitmap,
        on canvas: TerminalCanvas,
        isOfFilm: Bool = false
    ) throws(PictureError) -> [UInt8] {
        switch canvas.graphics {
        case .kitty:
            return KittyGraphics.text(
                showing: picture,
                deflated: canvas.isRemote ? deflated(picture.pixels) : nil,
                number: isOfFilm ? KittyGraphics.filmNumber : nil,
                columns: canvas.columns,
                rows: canvas.rows
            )
        case .iterm: return try drawn(picture, canvas, CHAFA_PIXEL_MODE_ITERM2)
        case .sixel: return try drawn(picture, canvas, CHAFA_PIXEL_MODE_SIXELS)
        case .symbols: return try drawn(picture, canvas, CHAFA_PIXEL_MODE_SYMBOLS)
        }
    }

    /// The bytes in zlib's format, as fast as it can.
    ///
    /// - Returns: `nil` when memory runs out.
    private static func deflated(_ bytes: [UInt8]) -> [UInt8]? {
        var count = compressBound(uLong(bytes.count))
        var code = Z_OK
        let text = unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { target, used in
            code = unsafe compress2(target.baseAddress, &count, bytes, uLong(bytes.count), Z_BEST_SPEED)
            used = code == Z_OK ? Int(count) : 0
        }
        return code == Z_OK ? text : nil
    }

    private static func drawn(
        _ picture: Bitmap,
        _ canvas: TerminalCanvas,
        _ mode: ChafaPixelMode
    ) throws(PictureError) -> [UInt8] {
        var drawing = segue_chafa_drawing()
        (drawing.columns, drawing.rows) = (Int32(canvas.columns), Int32(canvas.rows))
        (drawing.cell_width, drawing.cell_height) = (Int32(canvas.cell.width), Int32(canvas.cell.height))
        (drawing.pixels, drawing.colours) = (mode, canvas.colours.canvasMode)
        drawing.is_ascii = canvas.isUnicode ? 0 : 1
        var count = 0
        let (width, height) = (Int32(picture.size.width), Int32(picture.size.height))
        guard let text = unsafe segue_chafa_draw(&drawing, picture.withAlpha.pixels, width, height, &count) else {
            throw .system("out of memory")
        }
        defer { unsafe free(text) }
        return unsafe text.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
        }
    }
}

extension TerminalCanvas.Colours {
    fileprivate var canvasMode: ChafaCanvasMode {
        switch self {
        case .full: CHAFA_CANVAS_MODE_TRUECOLOR
        case .palette256: CHAFA_CANVAS_MODE_INDEXED_240
        case .palette16: CHAFA_CANVAS_MODE_INDEXED_16
        case .none: CHAFA_CANVAS_MODE_FGBG
        }
    }
}

extension TerminalCanvas {
    /// As many pixels as a picture on it can use.
    package var usefulPixels: PixelSize {
        guard graphics == .symbols else { return pixels }
        // libchafa compares symbols of 8 x 8 pixels with the picture.
        return PixelSize(columns * 8, rows * 8) ?? pixels
    }
}
