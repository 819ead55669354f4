internal import Segments

/// Parses a manifest, and applies inherited attributes.
///
/// Invalid parts are left out if the rest makes sense without them.
struct ManifestParser {
    private var manifest = Manifest()

    /// - Parameter url: The URL of the manifest.
    static func parse(_ bytes: [UInt8], url: String) throws(SegmentError) -> Manifest {
        var parser = ManifestParser()
        try parser.read(ManifestElement.parse(bytes), url: url)
        return parser.manifest
    }

    private mutating func read(_ root: ManifestElement, url: String) throws(SegmentError) {
        manifest.isDynamic = root["type"] == "dynamic"
        manifest.availabilityStart = seconds(ofDate: root["availabilityStartTime"])
        manifest.duration = seconds(ofDuration: root["mediaPresentationDuration"])
        manifest.updatePeriod = seconds(ofDuration: root["minimumUpdatePeriod"])
        manifest.depth = seconds(ofDuration: root["timeShiftBufferDepth"])
        manifest.delay = seconds(ofDuration: root["suggestedPresentationDelay"])
        manifest.longestSegment = seconds(ofDuration: root["maxSegmentDuration"])
        manifest.clocks = root.all("utctiming").prefix(8).map {
            ManifestClock(scheme: $0["schemeIdUri"] ?? "", value: $0["value"] ?? "")
        }
        if let place = root.first("location"), !trimmed(place.text).isEmpty {
            manifest.location = try location(trimmed(place.text), in: url, what: "the manifest's new place")
        }
        let base = try base(of: root, in: url)
        for element in root.all("period") { try read(period: element, base: base) }
        guard !manifest.periods.isEmpty else { throw .badManifest("it has no Period") }
        if let last = manifest.periods.indices.last, manifest.periods[last].duration == nil,
            let end = manifest.duration, end > manifest.periods[last].start
        {
            manifest.periods[last].duration = end - manifest.periods[last].start
        }
    }

    private mutating func read(period element: ManifestElement, base: String) throws(SegmentError) {
        let last = manifest.periods.last
        let told = seconds(ofDuration: element["start"])
        // Without a start it follows the period before; if that has no known end, it is only announced.
        guard let start = told ?? (last == nil ? 0 : last?.duration.map { (last?.start ?? 0) + $0 }) else { return }
        if let last, start < last.start { throw .badManifest("its periods are out of order") }
        if let index = manifest.periods.indices.last {
            let length = start - manifest.periods[index].start
            manifest.periods[index].duration = min(manifest.periods[index].duration ?? length, length)
            manifest.periods[index].isFollowed = true
        }
        var period = Period(id: element["id"] ?? "at \(start)", start: start)
        period.duration = seconds(ofDuration: element["duration"])
        let place = try self.base(of: element, in: base)
        let inherited = Inherited().merged(with: element)
        for set in element.all("adaptationset") {
            let setBase = try self.base(of: set, in: place)
            let setInherited = inherited.merged(with: set)
            for child in set.all("representation").prefix(ManifestLimits.representations) {
                let base = try self.base(of: child, in: setBase)
                let addressing = try setInherited.merged(with: child).addressing()
                guard let made = Representation(child, in: set, base: base, addressing) else { continue }
                period.representations.append(made)
            }
        }
        manifest.periods.append(period)
    }

    /// The base URL within an element: of several servers the first.
    private func base(of element: ManifestElement, in outer: String) throws(SegmentError) -> String {
        guard let written = element.first("baseurl").map({ trimmed($0.text) }), !written.isEmpty else { return outer }
        return try location(written, in: outer, what: "a base location")
    }
}

// MARK: - Representations

