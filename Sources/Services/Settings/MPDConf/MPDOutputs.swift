internal import ValueText

/// `audio_output` blocks.
extension MPDDraft {
    /// Types of sound devices that the sound server plays to.
    private static let devices: Set<String> = [
        "oss", "jack", "pipewire", "openal", "ao", "sndio", "solaris", "osx", "wasapi", "winmm",
    ]

    mutating func addOutput(_ parameters: [MPDParameter], at line: Int, _ reading: inout Reading) {
        var block = MPDOutputBlock(parameters, line: line)
        guard let name = block.take("name")?.value, !name.isEmpty else {
            return reading.error(line, "an \"audio_output\" needs a \"name\"")
        }
        guard let type = block.take("type")?.value else {
            return reading.error(line, "the output \(quoted(name)) needs a \"type\"")
        }
        guard let kind = kind(type, named: name, &block, &reading) else { return }
        var output = Output(name: name, kind: kind, mixer: kind.hasSinks ? .hardware : Output.Mixer.none)
        output.isEnabled = block.truth("enabled", &reading) ?? true
        // Segue only has MPD's default behaviour for these.
        block.drop("always_on", if: "no", "false", "0")
        block.drop("replay_gain_handler", if: "software")
        if let format = block.take("format") { output.format = MPDSettings.format(format, &reading) }
        readMixer(&output, &block, &reading)
        if type == "alsa" { readALSA(&output, &block, at: line, &reading) }
        if type == "pulse" {
            output.server = block.take("server")?.value
            output.device = block.take("sink")?.value
        } else if type == "pipewire" {
            output.device = block.take("target")?.value
        }
        if kind == .icecast {
            guard let settings = shout(named: name, &block, &reading) else { return }
            output.broadcast = settings
        }
        if kind == .snapcast { output.broadcast = .snapcast }
        if kind == .httpd { output.broadcast = httpd(named: name, &block, &reading) }
        if kind.hasSinks { muteTwin(&output, at: line, &reading) }
        draft.outputs.append(Located(line: line, value: output))
        let known: Set = ["tags", "media_role", "scale_volume"]
        for parameter in block.rest where !known.contains(parameter.name) {
            // Device settings are now the sound server's, and were reported together with the device.
            guard !Self.devices.contains(type) else { break }
            nameUnused(parameter.name, in: "audio_output", at: parameter.line, &reading)
        }
    }

    private func kind(
        _ type: String,
        named name: String,
        _ block: inout MPDOutputBlock,
        _ reading: inout Reading
    ) -> Output.Kind? {
        switch type {
        case "pulse": return .pulse
        case "alsa": return .alsa
        case "null":
            return (block.truth("sync", &reading) ?? true) ? .null : .nullFast
        case "fifo":
            guard let path = block.take("path")?.value else {
                reading.error(block.line, "the output \(quoted(name)) needs a \"path\"")
                return nil
            }
            return .fifo(path: reading.path(path))
        case "httpd": return .httpd
        case "shout": return .icecast
        case "snapcast":
            reading.warn(
                block.line,
                "the output \(quoted(name)) plays to a Snapcast server on this machine, which has to be installed"
                    + " (segued.toml(5), Snapcast)"
            )
            for setting in ["port", "bind_to_address", "zeroconf"] { _ = block.take(setting) }
            return .snapcast
        case "recorder": return recorder(named: name, &block, &reading)
        case _ where Self.devices.contains(type):
            reading.warn(block.line, "the output \(quoted(name)) of the type \(type) plays to the sound server instead")
            return .pulse
        default:
            reading.warn(block.line, "the output \(quoted(name)) is left out: Segue has no outputs of the type \(type)")
            return nil
        }
    }

