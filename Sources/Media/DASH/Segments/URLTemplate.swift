internal import Segments
internal import TextEncodings

/// A template of locations, with `$Number%05d$` and the like in it (section 5.3.9.4.4).
struct URLTemplate {
    private enum Piece {
        case text(String)
        case number(width: Int)
        case time(width: Int)
    }

    private var pieces: [Piece] = []

    init(_ text: String, of representation: Representation) throws(SegmentError) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count % 2 == 1 else { throw .badManifest("a template ends within a name") }
        for (index, part) in parts.enumerated() {
            if index % 2 == 0 {
                if !part.isEmpty { pieces.append(.text(String(part))) }
            } else {
                pieces.append(try Self.piece(part, representation))
            }
        }
    }

    private static func piece(_ name: Substring, _ representation: Representation) throws(SegmentError) -> Piece {
        let parts = name.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
        let width = parts.count == 2 ? try width(parts[1]) : 1
        switch parts[0] {
        case "": return .text("$")
        case "RepresentationID": return .text(representation.id)
        case "Bandwidth": return .text(String(representation.variant.bandwidth, digits: width))
        case "Number": return .number(width: width)
        case "Time": return .time(width: width)
        default: throw .badManifest("a template has the unknown name '\(name.prefix(40))'")
        }
    }

    /// The width in `05d`.
    private static func width(_ format: Substring) throws(SegmentError) -> Int {
        guard format.last == "d", let width = Int(format.dropLast()), (0...64).contains(width) else {
            throw .badManifest("a template has the unknown format '%\(format.prefix(40))'")
        }
        return width
    }

    func location(number: Int = 0, time: Int = 0) -> String {
        var result = ""
        for piece in pieces {
            switch piece {
            case .text(let text): result += text
            case .number(let width): result += String(number, digits: width)
            case .time(let width): result += String(time, digits: width)
            }
        }
        return result
    }
}
