internal import Playlists
internal import Segments

/// An element of a manifest's XML, with the children that a player needs; names are in lower case.
struct ManifestElement {
    let name: String
    let attributes: [String: String]
    var text = ""
    var children: [ManifestElement] = []
    /// The `S` elements of a `SegmentTimeline`, which may be very many.
    var times: [TimelineEntry] = []
    /// The `SegmentURL` elements of a `SegmentList`.
    var locations: [SegmentLocation] = []

    subscript(attribute: String) -> String? { attributes[attribute] }

    /// The first child with a name.
    func first(_ name: String) -> ManifestElement? { children.first { $0.name == name } }

    func all(_ name: String) -> [ManifestElement] { children.filter { $0.name == name } }
}

/// `S`: segments of equal length (section 5.3.9.6).
struct TimelineEntry: Sendable, Hashable {
    /// In the timescale; `nil`: at the end of the entry before.
    var time: Int?
    var duration: Int
    /// How many segments of the same length follow; negative: until the next entry, or to the end.
    var repetitions: Int
}

/// `SegmentURL` (section 5.3.9.3).
struct SegmentLocation: Sendable, Hashable {
    /// As written; `nil` is the representation's own location.
    var media: String?
    var range: ByteRange?
}

extension ManifestElement {
    private static let names: Set<String> = [
        "mpd", "period", "adaptationset", "representation", "baseurl", "location", "segmenttemplate", "segmentlist",
        "segmentbase", "segmenttimeline", "initialization", "role", "accessibility", "label", "contentcomponent",
        "audiochannelconfiguration", "contentprotection", "utctiming",
    ]

    /// Parses a document's `MPD`.
    static func parse(_ bytes: [UInt8]) throws(SegmentError) -> ManifestElement {
        guard bytes.count <= ManifestLimits.bytes else { throw .tooLarge("the manifest") }
        var reader = XMLReader(bytes, nestingLimit: ManifestLimits.nesting)
        var stack: [ManifestElement] = []
        var counts = (elements: 0, entries: 0)
        /// The number of open elements that are not needed.
        var strangers = 0
        while let event = reader.next() {
            switch event {
            case .start(let name, let attributes):
                if strangers == 0, let last = stack.indices.last, stack[last].take(name, attributes) {
                    counts.entries += 1
                    strangers = 1
                } else if strangers > 0 || !names.contains(name) || attributes["xlink:href"] == Self.nothing {
                    strangers += 1
                } else {
                    counts.elements += 1
                    stack.append(ManifestElement(name: name, attributes: attributes))
                }
                guard counts.elements <= ManifestLimits.elements, counts.entries <= ManifestLimits.segments else {
                    throw .tooLarge("the manifest")
                }
            case .text(let text):
                if strangers == 0, let last = stack.indices.last { stack[last].text += text }
            case .end:
                if strangers > 0 {
                    strangers -= 1
                } else if let element = stack.popLast() {
                    guard let last = stack.indices.last else { return try root(element) }
                    stack[last].children.append(element)
                }
            }
        }
        throw .badManifest(reader.fault == nil ? "it has no MPD" : "it breaks off, or is not XML")
    }

    /// The URN of an element that is to be ignored (section 5.5.3).
    private static let nothing = "urn:mpeg:dash:resolve-to-zero:2013"

    private static func root(_ element: ManifestElement) throws(SegmentError) -> ManifestElement {
        guard element.name == "mpd" else { throw .badManifest("it has no MPD") }
        return element
    }

    /// Stores an element that lists segments one by one.
    ///
    /// - Returns: Whether it was one.
    private mutating func take(_ child: String, _ attributes: [String: String]) -> Bool {
        switch (name, child) {
        case ("segmenttimeline", "s"):
            times.append(
                TimelineEntry(
                    time: wholeNumber(attributes["t"]),
                    duration: wholeNumber(attributes["d"]) ?? 0,
                    repetitions: attributes["r"].flatMap { Int($0) } ?? 0
                )
            )
        case ("segmentlist", "segmenturl"):
            let range = byteRange(attributes["mediaRange"])
            locations.append(SegmentLocation(media: attributes["media"], range: range))
        default: return false
        }
        return true
    }
}
