/// The segments of one rendition (RFC 8216, section 4.3.3).
package struct MediaPlaylist: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// All that will ever be is there.
        case vod
        /// Segments are added, none leave.
        case event
        /// Segments are added and leave.
        case live
    }

    package var kind = Kind.live
    /// Seconds that no segment exceeds when rounded; above zero.
    package var targetDuration: Double = 0
    /// The number of the first segment.
    package var mediaSequence = 0
    package var segments: [MediaSegment] = []
    package var start: PlaylistStart?
    /// Seconds from the end that the server wants live playing to keep.
    package var holdBack: Double?
    /// Seconds for which a live playlist says the same; `nil`: a segment's length.
    package var refreshInterval: Double?

    package init(kind: Kind = .live, targetDuration: Double = 0, mediaSequence: Int = 0, segments: [MediaSegment] = [])
    {
        self.kind = kind
        self.targetDuration = targetDuration
        self.mediaSequence = mediaSequence
        self.segments = segments
    }

    /// Seconds after which a live playlist is looked at again.
    package var reloadInterval: Double { refreshInterval ?? targetDuration }
    /// Whether more segments may come.
    package var isLive: Bool { kind != .vod }
    /// The number after the last segment's.
    package var endSequence: Int { mediaSequence + segments.count }
    /// Seconds of all segments together.
    package var duration: Double { segments.reduce(0) { $0 + $1.duration } }
}

/// A piece of a rendition (section 4.3.2).
package struct MediaSegment: Sendable, Hashable {
    /// As written: relative to the playlist.
    package var uri: String
    /// Seconds.
    package var duration: Double
    /// `nil` is the whole resource.
    package var byteRange: ByteRange?
    /// Counts the discontinuities before it since the presentation began: what has the same number has one clock.
    package var discontinuity = 0
    package var encryption: SegmentEncryption?
    /// What a demuxer has to read before it.
    package var map: SegmentMap?
    /// Whether the server says that it is missing.
    package var isGap = false
    /// When it was recorded, in seconds since 1970; of the segments whose moment is written or follows from another's.
    package var date: Double?
    /// The time stamp with which it begins, in seconds, where the author says; else its demuxer tells.
    package var mediaTime: Double?
    /// Seconds from its beginning to the end of what has its clock, where the author says; nothing is heard behind that.
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
    ///   - key: Where the key is, as written.
    ///   - iv: 16 bytes.
    case aes128(key: String, iv: [UInt8])
    /// Something else, by its name.
    case unsupported(String)
}
