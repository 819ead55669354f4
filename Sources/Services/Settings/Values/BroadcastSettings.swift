internal import AudioTypes

/// The settings of an output that sends a stream to others.
package struct BroadcastSettings: Sendable, Hashable {
    package enum Encoder: String, Sendable, Hashable, CaseIterable {
        case opus, vorbis, flac, mp3, aac, wav
    }

    package var encoder = Encoder.mp3
    /// Bits per second.
    package var bitRate: Int?
    /// On the encoder's own scale.
    package var quality: Double?
    /// Where it listens; `nil` for all addresses of this machine.
    package var bindAddress: String? = "127.0.0.1"
    package var port: UInt16 = 8_000
    package var maxClients = 100
    package var genre = ""
    package var website = ""
    package var description = ""
    /// The server to send to.
    package var host = ""
    /// Where on an Icecast server; begins with a slash.
    package var mount = ""
    package var user = "source"
    package var password = ""
    /// Whether an Icecast server may list the stream in directories.
    package var isPublic = false
    /// Where segments are written.
    package var folder = ""
    /// Seconds of a segment.
    package var segmentTime = 4
    /// How many segments the playlist lists.
    package var segmentCount = 6
    /// The port of a Snapcast server's JSON-RPC; `nil` for none.
    package var controlPort: UInt16?

    package init() {}

    /// Whether other machines can connect to where it listens.
    package var isOpenToNetwork: Bool {
        guard let bindAddress else { return true }
        return bindAddress != "localhost" && IPAddress(bindAddress)?.isLoopback != true
    }

    /// A Snapcast server on this machine.
    package static var snapcast: Self {
        var settings = Self()
        (settings.host, settings.port, settings.controlPort) = ("127.0.0.1", 4_953, 1_705)
        return settings
    }
}

extension BroadcastSettings.Encoder {
    /// The numbers that `quality` may be; `nil` where it has no meaning.
    var qualities: ClosedRange<Double>? {
        switch self {
        case .vorbis: -1...10
        case .mp3: 0...9
        case .flac: 0...12
        case .opus, .aac, .wav: nil
        }
    }

    /// Whether listeners of an Icecast server can join the stream.
    package var suitsIcecast: Bool { self != .flac && self != .wav }

    /// Whether `bitrate` has a meaning.
    var hasBitRate: Bool { self != .flac && self != .wav }
}
