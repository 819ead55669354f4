package import ArgumentParser
package import AudioTypes
internal import Charsets
internal import ValueText

/// The options of `play` for network media.
package struct StreamingOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Buffer this much ahead (default: Segue's choice).", valueName: "time"),
        transform: { try StreamArgument.buffer($0) }
    )
    package var buffer: Double?

    @Option(
        help: ArgumentHelp(
            "Retry a lost stream for this long: 10m, 0, or forever (default: 10m; forever for live streams).",
            valueName: "time"
        ),
        completion: .list(["forever", "0", "30s", "10m", "1h"]),
        transform: { try StreamArgument.reconnectLimit($0) }
    )
    package var reconnectFor: Double?

    @Option(
        help: ArgumentHelp(
            "Give up an address that has never answered after this long (default: 15s).",
            valueName: "time"
        ),
        completion: .list(["5s", "15s", "10m", "forever"]),
        transform: { try StreamArgument.reconnectLimit($0) }
    )
    package var firstContact: Double?

    @Option(
        help: ArgumentHelp(
            "Use no stream variant above so many bits per second, such as 128k.",
            valueName: "rate"
        ),
        completion: .list(["64k", "128k", "256k", "1M"]),
        transform: { try StreamArgument.bitRate($0) }
    )
    package var maxBitrate: Int?

    @Option(
        help: ArgumentHelp("Also record the stream to a file, without re-encoding.", valueName: "file"),
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

    @OptionGroup package var text: TextOptions

    package init() {}

    package var streamOptions: StreamOptions {
        var options = StreamOptions()
        options.preferredForwardBuffer = buffer
        options.reconnectLimit = reconnectFor
        options.firstContactLimit = firstContact
        options.preferredPeakBitRate = maxBitrate
        options.recording = record
        options.http = request.httpOptions
        options.charsets = CharsetRules(everywhere: text.charset)
        return options
    }
}
