internal import AudioTypes

/// Where a local file's sound ends, and which of its bytes mislead: what a demuxer has to be told that believes headers, and
/// takes tags at the end for sound.
package struct SoundExtent: Sendable, Hashable {
    /// The end of the sound; tags and padding follow.
    package private(set) var end: Int
    /// Bytes to be read in place of those in the file, by their offsets.
    package private(set) var corrections: [Correction] = []
    /// Samples, where the header does not say how many there are; `nil` if it does, and where they cannot be counted.
    package private(set) var sampleCount: Int?

    package struct Correction: Sendable, Hashable {
        package let offset: Int
        package let bytes: [UInt8]
    }

    /// Bytes before the end in which an ID3v2 tag is looked for that says its size only at its start.
    private static let reach = 16_384

    /// Looks at a file; `nil` when all of it may be read as it is.
    package init?(of access: any ByteAccess) {
        var window = ByteWindow()
        window.begin(access)
        self.init(&window)
        if end == access.size, corrections.isEmpty, sampleCount == nil { return nil }
    }

    private init?(_ window: inout ByteWindow) {
        let start = window.endOfID3v2(at: 0)
        guard let magic = window.bigEndian(start, 4) else { return nil }
        switch magic {
        case fourCC("RIFF"), fourCC("RF64"), fourCC("BW64"):
            self.init(waveIn: &window)
        case fourCC("fLaC"):
            self.init(flacAt: start, &window)
        case fourCC("wvpk"), fourCC("MAC "), fourCC("MPCK"), fourCC("TTA1"), fourCC("OFR "), fourCC("tBaK"):
            self.init(endingWithTagsAfter: start, &window)
        case let magic where magic >> 8 == fourCC("MP+"):
            self.init(endingWithTagsAfter: start, &window)
        case let magic where magic >> 21 == 0x7ff || start > 0:
            if let (first, header) = window.firstFrame(from: start, within: 65_536) {
                let info = MPEGInfoFrame(at: first, header, &window)
                self.init(endingAt: MPEGSound(at: first, header, info, &window, tags: TailTags(&window)).end)
            } else {
                self.init(endingWithTagsAfter: start, &window)
            }
        default: return nil
        }
    }

    private init(endingAt end: Int) { self.end = end }

    private init(endingWithTagsAfter start: Int, _ window: inout ByteWindow) {
        self.init(endingAt: SoundEnd(after: start, &window, tags: TailTags(&window), reach: Self.reach).offset)
    }

    private init?(flacAt start: Int, _ window: inout ByteWindow) {
        var blocks = FLACBlocks(at: start)
        guard let first = blocks.next(&window), first.kind == .streamInfo,
            let info = FLACStreamInfo(at: first.content.lowerBound, &window)
        else { return nil }
        while blocks.next(&window) != nil {}
        guard !blocks.isBroken, blocks.place < window.size else { return nil }
        let frames = blocks.place
        self.init(endingAt: SoundEnd(flacAfter: frames, &window, tags: TailTags(&window)).offset)
        if info.sampleCount == 0 { sampleCount = FLACFrames(info).sampleCount(in: frames..<end, &window) }
    }

    private init?(waveIn window: inout ByteWindow) {
        guard let chunk = WaveDataChunk(&window),
            let data = WaveData(at: chunk.start, stated: chunk.stated, long: chunk.long, &window), data.isMisstated
        else { return nil }
        // An unknown size is read to the end also by others, who see the file grow while it is recorded.
        if chunk.isUnknown, chunk.long == nil, data.range.upperBound == window.size { return nil }
        self.init(endingAt: data.range.upperBound)
        // A size of zero is read to the end, without looking for chunks behind it; so RF64's own sizes do not count.
        corrections = [
            Correction(offset: 0, bytes: Array("RIFF".utf8)),
            Correction(offset: chunk.start - 4, bytes: [0, 0, 0, 0]),
        ]
    }
}

extension SoundEnd {
    /// The end of a FLAC stream, whose frames may end with two zeros at most.
    init(flacAfter start: Int, _ window: inout ByteWindow, tags: TailTags) {
        self.init(after: start, &window, tags: tags, reach: 16_384, longestZeros: 2)
    }
}

/// The `data` chunk of a WAV file.
struct WaveDataChunk {
    /// The offset of the samples.
    let start: Int
    /// Its size in its header, in bytes.
    let stated: Int
    /// The size in an RF64 file's `ds64` chunk; `nil` in other files.
    let long: Int?

    private static let mostChunks = 1_000

    /// Whether the header leaves the size open.
    var isUnknown: Bool { stated == 0 || stated == WaveData.unknown && (long ?? 0) <= 0 }

    init?(_ window: inout ByteWindow) {
        guard window.has("WAVE", at: 8) else { return nil }
        var long = window.has("RIFF", at: 0) ? nil : 0 as Int?
        var place = 12
        for _ in 0..<Self.mostChunks {
            guard let name = window.bigEndian(place, 4), let size = window.littleEndian(place + 4, 4) else {
                return nil
            }
            if name == fourCC("data") {
                (start, stated, self.long) = (place + 8, size, long)
                return
            }
            // After the size of the whole, that of the samples.
            if name == fourCC("ds64"), long != nil { long = window.littleEndian(place + 16, 8) ?? 0 }
            guard size <= window.size - place - 8 else { return nil }
            place += 8 + size + size % 2
        }
        return nil
    }
}
