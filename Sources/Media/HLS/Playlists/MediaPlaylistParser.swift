internal import Segments

struct MediaPlaylistParser {
    private var playlist = MediaPlaylist()
    private var variables: PlaylistVariables
    private var keys = KeyState()
    private var map: SegmentMap?
    private var discontinuity = 0
    /// The attributes of the segment whose location is still to come.
    private var pending = Pending()
    /// The byte after the previous range, and its resource.
    private var lastRange: (uri: String, end: Int)?
    /// The moment at which the next segment was recorded.
    private var date: Double?
    private var hasEnd = false
    private var type = ""

    private struct Pending {
        var duration: Double?
        var range: WrittenByteRange?
        var isGap = false
    }

    static func parse(_ bytes: [UInt8], variables: PlaylistVariables) throws(SegmentError) -> MediaPlaylist {
        guard bytes.count <= PlaylistLimits.bytes else { throw .tooLarge("the playlist") }
        var parser = MediaPlaylistParser(variables: variables)
        for line in PlaylistLines(bytes) {
            guard line.bytes.count <= PlaylistLimits.line else { throw .malformed(line: line.number, "it is too long") }
            if line.bytes.first == .hash {
                try parser.read(PlaylistTag(line))
            } else {
                try parser.read(location: line.text, line: line.number)
            }
            // An end tag ends the segments, but some playlists have their type after it.
            if parser.hasEnd { break }
        }
        return parser.finished
    }

    private init(variables: PlaylistVariables) { self.variables = variables }

    private var finished: MediaPlaylist {
        var playlist = playlist
        // A playlist declared as unchanging is complete, even without an end tag.
        playlist.kind = hasEnd || type == "VOD" ? .vod : type == "EVENT" ? .event : .live
        if playlist.targetDuration <= 0 {
            playlist.targetDuration = playlist.segments.reduce(0) { max($0, $1.duration) }.rounded(.up)
        }
        // A playlist is requested at most four times a second, whatever it declares.
        playlist.targetDuration = min(max(playlist.targetDuration, 0.5), 3600)
        return playlist
    }

    // MARK: Segments

    private mutating func read(location: String, line: Int) throws(SegmentError) {
        let told = pending
        pending = Pending()
        guard playlist.segments.count < PlaylistLimits.segments else { throw .tooLarge("the list of segments") }
        let uri = try variables.substituted(in: location)
        let sequence = playlist.mediaSequence + playlist.segments.count
        // Without `#EXTINF`, which every segment must have, the target duration is assumed.
        let duration = max(told.duration ?? playlist.targetDuration, 0)
        playlist.segments.append(
            MediaSegment(
                uri: uri,
                duration: duration,
                byteRange: try range(told.range, of: uri, line: line),
                discontinuity: discontinuity,
                encryption: keys.encryption(sequence: sequence),
                map: map,
                isGap: told.isGap,
                date: date
            )
        )
        date = date.map { $0 + duration }
    }

    private mutating func range(
        _ written: WrittenByteRange?,
        of uri: String,
        line: Int
    ) throws(SegmentError) -> ByteRange? {
        guard let written else {
            lastRange = nil
            return nil
        }
        guard let offset = written.offset ?? lastRange.flatMap({ $0.uri == uri ? $0.end : nil }) else {
            throw .malformed(line: line, "its byte range begins nowhere")
        }
        let (end, isTooFar) = offset.addingReportingOverflow(written.length)
        guard !isTooFar else { throw .malformed(line: line, "its byte range ends nowhere") }
        lastRange = (uri, end)
        return ByteRange(offset: offset, length: written.length)
    }

    // MARK: Tags

    private mutating func read(_ tag: PlaylistTag) throws(SegmentError) {
        switch tag.name {
        case "#EXTINF":
            pending.duration = tag.value.prefix { $0 != .comma }.trimmed.decimalNumber
        case "#EXT-X-BYTERANGE":
            guard let range = WrittenByteRange(tag.value) else { throw .malformed(line: tag.line, "no byte range") }
            pending.range = range
        case "#EXT-X-DISCONTINUITY": discontinuity += 1
        case "#EXT-X-GAP": pending.isGap = true
        case "#EXT-X-KEY": keys.read(try key(tag))
        case "#EXT-X-MAP": map = try map(tag)
        case "#EXT-X-PROGRAM-DATE-TIME": date = secondsSince1970(tag.value)
        case "#EXT-X-DEFINE": variables.define(AttributeList(tag.value))
        default: read(playlistTag: tag)
        }
    }

    /// Reads a tag of the whole playlist, before its segments.
    private mutating func read(playlistTag tag: PlaylistTag) {
        switch tag.name {
        case "#EXT-X-TARGETDURATION": playlist.targetDuration = max(tag.value.decimalNumber ?? 0, 0)
        case "#EXT-X-MEDIA-SEQUENCE":
            if playlist.segments.isEmpty, let number = tag.value.decimalInteger { playlist.mediaSequence = number }
        case "#EXT-X-DISCONTINUITY-SEQUENCE":
            if playlist.segments.isEmpty, let number = tag.value.decimalInteger { discontinuity = number }
        case "#EXT-X-PLAYLIST-TYPE": type = tag.value.prefix(16).text
        case "#EXT-X-START": playlist.start = PlaylistStart(AttributeList(tag.value))
        case "#EXT-X-SERVER-CONTROL": playlist.holdBack = AttributeList(tag.value).number("HOLD-BACK")
        case "#EXT-X-ENDLIST": hasEnd = true
        default: break
        }
    }

    private func key(_ tag: PlaylistTag) throws(SegmentError) -> WrittenKey {
        let attributes = AttributeList(tag.value, variables: variables)
        guard let method = try attributes.string("METHOD") else { throw .malformed(line: tag.line, "no METHOD") }
        return WrittenKey(
            method: method,
            uri: try attributes.string("URI"),
            iv: attributes.bytes("IV"),
            format: try attributes.string("KEYFORMAT") ?? "identity"
        )
    }

    private func map(_ tag: PlaylistTag) throws(SegmentError) -> SegmentMap {
        let attributes = AttributeList(tag.value, variables: variables)
        guard let uri = try attributes.string("URI") else { throw .malformed(line: tag.line, "no URI") }
        let range = attributes.byteRange("BYTERANGE")
        return SegmentMap(
            uri: uri,
            byteRange: range.map { ByteRange(offset: $0.offset ?? 0, length: $0.length) },
            encryption: keys.current(sequence: playlist.mediaSequence + playlist.segments.count)
        )
    }
}
