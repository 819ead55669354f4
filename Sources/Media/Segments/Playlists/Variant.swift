/// One rendition of a presentation in a master playlist (section 4.3.4.2).
package struct Variant: Sendable, Hashable {
    /// As written: relative to the playlist.
    package var uri: String
    /// Bits per second at its peak.
    package var bandwidth: Int
    /// Bits per second on average.
    package var averageBandwidth: Int?
    /// In the form of RFC 6381: `mp4a.40.2`; empty when not declared.
    package var codecs: [String] = []
    /// Its group of audio renditions.
    package var audioGroup: String?
    /// Whether the playlist declares a resolution for it.
    package var hasResolution = false

    package init(
        uri: String,
        bandwidth: Int,
        averageBandwidth: Int? = nil,
        codecs: [String] = [],
        audioGroup: String? = nil,
        hasResolution: Bool = false
    ) {
        self.uri = uri
        self.bandwidth = bandwidth
        self.averageBandwidth = averageBandwidth
        self.codecs = codecs
        self.audioGroup = audioGroup
        self.hasResolution = hasResolution
    }
}

/// An alternative of the sound (section 4.3.4.1).
package struct AudioRendition: Sendable, Hashable {
    package var group: String
    package var name: String
    /// In the form of RFC 5646: `en`, `de-CH`.
    package var language: String?
    /// As written; `nil`: the sound is in the variant itself.
    package var uri: String?
    package var isDefault = false
    package var isAutoselected = false
    /// The number of channels; `nil` when not declared.
    package var channelCount: Int?

    package init(
        group: String,
        name: String,
        language: String?,
        uri: String?,
        isDefault: Bool = false,
        isAutoselected: Bool = false,
        channelCount: Int? = nil
    ) {
        self.group = group
        self.name = name
        self.language = language
        self.uri = uri
        self.isDefault = isDefault
        self.isAutoselected = isAutoselected
        self.channelCount = channelCount
    }
}

/// An alternative of the subtitles (section 4.3.4.1).
package struct SubtitleRendition: Sendable, Hashable {
    package var name: String
    /// In the form of RFC 5646: `en`, `de-CH`.
    package var language: String?
    /// Of its playlist; absolute once the playlist that names it has been read.
    package var uri: String
    /// The variables that its playlist may import.
    package var variables: [String: String] = [:]
    package var isDefault = false
    /// Whether it only translates what is in another language than the sound.
    package var isForced = false
    /// Whether it also describes music and noises, for the deaf.
    package var describesSound = false

    package init(name: String, language: String?, uri: String) {
        (self.name, self.language, self.uri) = (name, language, uri)
    }
}

/// The author's preferred start (section 4.3.5.2).
package struct PlaylistStart: Sendable, Hashable {
    /// Seconds from the start; negative: from the end.
    package var offset: Double
    /// Whether the part of its segment before that moment is skipped.
    package var isPrecise = false

    package init(offset: Double, isPrecise: Bool = false) {
        self.offset = offset
        self.isPrecise = isPrecise
    }
}

extension Variant {
    package enum Kind: Sendable { case audio, video, unknown }

    /// The kind of content, by its attributes.
    package var kind: Kind {
        if hasResolution || codecs.contains(where: isVideoCodec) { return .video }
        return codecs.contains(where: isAudioCodec) ? .audio : .unknown
    }

    /// Whether it may have decodable sound.
    package var mayHaveAudio: Bool {
        let others = codecs.filter { !isVideoCodec($0) && !isTextCodec($0) }
        guard !others.isEmpty else { return codecs.isEmpty || audioGroup != nil }
        return others.contains { !isUndecodableCodec($0) }
    }
}

private func isVideoCodec(_ codec: String) -> Bool {
    [
        "avc1", "avc2", "avc3", "avc4", "hvc1", "hev1", "dvh1", "dvhe", "dva1", "dvav", "vp08", "vp8", "vp09", "vp9",
        "av01", "dav1", "mp4v", "mjpg", "s263", "vvc1", "vvi1",
    ]
    .contains { codec.lowercased().hasPrefix($0) }
}

private func isAudioCodec(_ codec: String) -> Bool {
    ["mp4a", "mp3", "ac-3", "ec-3", "ac-4", "opus", "flac", "alac", "dtsc", "dtse", "dtsh", "dtsl", "mhm1", "lc3"]
        .contains { codec.lowercased().hasPrefix($0) }
}

private func isTextCodec(_ codec: String) -> Bool {
    ["stpp", "wvtt", "c608", "c708"].contains { codec.lowercased().hasPrefix($0) }
}

/// Audio codecs without a decoder in libavcodec.
private func isUndecodableCodec(_ codec: String) -> Bool {
    ["ac-4", "mha1", "mhm1", "dtsx", "lc3", "iamf"].contains { codec.lowercased().hasPrefix($0) }
}
