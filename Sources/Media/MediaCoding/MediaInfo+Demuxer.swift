internal import AudioTypes
private import CFFmpeg
private import FFmpegValues
private import PictureValues

extension Demuxer {
    /// The container's metadata.
    func info() -> MediaInfo {
        var info = MediaInfo(container: container)
        if let duration = unsafe known(context.pointee.duration) {
            info.duration = MediaTime(seconds: Double(duration) / Double(AV_TIME_BASE))
        }
        let bitRate = unsafe Int(context.pointee.bit_rate)
        info.bitRate = bitRate > 0 ? bitRate : nil
        info.isSeekable = isSeekable
        for index in 0..<streamCount { info.streams.append(streamInfo(index)) }
        info.chapters = chapters()
        unsafe Self.append(context.pointee.metadata, to: &info.tags)
        // Ogg stores its comments in the stream.
        for index in 0..<streamCount where kind(of: index) == .audio && info.tags.isEmpty {
            unsafe Self.append(stream(index).pointee.metadata, to: &info.tags)
        }
        info.replayGain = ReplayGain(tags: info.tags)
        return info
    }

    private func known(_ time: Int64) -> Int64? { time == segue_AV_NOPTS_VALUE ? nil : time }

    private func streamInfo(_ index: Int) -> StreamInfo {
        let stream = unsafe stream(index)
        guard let parameters = unsafe stream.pointee.codecpar else {
            return StreamInfo(index: index, kind: .data, codec: "unknown")
        }
        let codec = unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id))
        var info = StreamInfo(index: index, kind: kind(of: index), codec: codec)
        if let profile = unsafe avcodec_profile_name(parameters.pointee.codec_id, parameters.pointee.profile) {
            info.profile = unsafe String(cString: profile)
        }
        var tags = Tags()
        unsafe Self.append(stream.pointee.metadata, to: &tags)
        info.language = tags["language"] == "und" ? nil : tags["language"]
        info.title = info.kind == .audio && container == "ogg" ? nil : tags.title
        let dispositions = unsafe stream.pointee.disposition
        info.dispositions = Self.dispositionNames.filter { dispositions & $0.bit != 0 }.map(\.name)
        let bitRate = unsafe Int(parameters.pointee.bit_rate)
        info.bitRate = bitRate > 0 ? bitRate : nil
        switch info.kind {
        case .audio:
            let rate = unsafe Int(parameters.pointee.sample_rate)
            info.sampleRate = rate > 0 ? rate : nil
            let count = unsafe Int(parameters.pointee.ch_layout.nb_channels)
            let mask = unsafe segue_layout_mask(&parameters.pointee.ch_layout)
            info.channels = mask != 0 ? ChannelLayout(mask: mask) : count > 0 ? ChannelLayout(count: count) : nil
            let bits = unsafe Int(segue_exact_bits(parameters))
            info.bitsPerSample = bits > 0 ? bits : nil
        case .video, .cover:
            let (width, height) = unsafe (Int(parameters.pointee.width), Int(parameters.pointee.height))
            info.width = width > 0 ? width : nil
            info.height = height > 0 ? height : nil
            if info.kind == .video { info.video = traits(of: index) }
        case .subtitle, .data, .attachment: break
        }
        return info
    }

    private func traits(of index: Int) -> VideoTraits {
        let stream = unsafe stream(index)
        let parameters = unsafe stream.pointee.codecpar.pointee
        var traits = VideoTraits()
        (traits.frameRate, traits.isVariable) = unsafe frameRate(stream)
        let aspect = unsafe av_guess_sample_aspect_ratio(context, stream, nil)
        if aspect.num != aspect.den { traits.sampleAspect = .init(Int(aspect.num), Int(aspect.den)) }
        switch unsafe parameters.field_order {
        case AV_FIELD_UNKNOWN: break
        case let order: traits.isInterlaced = order != AV_FIELD_PROGRESSIVE
        }
        let turn = unsafe segue_display_rotation(stream)
        if !turn.isNaN { traits.rotation = (Int(saturating: -turn.rounded()) % 360 + 360) % 360 }
        let transfer = unsafe Int(parameters.color_trc.rawValue)
        traits.hdr = HighDynamicRange(transfer: transfer)?.rawValue
        traits.colourSpace =
            unsafe ColourSpace(
                primaries: Int(parameters.color_primaries.rawValue),
                transfer: transfer,
                matrix: Int(parameters.color_space.rawValue)
            )?.name
        return traits
    }

    /// Frames per second on average, and whether they last for different times.
    private func frameRate(_ stream: UnsafeMutablePointer<AVStream>) -> (rate: Double?, isVariable: Bool) {
        func known(_ ratio: AVRational) -> Double? {
            ratio.num > 0 && ratio.den > 0 ? Double(ratio.num) / Double(ratio.den) : nil
        }
        // The lowest rate in which all times of the first frames can be told.
        let (average, finest) = unsafe (known(stream.pointee.avg_frame_rate), known(stream.pointee.r_frame_rate))
        guard let average else { return (finest, false) }
        if let isVariable = unsafe lastsVary(stream) { return (average, isVariable) }
        // Of interlaced video, it is that of fields.
        let isVariable = finest.map { abs($0 - average) > 0.01 * average && abs($0 - 2 * average) > 0.01 * average }
        return (average, isVariable ?? false)
    }

    /// Whether the frames' durations differ, by the index of a container that has all frames in it, as MP4 has.
    private func lastsVary(_ stream: UnsafeMutablePointer<AVStream>) -> Bool? {
        let count = unsafe avformat_index_get_entries_count(stream)
        guard container.hasPrefix("mov"), count > 2 else { return nil }
        var (shortest, longest) = (Int64.max, Int64.min)
        var last: Int64?
        // The last frame often lasts for another time.
        for place in 0..<min(count - 1, Self.mostFrames) {
            guard let entry = unsafe avformat_index_get_entry(stream, place) else { return nil }
            if let last {
                let span = unsafe entry.pointee.timestamp.subtracting(saturating: last)
                (shortest, longest) = (min(shortest, span), max(longest, span))
            }
            last = unsafe entry.pointee.timestamp
        }
        // Times are rounded to the container's unit.
        return longest.subtracting(saturating: shortest) > max(2, shortest / 100)
    }

    /// How many frames of a film are looked at, to find out whether they last for different times.
    private static let mostFrames: Int32 = 10_000
    private static let mostFramesRead = 250

    /// Frames per second on average, if a video's first frames, which are read, last for different times.
    func variableRate(of index: Int) -> Double? {
        guard let packet = try? Packet() else { return nil }
        select([index])
        var times: [Int64] = []
        while times.count < Self.mostFramesRead, let result = try? read(into: packet), result == .packet {
            if packet.streamIndex == index, let end = packet.endTime {
                times.append(end.subtracting(saturating: packet.duration))
            }
        }
        // Packets come in the order in which they are decoded: of the last ones, others in between may be missing.
        let shown = times.sorted().dropLast(times.count < Self.mostFramesRead ? 1 : 32)
        let spans = zip(shown.dropFirst(), shown).map { $0.subtracting(saturating: $1) }
        guard let longest = spans.max(), let shortest = spans.min(), let first = shown.first, let last = shown.last,
            // Times are rounded to the container's unit.
            longest.subtracting(saturating: shortest) > max(2, shortest / 100)
        else { return nil }
        let seconds = unsafe Double(last.subtracting(saturating: first)) * av_q2d(stream(index).pointee.time_base)
        return seconds > 0 ? Double(spans.count) / seconds : nil
    }

    private static let dispositionNames: [(bit: Int32, name: String)] = [
        (AV_DISPOSITION_DEFAULT, "default"), (AV_DISPOSITION_DUB, "dub"), (AV_DISPOSITION_ORIGINAL, "original"),
        (AV_DISPOSITION_COMMENT, "comment"), (AV_DISPOSITION_LYRICS, "lyrics"), (AV_DISPOSITION_KARAOKE, "karaoke"),
        (AV_DISPOSITION_FORCED, "forced"), (AV_DISPOSITION_HEARING_IMPAIRED, "hearing_impaired"),
        (AV_DISPOSITION_VISUAL_IMPAIRED, "visual_impaired"), (AV_DISPOSITION_ATTACHED_PIC, "attached_pic"),
    ]

    /// How many chapters of a file are known; an audiobook of a day has some hundred.
    private static let mostChapters = 5_000

    private func chapters() -> [Chapter] {
        let count = unsafe min(Int(context.pointee.nb_chapters), Self.mostChapters)
        var chapters: [Chapter] = []
        for index in 0..<count {
            guard let chapter = unsafe context.pointee.chapters[index] else { continue }
            let unit = unsafe av_q2d(chapter.pointee.time_base)
            var tags = Tags()
            unsafe Self.append(chapter.pointee.metadata, to: &tags)
            let start = unsafe MediaTime(seconds: Double(chapter.pointee.start) * unit)
            let end = unsafe MediaTime(seconds: Double(chapter.pointee.end) * unit)
            chapters.append(Chapter(title: tags.title, start: start, end: end))
        }
        return chapters
    }

    private static func append(_ dictionary: OpaquePointer?, to tags: inout Tags) {
        var entry: UnsafeMutablePointer<AVDictionaryEntry>?
        while let next = unsafe av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
            unsafe entry = next
            guard let key = unsafe next.pointee.key, let value = unsafe next.pointee.value else { continue }
            unsafe tags.append(String(cString: value), to: String(cString: key))
        }
    }
}

