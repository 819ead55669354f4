internal import Playlists
internal import Segments

/// Creates the segments of a representation from their times.
struct SegmentMaker {
    private let representation: Representation
    private let addressing: Addressing
    /// The URL that the segments' locations are relative to.
    private let base: String
    private let encryption: SegmentEncryption?

    init(_ representation: Representation, base: String) {
        self.representation = representation
        addressing = representation.addressing
        self.base = base
        encryption = representation.protection.map { .unsupported($0) }
    }

    /// - Returns: Each with its start, in seconds of the presentation.
    func segments(_ runs: [SegmentRun], _ period: Period) throws(SegmentError) -> [(MediaSegment, start: Double)] {
        let template = try addressing.media.map { text throws(SegmentError) in try URLTemplate(text, of: representation)
        }
        let map = try map()
        let scale = Double(addressing.timescale)
        var result: [(MediaSegment, start: Double)] = []
        for run in runs {
            for index in 0..<run.count {
                let number = run.number + index
                let time = run.time + index * run.duration
                var uri: String
                var range: ByteRange?
                if addressing.kind == .list {
                    let place = number - addressing.startNumber
                    guard addressing.locations.indices.contains(place) else { continue }
                    uri = addressing.locations[place].media ?? ""
                    range = addressing.locations[place].range
                } else {
                    guard let template else { throw .badManifest("its segments have no template") }
                    if let last = addressing.endNumber, number > last { continue }
                    uri = template.location(number: number, time: time)
                    guard uri.utf8.count <= ManifestLimits.location else { throw .tooLarge("a location") }
                }
                if uri.isEmpty { uri = representation.base }
                let segment = MediaSegment(
                    uri: relative(uri),
                    duration: Double(run.duration) / scale,
                    byteRange: range,
                    encryption: encryption,
                    map: map,
                    mediaTime: Double(time) / scale
                )
                result.append((segment, period.start + Double(time - addressing.offset) / scale))
            }
        }
        return result
    }

    /// The segments of one file: from its index, or the whole file as one.
    func file(_ index: SegmentIndex?, _ period: Period) throws(SegmentError) -> [(MediaSegment, start: Double)] {
        let uri = relative(representation.base)
        guard let index else {
            let length = period.duration ?? 0
            // An initialisation section in the same file is part of it.
            let map = addressing.initialization?.media == nil ? nil : try map()
            return [(MediaSegment(uri: uri, duration: length, encryption: encryption, map: map), period.start)]
        }
        let head = SegmentMap(uri: uri, byteRange: ByteRange(offset: 0, length: index.head))
        let map = try map() ?? head
        let offset = Double(addressing.offset) / Double(addressing.timescale)
        return index.entries.map { entry in
            let start = period.start + entry.time - offset
            let rest = period.duration.map { max(period.start + $0 - start, 0) } ?? 0
            let segment = MediaSegment(
                uri: uri,
                duration: entry.duration > 0 ? entry.duration : rest,
                byteRange: entry.range,
                encryption: encryption,
                map: map,
                mediaTime: entry.time
            )
            return (segment, start)
        }
    }

    private func map() throws(SegmentError) -> SegmentMap? {
        guard let written = addressing.initialization else { return nil }
        var uri = written.media ?? representation.base
        if addressing.kind == .template, written.range == nil {
            uri = try URLTemplate(uri, of: representation).location()
        }
        return SegmentMap(uri: relative(uri), byteRange: written.range)
    }

    /// A location of the representation, relative to `base`.
    private func relative(_ uri: String) -> String {
        representation.base == base ? uri : resolve(uri, against: representation.base, as: .uri)
    }
}
