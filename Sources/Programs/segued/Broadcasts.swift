import AudioTypes
import Broadcasting
import Settings

extension HTTPStreamSettings {
    init(_ output: Output) {
        let settings = output.broadcast ?? BroadcastSettings()
        self.init(
            StreamEncoding(settings),
            StreamTexts(output.name, settings),
            host: settings.bindAddress,
            port: settings.port,
            maxListeners: settings.maxClients
        )
    }
}

extension IcecastSettings {
    init(_ output: Output) {
        let settings = output.broadcast ?? BroadcastSettings()
        self.init(
            StreamEncoding(settings),
            StreamTexts(output.name, settings),
            host: settings.host,
            port: settings.port,
            mount: settings.mount,
            user: settings.user,
            password: settings.password,
            isPublic: settings.isPublic
        )
    }
}

extension HLSSettings {
    init(_ output: Output) {
        let settings = output.broadcast ?? BroadcastSettings()
        self.init(
            folder: settings.folder,
            segmentTime: Double(settings.segmentTime),
            segmentCount: settings.segmentCount,
            bitRate: settings.bitRate
        )
    }
}

extension SnapcastSettings {
    init(_ output: Output) {
        let settings = output.broadcast ?? .snapcast
        self.init(host: settings.host, port: settings.port, controlPort: settings.controlPort)
    }
}

extension StreamEncoding {
    init(_ settings: BroadcastSettings) {
        let codec: Codec =
            switch settings.encoder {
            case .opus: .opus
            case .vorbis: .vorbis
            case .flac: .flac
            case .mp3: .mp3
            case .aac: .aac
            case .wav: .wav
            }
        self.init(codec, bitRate: settings.bitRate, level: settings.quality)
    }
}

extension StreamTexts {
    init(_ name: String, _ settings: BroadcastSettings) {
        self.init(
            name: name,
            genre: settings.genre,
            website: settings.website,
            description: settings.description
        )
    }
}

extension Output {
    /// The format in which a zone renders that has this output first, until there is a sound server's.
    var usualFormat: AudioFormat {
        if kind == .snapcast { return StreamOutput.snapcastFormat }
        guard let broadcast, let format = try? StreamEncoding(broadcast).format(for: .cd) else { return .cd }
        return format
    }
}
