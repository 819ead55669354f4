internal import ValueText

/// `audio_output` blocks whose sound goes to listeners elsewhere.
extension MPDDraft {
    /// The settings of an `httpd` output, with MPD's defaults.
    func httpd(named name: String, _ block: inout MPDOutputBlock, _ reading: inout Reading) -> BroadcastSettings {
        var settings = BroadcastSettings()
        // MPD listens at all addresses where none is given.
        let address = block.take("bind_to_address")?.value ?? "any"
        settings.bindAddress = BroadcastDraft.isEverywhere(address) ? nil : address
        settings.port = block.port(named: name, &reading) ?? settings.port
        settings.maxClients = block.number("max_clients", 0...10_000, named: name, &reading) ?? 0
        // MPD's 0 is no limit.
        if settings.maxClients == 0 { settings.maxClients = 10_000 }
        settings.genre = block.take("genre")?.value ?? ""
        settings.website = block.take("website")?.value ?? ""
        settings.readEncoder(named: name, &block, &reading)
        return settings
    }

    /// The settings of a `shout` output; `nil` where it cannot be one of ours.
    func shout(named name: String, _ block: inout MPDOutputBlock, _ reading: inout Reading) -> BroadcastSettings? {
        if let kind = block.take("protocol"), kind.value != "icecast2" {
            reading.warn(kind.line, "the output \(quoted(name)) is left out: Segue does not speak \(kind.value)")
            return nil
        }
        if let tls = block.take("tls"), !["disabled", "auto", "auto_no_plain"].contains(tls.value) {
            reading.warn(tls.line, "the output \(quoted(name)) is not encrypted")
        }
        var settings = BroadcastSettings()
        for (key, place) in [("host", \BroadcastSettings.host), ("mount", \.mount), ("password", \.password)] {
            guard let value = block.take(key)?.value, !value.isEmpty else {
                reading.error(block.line, "the output \(quoted(name)) needs a \"\(key)\"")
                return nil
            }
            settings[keyPath: place] = value
        }
        settings.mount = BroadcastDraft.mount(settings.mount) ?? settings.mount
        settings.port = block.port(named: name, &reading) ?? settings.port
        settings.user = block.take("user")?.value ?? settings.user
        settings.isPublic = block.truth("public", &reading) ?? false
        settings.genre = block.take("genre")?.value ?? ""
        settings.website = block.take("url")?.value ?? ""
        settings.description = block.take("description")?.value ?? ""
        if let old = block.take("encoding"), !block.rest.contains(where: { $0.name == "encoder" }) {
            settings.encoder = old.value == "mp3" ? .mp3 : .vorbis
            settings.readQuality(named: name, &block, &reading)
        } else {
            settings.readEncoder(named: name, &block, &reading)
        }
        if !settings.encoder.suitsIcecast {
            reading.warn(
                block.line,
                "the output \(quoted(name)) is encoded as vorbis: Icecast cannot pass on the other"
            )
            (settings.encoder, settings.bitRate, settings.quality) = (.vorbis, nil, nil)
        }
        _ = block.take("timeout")
        return settings
    }
}

extension BroadcastSettings {
    /// Reads the encoder and its quality.
    mutating func readEncoder(named name: String, _ block: inout MPDOutputBlock, _ reading: inout Reading) {
        let encoders: [String: Encoder] = [
            "vorbis": .vorbis, "lame": .mp3, "flac": .flac, "opus": .opus, "wave": .wav,
        ]
        let word = block.take("encoder")
        if let known = encoders[word?.value ?? "vorbis"] {
            encoder = known
        } else {
            encoder = .mp3
            reading.warn(
                word?.line ?? block.line,
                "the output \(quoted(name)) is encoded by lame: Segue has no encoder \(quoted(word?.value ?? ""))"
            )
        }
        readQuality(named: name, &block, &reading)
    }

    /// Reads the quality of the encoder.
    mutating func readQuality(named name: String, _ block: inout MPDOutputBlock, _ reading: inout Reading) {
        let rate = block.number("bitrate", 8...1_000, named: name, &reading)
        if encoder.hasBitRate { bitRate = rate.map { $0 * 1_000 } }
        if let text = block.take(encoder == .flac ? "compression" : "quality"), bitRate == nil {
            readQuality(text, named: name, &reading)
        }
        // Further settings of MPD's encoders.
        for setting in [
            "quality", "compression", "complexity", "signal", "vbr", "packet_loss", "opustags", "oggchaining",
        ] {
            _ = block.take(setting)
        }
    }

    private mutating func readQuality(_ text: MPDParameter, named name: String, _ reading: inout Reading) {
        guard let range = encoder.qualities else { return }
        guard let number = Double(text.value) else {
            return reading.error(text.line, "\"\(text.name)\" of \(quoted(name)) must be a number")
        }
        quality = number.clamped(to: range)
    }
}

extension MPDOutputBlock {
    mutating func port(named name: String, _ reading: inout Reading) -> UInt16? {
        number("port", 1...65_535, named: name, &reading).map { UInt16(clamping: $0) }
    }

    mutating func number(
        _ key: String,
        _ range: ClosedRange<Int>,
        named name: String,
        _ reading: inout Reading
    ) -> Int? {
        guard let parameter = take(key), parameter.value != "auto" else { return nil }
        if let number = Int(parameter.value), range.contains(number) { return number }
        let bounds = "from \(range.lowerBound) to \(range.upperBound)"
        reading.error(parameter.line, "\"\(key)\" of \(quoted(name)) must be a whole number \(bounds)")
        return nil
    }
}