extension ReplayGain {
    /// Reads a medium's tags: R128's (RFC 7845, section 5.2.1: dB × 256 below −23 LUFS, 5 dB under ReplayGain's reference), or
    /// ReplayGain 2.0's names, which Opus must not have beside them.
    init(tags: Tags) {
        func decibels(_ name: String, _ r128: String) -> Double? {
            if let text = tags[r128], let value = leadingNumber(text) { return value / 256 + 5 }
            return tags[name].flatMap(leadingNumber)
        }
        func peak(_ name: String) -> Double? { tags[name].flatMap(leadingNumber).flatMap { $0 > 0 ? $0 : nil } }
        self.init(
            trackGain: decibels("replaygain_track_gain", "r128_track_gain"),
            trackPeak: peak("replaygain_track_peak"),
            albumGain: decibels("replaygain_album_gain", "r128_album_gain"),
            albumPeak: peak("replaygain_album_peak")
        )
    }
}

/// The number at the start of a tag, such as the −7.03 of "-7.03 dB"; `nil` when there is none or an absurd one.
private func leadingNumber(_ text: String) -> Double? {
    let digits = text.drop { $0 == " " }.prefix { $0.isNumber || $0 == "-" || $0 == "+" || $0 == "." }
    guard let value = Double(digits), abs(value) < 32_768 else { return nil }
    return value
}
