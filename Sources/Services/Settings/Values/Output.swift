package import AudioTypes
package import ValueText

/// One of a zone's outputs.
package struct Output: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The sound server.
        case pulse
        /// A device of ALSA.
        case alsa
        /// Nowhere, at the speed of a real output.
        case null
        /// Nowhere, as fast as decoding goes.
        case nullFast
        /// A media file; its extension selects the format.
        case file(path: String)
        /// Raw PCM into an existing pipe or file, at the speed of its reader.
        case pipe(path: String)
        /// Raw PCM into a named pipe, created if missing, in real time whether or not it has a reader.
        case fifo(path: String)
        /// A stream for listeners who fetch it by HTTP.
        case httpd
        /// A stream to an Icecast server.
        case icecast
        /// A stream in segments, in a folder.
        case hls
        /// A Snapcast server.
        case snapcast
    }

    /// Where the volume is applied.
    package enum Mixer: String, Sendable, Hashable, CaseIterable {
        /// The sound server's volume of our stream, which desktop mixers show, or a control of a sound card's mixer.
        case hardware
        /// Samples are scaled.
        case software
        /// None: the output has no volume.
        case none
    }

    /// The behaviour of a zone whose sink is gone.
    package enum LossPolicy: String, Sendable, Hashable, CaseIterable {
        /// The zone pauses.
        case pause
        /// The zone waits in silence, and goes on when the sink is back.
        case wait
        /// The zone is heard at the default sink until the sink is back.
        case fallback
    }

    package var name: String
    package var kind: Kind
    /// The sound server's address; `nil` for that of `PULSE_SERVER`, or the default.
    package var server: String?
    /// The sound server's sink, or ALSA's device; `nil` for the default one.
    package var device: String?
    /// The control of the sound card's mixer that has the volume.
    package var mixerControl: String?
    /// `nil`: wait for a `device`, and pause otherwise.
    package var whenLost: LossPolicy?
    /// Whether the desktop's mixers may move the stream to another sink.
    package var isMovable: Bool
    /// The format of the output; `nil` for one that `formatPolicy` tells.
    package var format: OutputFormat?
    /// Whether the sink is asked for the format of each file; `nil`: as is usual for the type.
    package var chosenFormatPolicy: FormatPolicy?
    package var mixer: Mixer
    package var isEnabled: Bool
    /// How it sends a stream to others; `nil` for other types.
    package var broadcast: BroadcastSettings?

    package init(
        name: String,
        kind: Kind,
        server: String? = nil,
        device: String? = nil,
        whenLost: LossPolicy? = nil,
        isMovable: Bool = false,
        format: OutputFormat? = nil,
        formatPolicy: FormatPolicy? = nil,
        mixer: Mixer? = nil,
        mixerControl: String? = nil,
        isEnabled: Bool = true,
        broadcast: BroadcastSettings? = nil
    ) {
        self.name = name
        self.kind = kind
        self.server = server
        self.device = device
        self.whenLost = whenLost
        self.isMovable = isMovable
        self.format = format
        chosenFormatPolicy = formatPolicy
        self.mixer = mixer ?? (mixerControl == nil ? kind.usualMixer : .hardware)
        self.mixerControl = mixerControl
        self.isEnabled = isEnabled
        self.broadcast = broadcast
    }
}

extension Output {
    /// The behaviour of a zone whose sink is gone: an output that names a device waits for that device.
    package var lossPolicy: LossPolicy { whenLost ?? (device == nil ? .pause : .wait) }

    /// Whether the sink is asked for the format of each file.
    package var formatPolicy: FormatPolicy { format == nil ? chosenFormatPolicy ?? kind.usualFormatPolicy : .sink }
}

extension Output.Kind {
    /// A card that no other program plays to can follow at no one's expense.
    fileprivate var usualFormatPolicy: FormatPolicy {
        switch self {
        case .pulse: .automatic
        case .alsa: .media
        default: .sink
        }
    }

