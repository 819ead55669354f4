internal import AudioTypes
internal import CommandOptions
package import Playback
internal import TextEncodings

/// The lines for the file of `--stream-log`: stretches of playback and failures, as text in W3C's Extended Log File
/// Format, or as JSON.
package struct StreamLog: Sendable {
    private let isJSON: Bool
    /// The fields of the last directive.
    private var fields = ""
    /// How many entries of each item's log were written.
    private var written: [PlayerItem.ID: Int] = [:]

    /// - Parameter path: With the suffix `.json` the format is JSON.
    package init(path: String) { isJSON = path.lowercased().hasSuffix(".json") }

    /// The lines for a failure; `log` is the item's, with the failure as its last entry.
    package mutating func failed(_ log: ErrorLog) -> [String] {
        guard let event = log.events.last else { return [] }
        return isJSON ? [json("error", event.fields)] : lines(log.text, last: 1)
    }

    /// The lines for finished stretches that were not written yet.
    package mutating func played(_ id: PlayerItem.ID, _ log: AccessLog) -> [String] {
        let count = log.events.count - (written[id] ?? 0)
        guard count > 0 else { return [] }
        written[id] = log.events.count
        guard isJSON else { return lines(log.text, last: count) }
        return log.events.suffix(count).map { json("access", $0.fields) }
    }

    /// A log's last lines, preceded by directives if the fields have changed.
    private mutating func lines(_ text: String, last count: Int) -> [String] {
        let lines = text.split(separator: "\n").map(String.init)
        let directives = lines.prefix { $0.hasPrefix("#") }
        let entries = Array(lines.dropFirst(directives.count).suffix(count))
        guard let named = directives.last, named != fields else { return entries }
        let isFirst = fields.isEmpty
        fields = named
        return (isFirst ? Array(directives) : [named]) + entries
    }

    private func json(_ log: String, _ fields: [LogField]) -> String {
        let values: [JSON.Field] = fields.map { field in
            switch field.value {
            case .text(let text): .init(field.name, .optional(text))
            case .count(let count): .init(field.name, count < 0 ? .null : .integer(count))
            case .number(let number): .init(field.name, number < 0 ? .null : .seconds(number))
            case .date(let seconds): .init(field.name, .seconds(seconds))
            }
        }
        return JSON.compact([.init("log", .string(log))] + values).text
    }
}
