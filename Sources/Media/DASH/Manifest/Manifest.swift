internal import Segments

/// A presentation of DASH (ISO/IEC 23009-1, section 5.3.1): when there is what, and where its segments are.
struct Manifest: Sendable, Hashable {
    /// Whether more may come, or may come to be available.
    var isDynamic = false
    /// The moment that the presentation's times count from, in seconds since 1970.
    var availabilityStart: Double?
    /// Seconds of the whole; `nil` while nobody knows.
    var duration: Double?
    /// Seconds for which it says the same; `nil`: for ever.
    var updatePeriod: Double?
    /// Seconds for which a segment stays (`timeShiftBufferDepth`).
    var depth: Double?
    /// Seconds that live playing keeps from the newest segment (`suggestedPresentationDelay`).
    var delay: Double?
    /// Seconds that no segment exceeds.
    var longestSegment: Double?
    /// Where newer ones are.
    var location: String?
    var clocks: [ManifestClock] = []
    /// One after the other.
    var periods: [Period] = []

    /// Whether it lists its newest segments, so that newer ones come only with a newer manifest.
    var isListing: Bool {
        guard let addressing = periods.last?.representations.first?.addressing else { return false }
        return addressing.timeline != nil || addressing.kind != .template
    }

    /// Seconds after which there may be a newer one; `nil`: never.
    var refreshPeriod: Double? {
        guard isDynamic else { return nil }
        // Some forget to say it of what cannot go on otherwise.
        return updatePeriod ?? (isListing && periods.last?.duration == nil ? 2 : nil)
    }
}

/// Where the time of day is told that the manifest's author goes by (`UTCTiming`, section 5.8.4.11).
struct ManifestClock: Sendable, Hashable {
    var scheme: String
    var value: String
}

/// A stretch of time with its own media (section 5.3.2).
struct Period: Sendable, Hashable {
    /// What names it as long as the presentation lasts.
    var id: String
    /// Seconds in the presentation.
    var start: Double
    /// `nil` while nobody knows.
    var duration: Double?
    /// Whether another one follows, so that nothing of it is heard behind its end.
    var isFollowed = false
    var representations: [Representation] = []
}

/// One encoding of one sound (section 5.3.5), with what is said of its adaptation set (5.3.3).
struct Representation: Sendable, Hashable {
    var id: String
    /// Its bits per second, its codecs, and whether it has a picture.
    var variant: Variant
    /// Whether it is said to be nothing but sound.
    var isSound = false
    var mimeType: String
    /// By RFC 5646.
    var language: String?
    /// What people call it, or what its roles are.
    var name: String
    var isMain = false
    /// Whether it is another sound than most want to hear: a commentary, a description of pictures.
    var isSpecial = false
    var channelCount: Int?
    /// By which its segments are encrypted; `nil` in the clear.
    var protection: String?
    /// The location that its segments' ones are relative to.
    var base: String
    var addressing: Addressing
}

/// How the segments of a representation are found (section 5.3.9).
struct Addressing: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case template, list
        /// One file, with an index in it or without.
        case file
    }

    var kind = Kind.file
    /// Ticks per second of all that follows.
    var timescale = 1
    /// The time stamp, in ticks, with which the period begins (`presentationTimeOffset`).
    var offset = 0
    /// Ticks of a segment.
    var duration: Int?
    var startNumber = 1
    var endNumber: Int?
    var timeline: [TimelineEntry]?
    /// The template of the segments' locations.
    var media: String?
    var locations: [SegmentLocation] = []
    var initialization: SegmentLocation?
    /// Where a file's index is.
    var indexRange: ByteRange?
}
