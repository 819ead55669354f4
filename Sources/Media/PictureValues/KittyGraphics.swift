internal import TextEncodings

/// Pictures for terminals with kitty's graphics protocol (https://sw.kovidgoyal.net/kitty/graphics-protocol).
package enum KittyGraphics {
    /// The frames of a film take each other's place.
    package static let filmNumber = 0x5365

    /// Bytes of Base64 in one piece of a picture, by the protocol at most.
    private static let pieceLimit = 4_096

    /// The text that shows a picture at the cursor, which stays where it is.
    ///
    /// - Parameters:
    ///   - deflated: The pixels as zlib's format (RFC 1950) has them; `nil`: as they are.
    ///   - number: One that the picture takes the place of, above 0; `nil`: it stays where it is.
    ///   - columns: How many cells it covers.
    package static func text(
        showing picture: Bitmap,
        deflated: [UInt8]? = nil,
        number: Int? = nil,
        columns: Int,
        rows: Int
    ) -> [UInt8] {
        let depth = picture.channels * 8
        var control = "a=T,q=2,C=1,f=\(depth),s=\(picture.size.width),v=\(picture.size.height)"
        if let number { control += ",i=\(number),p=1" }
        if deflated != nil { control += ",o=z" }
        control += ",c=\(columns),r=\(rows),"
        let data = Base64.encoded(deflated ?? picture.pixels)
        var text: [UInt8] = []
        text.reserveCapacity(data.count + data.count / pieceLimit * 16 + 200)
        var place = 0
        repeat {
            let end = min(data.count, place + pieceLimit)
            text += "\u{1b}_G\(control)m=\(end < data.count ? 1 : 0);".utf8
            text += data[place..<end]
            text += "\u{1b}\\".utf8
            (place, control) = (end, "")
        } while place < data.count
        return text
    }

    /// The text that removes all pictures, and forgets them.
    package static let textRemovingAll = "\u{1b}_Ga=d,d=A,q=2\u{1b}\\"

    /// The text that removes a picture.
    package static func text(removing number: Int) -> String { "\u{1b}_Ga=d,d=I,q=2,i=\(number)\u{1b}\\" }
}
