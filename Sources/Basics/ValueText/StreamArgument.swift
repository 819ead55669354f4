package import ArgumentParser
package import AudioTypes

/// The options of `play` for media of the network.
package struct StreamingOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Read this far ahead of what is heard (default: Segue's choice).", valueName: "time"),
        transform: { try StreamArgument.buffer($0) }
    )
    package var buffer: Double?

    @Option(
        help: ArgumentHelp(
            "Try a lost stream again for this long: 10m, 0, or forever (default: 10m; forever for live streams).",
            valueName: "time"
        ),
        completion: .list(["forever", "0", "30s", "10m", "1h"]),
        transform: { try StreamArgument.reconnectLimit($0) }
    )
    package var reconnectFor: Double?

    @Option(
        help: ArgumentHelp(
            "Of a stream's variants, take none of more bits per second, such as 128k.",
            valueName: "rate"
        ),
        completion: .list(["64k", "128k", "256k", "1M"]),
        transform: { try StreamArgument.bitRate($0) }
    )
    package var maxBitrate: Int?

    @Option(
        help: ArgumentHelp("Also write the stream to a file as it comes, not encoded anew.", valueName: "file"),
        completion: .file(),
        transform: { try StreamArgument.path($0) }
    )
    package var record: String?

    @Option(
        help: ArgumentHelp(
            "Log each connection and error: JSON if the name ends in .json, else text.",
            valueName: "file"
        ),
        completion: .file(),
        transform: { try StreamArgument.path($0) }
    )
    package var streamLog: String?

    @OptionGroup package var request: RequestOptions

    package init() {}

    package var streamOptions: StreamOptions {
        var options = StreamOptions()
        options.preferredForwardBuffer = buffer
        options.reconnectLimit = reconnectFor
        options.preferredPeakBitRate = maxBitrate
        options.recording = record
        options.http = request.httpOptions
        return options
    }
}

/// Values about streams as people write them.
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
        return Int((value * scale).rounded())
    }

    package static func path(_ text: String) throws(ArgumentProblem) -> String {
        guard !text.isEmpty, text != "-" else { throw ArgumentProblem("it must be a file's name") }
        return text
    }
}
