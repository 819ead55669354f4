internal import AudioTypes
internal import ValueText

/// An output while it is being read.
struct OutputDraft: Sendable {
    var name: String?
    var kind: Output.Kind?
    var server: String?
    var device: String?
    var whenLost: Output.LossPolicy?
    var isMovable = false
    var format: Format?
    var mixer: Output.Mixer?
    var mixerControl: String?
    var isEnabled = true
    var broadcast = BroadcastDraft()

    /// The value of `format`.
    enum Format: Sendable, Hashable {
        case fixed(OutputFormat)
        /// That of each file, or the sink's.
        case policy(FormatPolicy)
    }
}

extension Schema {
    static let output: [Setting<OutputDraft>] =
        [
            Setting("name", .name, \.name),
            Setting("type", kind, \.kind),
            Setting("server", .text, \.server),
            Setting("device", .text, \.device),
            Setting("when-lost", .word, \.whenLost),
            Setting("movable", .truth, \.isMovable),
            Setting("format", format, \.format),
            Setting("mixer", .word, \.mixer),
            Setting("mixer-control", .text, \.mixerControl),
            Setting("enabled", .truth, \.isEnabled),
        ] + broadcast

    static let zone: [Setting<ZoneDraft>] =
        [
            Setting("name", .name, \.name),
            Setting(list: "output", of: OutputDraft(), output, \.outputs) { $0.finished($1, &$2) },
            Setting(table: "stream", stream, \.stream),
        ] + zoneSession(\.session)

    private static let kind = SettingType<Output.Kind>(
        Output.Kind.configured.keys.sorted().joined(separator: ", ") + ", \(Output.Kind.forms)"
    ) { node, reading in
        guard case .text(let text) = node.value else { return nil }
        if let kind = Output.Kind.configured[text] { return kind }
        guard let kind = try? Output.Kind(parsing: text) else { return nil }
        return kind.mapPath(reading.path)
    }

    private static let format = SettingType(
        "a format such as \"44100:16:2\" or \"s16:44100:2\", or \"follow\", or \"sink\""
    ) { (text: String) throws(ArgumentProblem) in
        switch text {
        case "follow": OutputDraft.Format.policy(.media)
        case "sink": .policy(.sink)
        default: .fixed(try OutputFormat(anySpelling: text))
        }
    }
}

extension OutputDraft {
    func finished(_ node: Node, _ reading: inout Reading) -> Output? {
        for key in ["name", "type"] where !node.has(key) {
            reading.error(node.line, "an [[output]] table needs a \"\(key)\"")
        }
        guard let name, let kind else { return nil }
        for key in Output.Kind.keysOfSome where node.has(key) && !kind.ownKeys.contains(key) {
            let types = Output.Kind.types(with: key)
            reading.error(node.line, "\"\(key)\" goes with \(types) only; \(quoted(name)) is \(kind)")
        }
        if mixerControl != nil, let mixer, mixer != .hardware {
            let need = "\"mixer-control\" goes with the mixer \"hardware\" only"
            reading.error(node.line, "\(need); \(quoted(name)) has \(quoted(mixer.rawValue))")
        }
        var fixed: OutputFormat?
        var policy: FormatPolicy?
        switch format {
        case .fixed(let format): fixed = format
        case .policy(let chosen): policy = chosen
        case nil: break
        }
        if let policy, !kind.hasSinks {
            let word = policy == .sink ? "sink" : "follow"
            let need = "the format \(quoted(word)) goes with the types pulse and alsa only"
            reading.error(node.line, "\(need); \(quoted(name)) is \(kind)")
        }
        if mixer == .hardware, kind == .alsa, mixerControl == nil {
            reading.error(node.line, "the mixer \"hardware\" of \(quoted(name)) needs a \"mixer-control\"")
        } else if mixer == .hardware, !kind.hasSinks {
            let need = "the mixer \"hardware\" goes with the types pulse and alsa only"
            reading.error(node.line, "\(need); \(quoted(name)) is \(kind)")
        }
        return Output(
            name: name,
            kind: kind,
            server: server,
            device: device,
            whenLost: whenLost,
            isMovable: isMovable,
            format: fixed,
            formatPolicy: policy,
            mixer: mixer,
            mixerControl: mixerControl,
            isEnabled: isEnabled,
            broadcast: broadcast.finished(kind, named: name, node.line, &reading)
        )
    }
}

extension ZoneDraft {
    func finished(_ node: Node, _ reading: inout Reading) -> ZoneDraft? {
        if name == nil, !node.has("name") { reading.error(node.line, "a [[zone]] table needs a \"name\"") }
        return name == nil ? nil : self
    }
}
