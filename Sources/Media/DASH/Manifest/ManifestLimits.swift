/// Limits of a manifest; exceeding them is an error.
enum ManifestLimits {
    /// Bytes of a document.
    static let bytes = 8 << 20
    /// Nested elements.
    static let nesting = 24
    /// Stored elements, without those that only list segments.
    static let elements = 50_000
    /// Representations of one adaptation set.
    static let representations = 1_000
    /// Segments of a presentation with an end: nine days of four seconds each.
    ///
    /// Also the limit of segments listed one by one.
    static let segments = 200_000
    /// Segments of a live presentation: the newest ones.
    static let liveSegments = 2_000
    /// The largest number, so that sums of a few do not overflow.
    static let number = 1 << 60
    /// Bytes of a segment index: 65,535 entries in MP4.
    static let index = 4 << 20
    /// Files with an index of their own: each costs a request.
    static let indexes = 100
    /// Bytes of a location expanded from a template.
    static let location = 65_536
}
