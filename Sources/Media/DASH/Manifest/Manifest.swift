internal import Segments

/// A DASH presentation (ISO/IEC 23009-1, section 5.3.1): its periods, and the locations of its segments.
struct Manifest: Sendable, Hashable {
    /// Whether segments may still be added or become available.
    var isDynamic = false
    /// The origin of the presentation's times, in seconds since 1970.
    var availabilityStart: Double?
    /// Seconds of the whole; `nil` when unknown.
    var duration: Double?
    /// Seconds for which the manifest is valid; `nil`: indefinitely.
    var updatePeriod: Double?
    /// Seconds for which a segment stays available (`timeShiftBufferDepth`).
    var depth: Double?
    /// Seconds that live playback stays behind the newest segment (`suggestedPresentationDelay`).
    var delay: Double?
    /// An upper limit of the segments' length, in seconds.
    var longestSegment: Double?
    /// The location of newer manifests.
    var location: String?
    var clocks: [ManifestClock] = []
    /// In order.
    var periods: [Period] = []

    /// Whether it lists its newest segments, so that newer ones come only with a newer manifest.
    var isListing: Bool {
        guard let addressing = periods.last?.representations.first?.addressing else { return false }
        return addressing.timeline != nil || addressing.kind != .template
    }

    /// Seconds after which there may be a newer manifest; `nil`: never.
    var refreshPeriod: Double? {
        guard isDynamic else { return nil }
        // Some manifests omit the period although they cannot continue without an update.
        return updatePeriod ?? (isListing && periods.last?.duration == nil ? 2 : nil)
    }
}

/// A source of the time of day that the manifest's author uses (`UTCTiming`, section 5.8.4.11).
struct ManifestClock: Sendable, Hashable {
    var scheme: String
    var value: String
}

/// A stretch of the presentation with its own media (section 5.3.2).
struct Period: Sendable, Hashable {
    /// Identifies it throughout the presentation.
    var id: String
    /// Seconds in the presentation.
    var start: Double
    /// `nil` when unknown.
    var duration: Double?
    /// Whether another one follows, so that it is not played beyond its end.
    var isFollowed = false
    var representations: [Representation] = []
}

/// One encoding of one sound (section 5.3.5), with the attributes of its adaptation set (5.3.3).
struct Representation: Sendable, Hashable {
    var id: String
    /// Its bandwidth, its codecs, and whether it has a picture.
    var variant: Variant
    /// Whether it is declared as audio only.
    var isSound = false
    var mimeType: String
    /// In the form of RFC 5646.
    var language: String?
    /// Its label, or its roles.
    var name: String
    var isMain = false
    /// Whether it is not the main sound: a commentary or an audio description.
    var isSpecial = false
    var channelCount: Int?
    /// The encryption scheme of its segments; `nil` in the clear.
    var protection: String?
    /// The base URL of its segments.
    var base: String
    var addressing: Addressing
}

/// How to locate the segments of a representation (section 5.3.9).
struct Addressing: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case template, list
        /// One file, with or without an index.
        case file
    }

    var kind = Kind.file
    /// Ticks per second of the fields below.
    var timescale = 1
    /// The timestamp, in ticks, of the period's start (`presentationTimeOffset`).
    var offset = 0
    /// Ticks per segment.
    var duration: Int?
    var startNumber = 1
    var endNumber: Int?
    var timeline: [TimelineEntry]?
    /// The template of the segments' locations.
    var media: String?
    var locations: [SegmentLocation] = []
    var initialization: SegmentLocation?
    /// The location of a file's index.
    var indexRange: ByteRange?
}
