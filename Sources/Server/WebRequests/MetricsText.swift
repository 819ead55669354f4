/// Figures in the text format that Prometheus reads (version 0.0.4).
package struct MetricsText: Sendable {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var text = ""

    package init() {}

    package enum Kind: String, Sendable {
        /// A figure that only grows, until the server starts again.
        case counter
        case gauge
    }

    /// One value of a figure, of those that its labels tell apart.
    package struct Sample: Sendable {
        let labels: KeyValuePairs<String, String>
        let value: Double

        package init(_ value: Double, _ labels: KeyValuePairs<String, String> = [:]) {
            (self.labels, self.value) = (labels, value)
        }

        package init(_ value: Int, _ labels: KeyValuePairs<String, String> = [:]) { self.init(Double(value), labels) }

        package init(_ value: Bool, _ labels: KeyValuePairs<String, String> = [:]) {
            self.init(value ? 1 : 0, labels)
        }
    }

    /// Appends a figure, unless it has no values.
    ///
    /// - Parameters:
    ///   - name: With its unit at the end, and behind that `_total` where it is a counter.
    ///   - help: A sentence on one line.
    package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        guard !samples.isEmpty else { return }
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { text += "\(name)\(Self.labels(sample.labels)) \(Self.number(sample.value))\n" }
    }

    private static func labels(_ labels: KeyValuePairs<String, String>) -> String {
        if labels.isEmpty { return "" }
        return "{" + labels.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        value.reduce(into: "") { text, character in
            switch character {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n", "\r\n": text += "\\n"
            default: text.append(character)
            }
        }
    }

    private static func number(_ value: Double) -> String {
        guard let whole = Int(exactly: value) else { return "\(value)" }
        return "\(whole)"
    }
}
