internal import Segments

struct MasterPlaylistParser {
    private var playlist = MasterPlaylist()
    private var variables: PlaylistVariables
    /// The variant whose location is on the next line.
    private var pending: Variant?

    static func parse(_ bytes: [UInt8], variables: PlaylistVariables) throws(SegmentError) -> MasterPlaylist {
        guard bytes.count <= PlaylistLimits.bytes else { throw .tooLarge("the playlist") }
        var parser = MasterPlaylistParser(variables: variables)
        for line in PlaylistLines(bytes) {
            guard line.bytes.count <= PlaylistLimits.line else { throw .malformed(line: line.number, "it is too long") }
            if line.bytes.first == .hash {
                try parser.read(PlaylistTag(line))
            } else {
                try parser.read(location: line.text)
            }
        }
        guard !parser.playlist.variants.isEmpty else { throw .noVariants }
        parser.playlist.variables = parser.variables.values
        return parser.playlist
    }

    private init(variables: PlaylistVariables) { self.variables = variables }

    private mutating func read(location: String) throws(SegmentError) {
        guard var variant = pending else { return }
        pending = nil
        guard playlist.variants.count < PlaylistLimits.variants else { throw .tooLarge("the list of variants") }
        variant.uri = try variables.substituted(in: location)
        playlist.variants.append(variant)
    }

    private mutating func read(_ tag: PlaylistTag) throws(SegmentError) {
        switch tag.name {
        case "#EXT-X-STREAM-INF": pending = try variant(AttributeList(tag.value, variables: variables))
        case "#EXT-X-MEDIA": try read(rendition: AttributeList(tag.value, variables: variables))
        case "#EXT-X-START": playlist.start = PlaylistStart(AttributeList(tag.value))
        case "#EXT-X-DEFINE": variables.define(AttributeList(tag.value))
        default: break
        }
    }

    private func variant(_ attributes: AttributeList) throws(SegmentError) -> Variant {
        let codecs = try attributes.string("CODECS") ?? ""
        return Variant(
            uri: "",
            bandwidth: attributes.integer("BANDWIDTH") ?? 0,
            averageBandwidth: attributes.integer("AVERAGE-BANDWIDTH"),
            codecs: codecs.split { $0 == "," || $0 == " " }.prefix(16).map(String.init),
            audioGroup: try attributes.string("AUDIO"),
            hasResolution: attributes.has("RESOLUTION")
        )
    }

    private mutating func read(rendition attributes: AttributeList) throws(SegmentError) {
        guard let group = try attributes.string("GROUP-ID") else { return }
        switch try attributes.string("TYPE") {
        case "AUDIO": try read(audio: attributes, group)
        case "SUBTITLES": try read(subtitles: attributes)
        default: break
        }
    }

    private mutating func read(subtitles attributes: AttributeList) throws(SegmentError) {
        guard let uri = try attributes.string("URI") else { return }
        guard playlist.subtitles.count < PlaylistLimits.variants else { throw .tooLarge("the list of renditions") }
        var rendition = SubtitleRendition(
            name: try attributes.string("NAME") ?? "",
            language: try attributes.string("LANGUAGE"),
            uri: uri
        )
        guard !playlist.subtitles.contains(where: { $0.name == rendition.name && $0.language == rendition.language })
        else { return }
        rendition.isDefault = attributes.isYes("DEFAULT")
        rendition.isForced = attributes.isYes("FORCED")
        let characteristics = try attributes.string("CHARACTERISTICS") ?? ""
        rendition.describesSound = characteristics.contains("public.accessibility.describes-music-and-sound")
        playlist.subtitles.append(rendition)
    }

    private mutating func read(audio attributes: AttributeList, _ group: String) throws(SegmentError) {
        guard playlist.renditions.count < PlaylistLimits.variants else { throw .tooLarge("the list of renditions") }
        playlist.renditions.append(
            AudioRendition(
                group: group,
                name: try attributes.string("NAME") ?? "",
                language: try attributes.string("LANGUAGE"),
                uri: try attributes.string("URI"),
                isDefault: attributes.isYes("DEFAULT"),
                isAutoselected: attributes.isYes("AUTOSELECT"),
                // "16/JOC": the part after the slash describes objects.
                channelCount: attributes.plain("CHANNELS").flatMap {
                    Array($0.utf8.prefix { $0.isDigit })[...].decimalInteger
                }
            )
        )
    }
}

extension PlaylistStart {
    init?(_ attributes: AttributeList) {
        guard let offset = attributes.number("TIME-OFFSET") else { return nil }
        self.init(offset: offset, isPrecise: attributes.isYes("PRECISE"))
    }
}
