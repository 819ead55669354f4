/// How much of a manifest is read; what is beyond is an error, not a surprise.
enum ManifestLimits {
    /// Bytes of a document.
    static let bytes = 8 << 20
    /// Elements within each other.
    static let nesting = 24
    /// Elements that are kept, without those that only list segments.
    static let elements = 50_000
    /// Representations of one adaptation set.
    static let representations = 1_000
    /// Segments of a presentation with an end: nine days of four seconds each.
    ///
    /// So many may be listed one by one, too.
    static let segments = 200_000
    /// Segments of a live presentation: its newest.
    static let liveSegments = 2_000
    /// The largest number, so that a few can be added up without overflow.
    static let number = 1 << 60
    /// Bytes of an index of segments: 65,535 of them in MP4.
    static let index = 4 << 20
    /// Files with an index of their own: each costs a request.
    static let indexes = 100
    /// Bytes of a location after its template was filled in.
    static let location = 65_536
}
