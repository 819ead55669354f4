internal import AudioTypes

/// Parses options for streams.
package enum StreamArgument {
    /// Seconds that may be read ahead.
    package static let bufferRange = 0.5...3600

    package static func buffer(_ text: String) throws(ArgumentProblem) -> Double {
        let seconds = try TimeArgument.parse(text).seconds
        guard bufferRange.contains(seconds) else { throw ArgumentProblem("it must be a time from 0.5 s to 1 h") }
        return seconds
    }

    /// Seconds, or infinity for `forever`.
    package static func reconnectLimit(_ text: String) throws(ArgumentProblem) -> Double {
        if text == "forever" { return .infinity }
        do throws(ArgumentProblem) {
            return try TimeArgument.parse(text).seconds
        } catch {
            throw ArgumentProblem("it must be a time such as 90, 10m or 1h, or forever")
        }
    }

    /// Bits per second: `128000`, `128k`, `1.5M`.
    package static func bitRate(_ text: String) throws(ArgumentProblem) -> Int {
        let scale = text.hasSuffix("k") ? 1e3 : text.hasSuffix("M") ? 1e6 : 1
        let number = scale > 1 ? text.dropLast() : text[...]
        let isPlain = number.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        guard isPlain, let value = Double(number), (1e3...1e9).contains(value * scale) else {
            throw ArgumentProblem("it must be bits per second from 1k to 1000M, such as 128k")
        }
        return Int(saturating: (value * scale).rounded())
    }

    package static func path(_ text: String) throws(ArgumentProblem) -> String {
        guard !text.isEmpty, text != "-" else { throw ArgumentProblem("it must be a file's name") }
        return text
    }
}