extension Representation {
    /// - Returns: `nil` for a representation without sound.
    fileprivate init?(
        _ element: ManifestElement,
        in set: ManifestElement,
        base: String,
        _ addressing: Addressing
    ) {
        func attribute(_ name: String) -> String? { element[name] ?? set[name] }
        let mimeType = (attribute("mimeType") ?? "").lowercased()
        let parts = set.all("contentcomponent").compactMap { $0["contentType"] }
        let content = [attribute("contentType"), mimeType.split(separator: "/").first.map(String.init)].compactMap(
            \.self
        )
        let hasPicture = content.contains("video") || attribute("width") != nil
        let codecs = (attribute("codecs") ?? "").split { $0 == "," || $0 == " " }.prefix(16).map(String.init)
        let variant = Variant(
            uri: base,
            bandwidth: wholeNumber(element["bandwidth"]) ?? 0,
            codecs: codecs,
            hasResolution: hasPicture
        )
        guard !content.contains("text"), !content.contains("image") else { return nil }
        guard variant.mayHaveAudio || parts.contains("audio") else { return nil }
        id = element["id"] ?? ""
        self.variant = variant
        self.mimeType = mimeType
        isSound = !hasPicture && variant.kind != .video && (content.contains("audio") || variant.kind == .audio)
        // Neither sound nor picture is application data: events, subtitles.
        guard isSound || hasPicture || variant.kind != .unknown || content.isEmpty else { return nil }
        language = attribute("lang").flatMap { ["", "und", "zxx"].contains($0.lowercased()) ? nil : $0 }
        let roles = set.all("role").compactMap { $0["value"] } + element.all("role").compactMap { $0["value"] }
        isMain = roles.contains("main")
        let special = ["commentary", "description", "supplementary", "karaoke", "emergency"]
        isSpecial = roles.contains(where: special.contains) || set.first("accessibility") != nil
        let label = trimmed(set.first("label")?.text ?? set["label"] ?? "")
        name = label.isEmpty ? roles.filter { $0 != "main" }.joined(separator: " ") : label
        let channels = element.first("audiochannelconfiguration") ?? set.first("audiochannelconfiguration")
        channelCount = channels.flatMap(Self.count)
        protection = Self.protection(element.all("contentprotection") + set.all("contentprotection"))
        self.base = base
        self.addressing = addressing
    }

    private static func count(_ channels: ManifestElement) -> Int? {
        // Other schemes name speakers.
        guard channels["schemeIdUri"]?.hasSuffix("audio_channel_configuration:2011") == true else { return nil }
        return wholeNumber(channels["value"])
    }

    private static func protection(_ elements: [ManifestElement]) -> String? {
        guard let first = elements.first else { return nil }
        let common = elements.first { $0["schemeIdUri"]?.lowercased() == "urn:mpeg:dash:mp4protection:2011" }
        guard let common else { return "a scheme of its own (\((first["schemeIdUri"] ?? "").prefix(100)))" }
        return "Common Encryption (\((common["value"] ?? "cenc").prefix(20)))"
    }
}

// MARK: - Addressing

/// `SegmentTemplate`, `SegmentList` and `SegmentBase`, merged with outer ones of the same kind (section 5.3.9.1).
private struct Inherited {
    private var templates: ManifestElement?
    private var lists: ManifestElement?
    private var files: ManifestElement?
    private var kind = Addressing.Kind.file

    /// The addressing within an element; of several kinds the innermost.
    func merged(with element: ManifestElement) -> Inherited {
        var result = self
        if let own = element.first("segmentbase") { (result.files, result.kind) = (own.over(files), .file) }
        if let own = element.first("segmentlist") { (result.lists, result.kind) = (own.over(lists), .list) }
        if let own = element.first("segmenttemplate") {
            (result.templates, result.kind) = (own.over(templates), .template)
        }
        return result
    }

    func addressing() throws(SegmentError) -> Addressing {
        var result = Addressing()
        result.kind = kind
        guard let element = kind == .template ? templates : kind == .list ? lists : files else { return result }
        result.timescale = wholeNumber(element["timescale"]) ?? 1
        guard (1...1_000_000_000).contains(result.timescale) else { throw .badManifest("its timescale is invalid") }
        result.offset = wholeNumber(element["presentationTimeOffset"]) ?? 0
        result.duration = wholeNumber(element["duration"]).flatMap { $0 > 0 ? $0 : nil }
        result.startNumber = wholeNumber(element["startNumber"]) ?? 1
        result.endNumber = wholeNumber(element["endNumber"])
        result.timeline = element.first("segmenttimeline")?.times
        result.media = element["media"]
        result.locations = element.locations
        result.indexRange = byteRange(element["indexRange"])
        if let first = element.first("initialization") {
            result.initialization = SegmentLocation(media: first["sourceURL"], range: byteRange(first["range"]))
        } else if let first = element["initialization"] {
            result.initialization = SegmentLocation(media: first)
        }
        return result
    }
}

extension ManifestElement {
    /// The element, with an outer element's attributes where this one has none.
    fileprivate func over(_ outer: ManifestElement?) -> ManifestElement {
        guard let outer else { return self }
        var result = ManifestElement(name: name, attributes: outer.attributes.merging(attributes) { $1 })
        let missing = outer.children.filter { child in first(child.name) == nil }
        result.children = children + missing
        result.locations = locations.isEmpty ? outer.locations : locations
        return result
    }
}
