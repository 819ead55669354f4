/// The segments of one rendition (RFC 8216, section 4.3.3).
package struct MediaPlaylist: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Complete.
        case vod
        /// Segments are added, none removed.
        case event
        /// Segments are added and removed.
        case live
    }

    package var kind = Kind.live
    /// The upper limit of the segments' rounded lengths, in seconds; above zero.
    package var targetDuration: Double = 0
    /// The number of the first segment.
    package var mediaSequence = 0
    package var segments: [MediaSegment] = []
    package var start: PlaylistStart?
    /// Seconds from the end that live playback should keep.
    package var holdBack: Double?
    /// Seconds for which a live playlist stays unchanged; `nil`: a segment's length.
    package var refreshInterval: Double?

    package init(kind: Kind = .live, targetDuration: Double = 0, mediaSequence: Int = 0, segments: [MediaSegment] = [])
    {
        self.kind = kind
        self.targetDuration = targetDuration
        self.mediaSequence = mediaSequence
        self.segments = segments
    }

    /// Seconds after which a live playlist is reloaded.
    package var reloadInterval: Double { refreshInterval ?? targetDuration }
    /// Whether more segments may come.
    package var isLive: Bool { kind != .vod }
    /// The number after the last segment's.
    package var endSequence: Int { mediaSequence + segments.count }
    /// Seconds of all segments together.
    package var duration: Double { segments.reduce(0) { $0 + $1.duration } }
}

/// A segment of a rendition (section 4.3.2).
package struct MediaSegment: Sendable, Hashable {
    /// As written: relative to the playlist.
    package var uri: String
    /// Seconds.
    package var duration: Double
    /// `nil` is the whole resource.
    package var byteRange: ByteRange?
    /// The number of discontinuities before it since the presentation began: segments with the same number share a
    /// clock.
    package var discontinuity = 0
    package var encryption: SegmentEncryption?
    /// The initialisation section that a demuxer has to read before it.
    package var map: SegmentMap?
    /// Whether the server declares it missing.
    package var isGap = false
    /// When it was recorded, in seconds since 1970; declared, or derived from another segment's date.
    package var date: Double?
    /// The timestamp of its start, in seconds, if declared; otherwise known from its demuxer.
    package var mediaTime: Double?
    /// Seconds from its start to the end of its clock's part, if declared; it is not audible beyond that.
    package var soundLeft: Double?

    package init(
        uri: String,
        duration: Double,
        byteRange: ByteRange? = nil,
        discontinuity: Int = 0,
        encryption: SegmentEncryption? = nil,
        map: SegmentMap? = nil,
        isGap: Bool = false,
        date: Double? = nil,
        mediaTime: Double? = nil
    ) {
        self.uri = uri
        self.duration = duration
        self.byteRange = byteRange
        self.discontinuity = discontinuity
        self.encryption = encryption
        self.map = map
        self.isGap = isGap
        self.date = date
        self.mediaTime = mediaTime
    }
}

/// Bytes of a resource.
package struct ByteRange: Sendable, Hashable {
    package var offset: Int
    package var length: Int
    package var end: Int { offset + length }

    package init(offset: Int, length: Int) {
        self.offset = offset
        self.length = length
    }
}

/// A part of a resource that initialises a demuxer (section 4.3.2.5).
package struct SegmentMap: Sendable, Hashable {
    package var uri: String
    package var byteRange: ByteRange?
    package var encryption: SegmentEncryption?

    package init(uri: String, byteRange: ByteRange? = nil, encryption: SegmentEncryption? = nil) {
        self.uri = uri
        self.byteRange = byteRange
        self.encryption = encryption
    }
}

/// How a segment is encrypted (section 4.3.2.4).
package enum SegmentEncryption: Sendable, Hashable {
    /// AES-128 in CBC mode with PKCS7 padding over the whole segment.
    ///
    /// - Parameters:
    ///   - key: The key's location, as written.
    ///   - iv: 16 bytes.
    case aes128(key: String, iv: [UInt8])
    /// Another method, by its name.
    case unsupported(String)
}