    /// Whether it has sinks or devices, which can be unplugged, and formats of their own.
    package var hasSinks: Bool { self == .pulse || self == .alsa }

    /// Types that need keys of their own, so that a command line cannot give them.
    static let configured: [String: Self] = ["httpd": .httpd, "icecast": .icecast, "hls": .hls, "snapcast": .snapcast]

    static let forms = "pulse, alsa, null, null:fast, file:PATH, pipe:PATH or fifo:PATH"

    package init(parsing text: String) throws(ArgumentProblem) {
        switch text {
        case "pulse": self = .pulse
        case "alsa": self = .alsa
        case "null": self = .null
        case "null:fast": self = .nullFast
        default:
            guard let parts = text.splitFirst(":"), !parts.last.isEmpty, !parts.last.utf8.contains(0) else {
                throw ArgumentProblem("outputs are \(Self.forms)")
            }
            let path = String(parts.last)
            switch parts.first {
            case "file": self = .file(path: path)
            case "pipe": self = .pipe(path: path)
            case "fifo": self = .fifo(path: path)
            default: throw ArgumentProblem("outputs are \(Self.forms)")
            }
        }
    }

    /// The default mixer of an output.
    package var usualMixer: Output.Mixer {
        switch self {
        case .pulse: .hardware
        case .null, .alsa: .software
        case .nullFast, .file, .pipe, .fifo, .httpd, .icecast, .hls, .snapcast: .none
        }
    }

    /// The plugin's name as clients see it in `outputs`.
    package var plugin: String {
        switch self {
        case .pulse: "pulse"
        case .alsa: "alsa"
        case .null, .nullFast: "null"
        case .file: "recorder"
        case .pipe: "pipe"
        case .fifo: "fifo"
        case .httpd: "httpd"
        case .icecast: "icecast"
        case .hls: "hls"
        case .snapcast: "snapcast"
        }
    }

    /// The output file's path; `nil` for other outputs.
    package var path: String? {
        switch self {
        case .file(let path), .pipe(let path), .fifo(let path): path
        case .pulse, .alsa, .null, .nullFast, .httpd, .icecast, .hls, .snapcast: nil
        }
    }

    func mapPath(_ transform: (String) -> String) -> Self {
        switch self {
        case .file(let path): .file(path: transform(path))
        case .pipe(let path): .pipe(path: transform(path))
        case .fifo(let path): .fifo(path: transform(path))
        case .pulse, .alsa, .null, .nullFast, .httpd, .icecast, .hls, .snapcast: self
        }
    }
}

extension Output.Kind: CustomStringConvertible {
    package var description: String {
        switch self {
        case .pulse: "pulse"
        case .alsa: "alsa"
        case .null: "null"
        case .nullFast: "null:fast"
        case .file(let path): "file:\(path)"
        case .pipe(let path): "pipe:\(path)"
        case .fifo(let path): "fifo:\(path)"
        case .httpd, .icecast, .hls, .snapcast: plugin
        }
    }
}

extension OutputFormat {
    /// `s16:44100:2`, or MPD's spelling `44100:16:2` with `*` for components that stay open and `f` for floats.
    package init(anySpelling text: String) throws(ArgumentProblem) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let bits = Self.mpdSampleFormat(parts[1]) else {
            try self.init(parsing: text)
            return
        }
        let rate = parts[0] == "*" ? "" : parts[0]
        let channels = parts[2] == "*" ? "" : parts[2]
        try self.init(parsing: bits.isEmpty && rate.isEmpty && channels.isEmpty ? "" : "\(bits):\(rate):\(channels)")
    }

    /// The name of MPD's sample format in Segue; 24 bits are stored in 32.
    private static func mpdSampleFormat(_ text: Substring) -> String? {
        switch text {
        case "8", "16": "s16"
        case "24", "32": "s32"
        case "f": "f32"
        case "*": ""
        default: nil
        }
    }
}
