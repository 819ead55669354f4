/// A value of a configuration file, and its line.
struct Node {
    indirect enum Value {
        case text(String)
        case integer(Int)
        case number(Double)
        case truth(Bool)
        case list([Node])
        case table([Entry])
        /// A date or a time, which no setting takes.
        case date
    }

    struct Entry {
        let key: String
        let node: Node
    }

    /// Counted from 1.
    let line: Int
    let value: Value
}

extension Node: CustomStringConvertible {
    /// The value's description in messages.
    var description: String {
        switch value {
        case .text(let text): quoted(text)
        case .integer(let number): "\(number)"
        case .number(let number): "\(number)"
        case .truth(let truth): "\(truth)"
        case .list: "a list"
        case .table: "a table"
        case .date: "a date"
        }
    }
}

/// The text in quotation marks, without line breaks and shortened if long.
func quoted(_ text: String) -> String {
    let beginning = text.unicodeScalars.prefix(81)
    let characters = beginning.prefix(80).map { $0.value < 0x20 || $0.value == 0x7f ? " " : Character($0) }
    return "\"" + String(characters) + (beginning.count > 80 ? "…" : "") + "\""
}
