/// The emphasis of a piece of text.
package enum TextStyle: Sendable, Hashable {
    case plain
    case good
    case attention
    case bad
    case strong
    case faint

    fileprivate var parameters: String? {
        switch self {
        case .plain: nil
        case .good: "32"
        case .attention: "33"
        case .bad: "31"
        case .strong: "1"
        case .faint: "2"
        }
    }
}

/// Text in pieces, each with its style.
package struct StyledText: Sendable, Hashable {
    package struct Piece: Sendable, Hashable {
        package var text: String
        package var style: TextStyle

        package init(text: String, style: TextStyle) {
            self.text = text
            self.style = style
        }
    }

    package private(set) var pieces: [Piece] = []

    package init() {}

    package init(_ text: String, _ style: TextStyle = .plain) { append(text, style) }

    package mutating func append(_ text: String, _ style: TextStyle = .plain) {
        if !text.isEmpty { pieces.append(Piece(text: text, style: style)) }
    }

    package mutating func append(_ other: StyledText) { pieces += other.pieces }

    package var width: Int { pieces.reduce(0) { $0 + DisplayText.width(of: $1.text) } }

    package var plain: String { pieces.map(\.text).joined() }

    /// The text with the escape sequences for colour.
    package var coloured: String {
        pieces.map { piece in
            guard let parameters = piece.style.parameters else { return piece.text }
            return "\u{1b}[\(parameters)m\(piece.text)\u{1b}[0m"
        }
        .joined()
    }

    package func text(inColour: Bool) -> String { inColour ? coloured : plain }
}
