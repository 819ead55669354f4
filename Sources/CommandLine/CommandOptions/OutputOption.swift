package import ValueText

/// The value of `--output`.
package enum OutputOption: Sendable, Hashable {
    /// The sound server if one answers, else ALSA if it has a device; one of them must.
    case usual
    /// The sound server; it must answer.
    case pulse
    /// A device of ALSA, its default one unless named.
    case alsa(String?)
    /// The sound server if one answers, else ALSA if it has a device, else the null output.
    case automatic
    /// Silent, in real time.
    case null
    /// Silent, at decoding speed.
    case nullFast
    /// A file whose extension determines its format.
    case file(String)
    /// A folder, which gets a file for each item.
    case folder(String)
    /// A named pipe or another file for raw PCM.
    case pipe(String)
    /// Raw PCM to standard output.
    case standardOutput

    package init(parsing text: String) throws(ArgumentProblem) {
        switch text {
        case "pulse": self = .pulse
        case "alsa": self = .alsa(nil)
        case _ where text.hasPrefix("alsa:"):
            let device = text.dropFirst(5)
            guard !device.isEmpty, !device.utf8.contains(0) else {
                throw ArgumentProblem("a device must follow alsa:, as 'segue devices' lists them")
            }
            self = .alsa(String(device))
        case "auto": self = .automatic
        case "null": self = .null
        case "null:fast": self = .nullFast
        case "pipe:-": self = .standardOutput
        case _ where text.hasPrefix("file:"): self = .file(try Self.path(in: text, after: "file:"))
        case _ where text.hasPrefix("dir:"): self = .folder(try Self.path(in: text, after: "dir:"))
        case _ where text.hasPrefix("pipe:"): self = .pipe(try Self.path(in: text, after: "pipe:"))
        default:
            throw ArgumentProblem(
                "outputs are pulse, alsa, alsa:DEVICE, auto, null, null:fast, file:PATH, dir:FOLDER, pipe:PATH and pipe:-"
            )
        }
    }

    private static func path(in text: String, after prefix: String) throws(ArgumentProblem) -> String {
        let path = text.dropFirst(prefix.count)
        guard !path.isEmpty else { throw ArgumentProblem("a path must follow \(prefix)") }
        return String(path)
    }

    /// Whether this may use a sound server.
    package var usesSoundServer: Bool { [.usual, .pulse, .automatic].contains(self) }

    /// Whether this may use a sink or a sound card, which can be unplugged.
    package var usesDevice: Bool {
        if case .alsa = self { return true }
        return usesSoundServer
    }

    /// Whether it makes files.
    package var makesFiles: Bool {
        switch self {
        case .file, .folder: true
        default: false
        }
    }

    /// Whether samples are written out, so that their format can be chosen.
    package var hasChoosableFormat: Bool {
        switch self {
        case .file, .folder, .pipe, .standardOutput: true
        case .usual, .pulse, .alsa, .automatic, .null, .nullFast: false
        }
    }
}

extension OutputOption: CustomStringConvertible {
    package var description: String {
        switch self {
        case .usual, .pulse: "pulse"
        case .alsa: "alsa"
        case .automatic: "auto"
        case .null: "null"
        case .nullFast: "null:fast"
        case .file(let path): "file:\(path)"
        case .folder(let path): "dir:\(path)"
        case .pipe(let path): "pipe:\(path)"
        case .standardOutput: "pipe:-"
        }
    }
}
