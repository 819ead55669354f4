/// Something in a configuration file, or on the command line, that cannot be as it is, or may not be meant.
package struct ConfigurationProblem: Error, Sendable, Hashable {
    package enum Severity: Sendable, Hashable {
        /// The configuration is not used.
        case error
        /// Named once; everything else goes on.
        case warning
    }

    package let severity: Severity
    /// The file; `nil` for what the command line or the defaults say.
    package let file: String?
    /// Counted from 1; `nil` when it is about the whole file.
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

    /// The same for a log, which has its own word for how bad it is.
    package var placedText: String { place + text }

    private var place: String {
        guard let file else { return "" }
        return line.map { "\(file):\($0): " } ?? "\(file): "
    }
}

/// Everything that is wrong with a configuration, at once, in the order of its lines.
package struct ConfigurationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Errors and warnings.
    package let problems: [ConfigurationProblem]

    package init(_ problems: [ConfigurationProblem]) { self.problems = problems }

    /// One line for each problem.
    package var description: String { problems.map(\.description).joined(separator: "\n") }
}
