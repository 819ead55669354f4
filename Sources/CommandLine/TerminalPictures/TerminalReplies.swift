package import PictureValues

/// A terminal's answers to the question which pictures it can show.
///
/// Every terminal answers the last question, so that those it does not know are not waited for.
package struct TerminalReplies: Sendable, Hashable {
    /// Whether the answer to the last question has come.
    package private(set) var isComplete = false
    private(set) var understandsKitty = false
    private(set) var understandsITerm = false
    private(set) var understandsSixel = false
    private(set) var hasFullColour = false
    /// In pixels; `nil` when the terminal does not tell.
    package private(set) var cell: PixelSize?
    private var bytes: [UInt8] = []

    private static let limit = 4_096

    package init() {}

    /// The questions: a picture of one pixel that is not shown (kitty's protocol); the size of a cell (iTerm2's, which
    /// terminals that know its pictures answer, and xterm's); a colour of 24 bits, and which colour it became (DECRQSS);
    /// and what the terminal is (DA1).
    package static let questions =
        "\u{1b}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1b}\\" + "\u{1b}]1337;ReportCellSize\u{7}" + "\u{1b}[16t"
        + "\u{1b}[48;2;1;2;3m\u{1b}P$qm\u{1b}\\\u{1b}[0m" + "\u{1b}[c"

    /// Takes what the terminal has sent, keys among it.
    package mutating func add(_ received: some Sequence<UInt8>) {
        for byte in received where bytes.count < Self.limit {
            // The next sequence begins, so the one before is whole.
            if byte == 0x1b { read() }
            bytes.append(byte)
            if byte == 0x07 || byte == UInt8(ascii: "c") || byte == UInt8(ascii: "t") { read(mayBeParted: true) }
        }
    }

    private mutating func read(mayBeParted: Bool = false) {
        let text = String(decoding: bytes, as: UTF8.self)
        if text.hasPrefix("\u{1b}_G"), text.contains("i=31;OK") { understandsKitty = true }
        if text.hasPrefix("\u{1b}P"), text.contains("$r"), isColour(text) { hasFullColour = true }
        if text.hasPrefix("\u{1b}]1337;ReportCellSize=") {
            understandsITerm = true
            let numbers = text.dropFirst(22).split(whereSeparator: { $0 == ";" || $0 == "\u{7}" }).compactMap(
                Double.init
            )
            if cell == nil, numbers.count >= 2 {
                let scale = numbers.count > 2 ? numbers[2] : 1
                cell = PixelSize(Int(saturating: numbers[1] * scale), Int(saturating: numbers[0] * scale))
            }
        }
        if text.hasPrefix("\u{1b}[6;"), text.hasSuffix("t") {
            let numbers = text.dropFirst(2).dropLast().split(separator: ";").compactMap { Int($0) }
            if numbers.count == 3 { cell = PixelSize(numbers[2], numbers[1]) ?? cell }
        }
        if text.hasPrefix("\u{1b}[?"), text.hasSuffix("c") {
            understandsSixel = text.dropFirst(3).dropLast().split(separator: ";").dropFirst().contains("4")
            isComplete = true
        }
        if !mayBeParted { bytes = [] }
    }

    private func isColour(_ text: String) -> Bool {
        ["2:1:2:3", "2::1:2:3", "2;1;2;3"].contains { text.contains("48:" + $0) || text.contains("48;" + $0) }
    }

    /// The best way to show pictures.
    package var graphics: TerminalCanvas.Graphics {
        understandsKitty ? .kitty : understandsITerm ? .iterm : understandsSixel ? .sixel : .symbols
    }

    /// How many colours characters have.
    ///
    /// - Parameter variable: Of the environment, for terminals that do not answer.
    package func colours(_ variable: (String) -> String?) -> TerminalCanvas.Colours {
        if let unwanted = variable("NO_COLOR"), !unwanted.isEmpty { return .none }
        if hasFullColour || ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "") { return .full }
        let name = variable("TERM") ?? ""
        return name.contains("direct") ? .full : name.contains("256") ? .palette256 : .palette16
    }
}
