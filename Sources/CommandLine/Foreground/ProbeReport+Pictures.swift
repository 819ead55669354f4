internal import AudioTypes
internal import CommandOptions
internal import PictureValues
internal import TextEncodings

/// The pictures and films of a medium.
extension ProbeReport {
    /// `image`, `video` or `audio`, as the library has it; `nil` for other contents, such as subtitles alone.
    static func kind(_ info: MediaInfo) -> String? {
        if info.videoStream != nil { return "video" }
        return info.audioStreams.isEmpty ? nil : "audio"
    }

    /// In ISO 8601.
    static func captured(_ info: MediaInfo) -> String? { info.captured.flatMap { CaptureDate($0) }?.description }

    // MARK: - Pictures

    static func facts(_ picture: PictureHeader) -> [(label: String, value: String)] {
        var facts = [("Kind", "image"), ("Container", picture.format), ("Codec", picture.codec)]
        let (size, orientation) = (picture.shownSize, picture.orientation)
        let turn = orientation == .up ? "" : ", stored as \(picture.size), \(orientation.description)"
        facts.append(("Dimensions", "\(size)\(turn)"))
        if let date = picture.captured { facts.append(("Captured", "\(date)")) }
        if !picture.subtypes.isEmpty { facts.append(("Made as", picture.subtypes.names.joined(separator: ", "))) }
        let colours = [
            picture.colourSpace?.name, picture.hdr?.rawValue, picture.bitsPerSample.map { "\($0) bit" },
        ]
        let known = colours.compactMap(\.self)
        if !known.isEmpty { facts.append(("Colours", known.joined(separator: ", "))) }
        return facts
    }

    static func fields(_ picture: PictureHeader) -> [JSON.Field] {
        [
            .init("kind", .string("image")),
            .init("container", .string(picture.format)),
            .init("codec", .string(picture.codec)),
            .init("width", .integer(picture.shownSize.width)),
            .init("height", .integer(picture.shownSize.height)),
            .init("orientation", .integer(picture.orientation.rawValue)),
            .init("captured", .optional(picture.captured?.description)),
            .init("colour_space", .optional(picture.colourSpace?.name)),
            .init("hdr", .optional(picture.hdr?.rawValue)),
            .init("bits_per_sample", .optional(picture.bitsPerSample)),
            .init("subtypes", picture.subtypes.isEmpty ? .null : .array(picture.subtypes.names.map(JSON.string))),
        ]
    }

    // MARK: - Films

    static func description(_ video: VideoTraits) -> [String] {
        var facts: [String] = []
        if let rate = video.frameRate {
            facts.append("\(ItemText.factor(rate, digits: 3)) frames/s" + (video.isVariable ? " on average" : ""))
        }
        if let aspect = video.sampleAspect { facts.append("pixels \(aspect.width):\(aspect.height)") }
        if video.isInterlaced == true { facts.append("interlaced") }
        if video.rotation != 0 { facts.append("turned \(video.rotation)° clockwise") }
        return facts + [video.colourSpace, video.hdr].compactMap(\.self)
    }

    static func fields(_ video: VideoTraits) -> [JSON.Field] {
        [
            .init("frame_rate", .optional(video.frameRate)),
            .init("variable_frame_rate", .bool(video.isVariable)),
            .init("sample_aspect_ratio", .optional(video.sampleAspect.map { "\($0.width):\($0.height)" })),
            .init("interlaced", video.isInterlaced.map(JSON.bool) ?? .null),
            .init("rotation", .integer(video.rotation)),
            .init("colour_space", .optional(video.colourSpace)),
            .init("hdr", .optional(video.hdr)),
        ]
    }
}

extension PictureOrientation {
    /// The turns by which the stored picture is shown.
    fileprivate var description: String {
        switch self {
        case .up: "upright"
        case .upMirrored: "mirrored"
        case .down: "turned 180°"
        case .downMirrored: "upside down and mirrored"
        case .leftMirrored: "mirrored and turned 270° clockwise"
        case .right: "turned 90° clockwise"
        case .rightMirrored: "mirrored and turned 90° clockwise"
        case .left: "turned 270° clockwise"
        }
    }
}