    /// MPD's mixer is the card's, and its control `PCM`, unless the block says otherwise.
    private func readALSA(
        _ output: inout Output,
        _ block: inout MPDOutputBlock,
        at line: Int,
        _ reading: inout Reading
    ) {
        output.device = block.take("device")?.value
        let control = block.take("mixer_control")?.value ?? "PCM"
        let index = block.take("mixer_index").flatMap { Int($0.value) } ?? 0
        if let mixer = block.take("mixer_device"), let device = output.device, mixer.value != device {
            reading.warn(mixer.line, "\"mixer_device\" is not used: \(quoted(output.name)) uses the mixer of its card")
        }
        if output.mixer == .hardware { output.mixerControl = index == 0 ? control : "\(control),\(index)" }
        // The buffer is as deep as the device allows, and Segue itself converts what the device does not take.
        for name in ["buffer_time", "period_time", "auto_resample", "auto_channels", "auto_format", "use_mmap"] {
            _ = block.take(name)
        }
        block.drop("dop", if: "no", "false", "0")
        block.drop("dsd_native", if: "no", "false", "0")
        block.drop("stop_dsd_silence", if: "no", "false", "0")
        block.drop("close_on_pause", if: "yes", "true", "1")
    }

    /// The file's extension selects the encoder, so the encoder's extension is appended to another one.
    private func recorder(
        named name: String,
        _ block: inout MPDOutputBlock,
        _ reading: inout Reading
    ) -> Output.Kind? {
        guard let path = block.take("path")?.value else {
            reading.warn(block.line, "the output \(quoted(name)) is left out: it has no \"path\"")
            return nil
        }
        let encoders = [
            "vorbis": ["ogg", "oga"], "lame": ["mp3"], "flac": ["flac"], "opus": ["opus", "ogg"], "wave": ["wav"],
            "twolame": ["mp2"],
        ]
        let encoder = block.take("encoder")?.value ?? "vorbis"
        guard let extensions = encoders[encoder] else {
            reading.warn(block.line, "the output \(quoted(name)) is left out: Segue has no encoder \(quoted(encoder))")
            return nil
        }
        for setting in ["quality", "bitrate", "compression"] { _ = block.take(setting) }
        let full = reading.path(path)
        let hasOne = full.splitLast(".").map { extensions.contains($0.last.lowercased()) } ?? false
        if !hasOne { reading.warn(block.line, "the output \(quoted(name)) writes to \(full).\(extensions[0])") }
        return .file(path: hasOne ? full : "\(full).\(extensions[0])")
    }

    private func readMixer(_ output: inout Output, _ block: inout MPDOutputBlock, _ reading: inout Reading) {
        if let type = block.take("mixer_type") {
            switch type.value {
            case "hardware": output.mixer = output.kind.hasSinks ? .hardware : .none
            case "software": output.mixer = .software
            // MPD's "null" mixer shows a volume that has no effect.
            case "none", "null", "disabled": output.mixer = .none
            default: reading.error(type.line, "\"mixer_type\" must be hardware, software or none")
            }
        } else if let isEnabled = block.truth("mixer_enabled", &reading), !isEnabled {
            output.mixer = .none
        }
    }

    /// Enables only the first of several outputs to one sink, since together they would sound twice as loud.
    private func muteTwin(_ output: inout Output, at line: Int, _ reading: inout Reading) {
        // ALSA's default device is the sound server, where there is one.
        let hasTwin = draft.outputs.map(\.value).contains {
            $0.kind.hasSinks && $0.isEnabled && $0.server == output.server && $0.device == output.device
                && ($0.kind == output.kind || output.device == nil)
        }
        guard output.isEnabled, hasTwin else { return }
        output.isEnabled = false
        reading.warn(line, "the output \(quoted(output.name)) is off: another plays to the same sink")
    }
}

/// The parameters of a block; those that are understood are removed.
struct MPDOutputBlock {
    let line: Int
    private(set) var rest: [MPDParameter]

    init(_ parameters: [MPDParameter], line: Int) {
        self.line = line
        rest = parameters
    }

    /// - Returns: The last parameter of that name.
    mutating func take(_ name: String) -> MPDParameter? {
        let found = rest.last { $0.name == name }
        rest.removeAll { $0.name == name }
        return found
    }

    /// Removes a parameter whose value is what Segue does anyway.
    mutating func drop(_ name: String, if values: String...) {
        rest.removeAll { $0.name == name && values.contains($0.value) }
    }

    mutating func truth(_ name: String, _ reading: inout Reading) -> Bool? {
        take(name).flatMap { MPDSettings.truth($0, &reading) }
    }
}
