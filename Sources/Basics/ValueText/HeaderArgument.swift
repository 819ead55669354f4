package import AudioTypes

/// A request header, written as `Name: value`.
package enum HeaderArgument {
    /// Headers that Segue sets itself, or that belong to the connection.
    private static let reserved: Set<String> = [
        "connection", "content-length", "host", "icy-metadata", "if-range", "range", "transfer-encoding",
    ]

    package static func parse(_ text: String) throws(ArgumentProblem) -> HTTPOptions.Header {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isToken) else {
            throw ArgumentProblem("a header is written as 'Name: value'")
        }
        guard !reserved.contains(parts[0].lowercased()) else {
            throw ArgumentProblem("\(parts[0]) is set by Segue itself")
        }
        return HTTPOptions.Header(
            name: String(parts[0]),
            value: try value(String(parts[1].drop { $0 == " " || $0 == "\t" }))
        )
    }

    /// Validates a header's value: one line.
    package static func value(_ text: String) throws(ArgumentProblem) -> String {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f || $0 == "\t" }) else {
            throw ArgumentProblem("it must be one line without control characters")
        }
        return text
    }

    /// RFC 9110, section 5.6.2.
    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
