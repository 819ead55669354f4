/// An error or a likely mistake in a configuration file or on the command line.
package struct ConfigurationProblem: Error, Sendable, Hashable {
    package enum Severity: Sendable, Hashable {
        /// The configuration is not used.
        case error
        /// Reported once; the configuration is used.
        case warning
    }

    package let severity: Severity
    /// The file; `nil` for the command line and the defaults.
    package let file: String?
    /// Counted from 1; `nil` for the file as a whole.
    package let line: Int?
    package let text: String

    package init(severity: Severity = .error, file: String?, line: Int? = nil, _ text: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.text = text
    }
}

extension ConfigurationProblem: CustomStringConvertible {
    /// One line: `FILE:LINE: text`.
    package var description: String { place + (severity == .warning ? "warning: " : "") + text }

    /// The same without the severity, for logs that state it themselves.
    package var placedText: String { place + text }

    private var place: String {
        guard let file else { return "" }
        return line.map { "\(file):\($0): " } ?? "\(file): "
    }
}

/// All errors and warnings of a configuration, in the order of its lines.
package struct ConfigurationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Errors and warnings.
    package let problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }

    /// One line for each problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
