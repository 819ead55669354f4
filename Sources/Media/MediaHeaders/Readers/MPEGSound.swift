package import AudioTypes
internal import TextEncodings

/// Where the frames of a layer III file lie, and how many samples they are.
///
/// A frame without sound at the start (Xing's) counts the frames that were written with it. Files are joined to others,
/// each with such a frame, so what follows those frames is looked at, too.
package struct MPEGSound: Sendable, Hashable {
    /// The offset of the first frame with sound.
    package let start: Int
    /// The end of the sound, before tags and padding.
    package let end: Int
    /// Frames with sound; `nil` when the file does not say, or not truly.
    package private(set) var frameCount: Int?
    /// Whether the file says a number of frames that it does not have, or says it of a part of its sound only.
    package private(set) var isMisleading = false
    /// Whether other parts follow the first one.
    private var isJoined = false
    /// Whether there may be frames without sound behind the first one, as each part of a joined file has one.
    package var mayHaveParts: Bool { isJoined || frameCount == nil }
    /// For each hundredth of the time, a 256th of the bytes; `nil` where all frames have the same length, and for the library.
    package private(set) var seekTable: [UInt8]?
    /// Samples of the encoder's delay; `nil` when unknown.
    package private(set) var delay: Int?
    /// Samples that follow the sound in its last frames.
    private(set) var padding = 0
    /// The average bytes of a frame in the first part of a joined medium; `nil` for others.
    package private(set) var frameLength: Double?
    /// Bytes between the first two parts of such a medium that are no sound.
    package private(set) var gap = 0
    /// Bytes behind the first part that could not be looked at, and are taken for sound.
    private var unseen: Int?
    private let header: MPEGAudioHeader

    /// The decoder's own delay in samples, which the encoder's does not include.
    private static let decoderDelay = 529

    /// Samples to drop at the start; 0 when the encoder's delay is unknown.
    package var startPadding: Int { delay.map { $0 + Self.decoderDelay } ?? 0 }

    /// Samples between the paddings; `nil` when unknown.
    package var length: Int? { delay == nil ? nil : countedSamples }

    /// The same, also where only the frames are counted.
    var countedSamples: Int? {
        frameCount.map { max(0, $0.multiplied(saturatingBy: header.sampleCount) - (delay ?? 0) - padding) }
    }

    /// - Parameters:
    ///   - first: The offset of the first frame.
    ///   - info: That frame, if it has no sound.
    ///   - tags: Those at the file's end.
    ///   - isWhole: Whether a frame is known to end where they begin.
    init(
        at first: Int,
        _ header: MPEGAudioHeader,
        _ info: MPEGInfoFrame?,
        _ window: inout ByteWindow,
        tags: TailTags,
        isWhole: Bool = false
    ) {
        let start = info == nil ? first : first + header.byteCount
        var end = max(start, tags.audioEnd)
        if !isWhole {
            end =
                SoundEnd(after: start, &window, tags: tags, reach: 262_144, longestZeros: 0) { end, window in
                    window.endsFrame(at: end, like: header)
                }.offset
        }
        (self.start, self.end, self.header, delay) = (start, end, header, info?.delay)
        use(info, mayBeTagged: false)
        guard let frameCount, let bytes = info?.byteCount else { return }
        join(first.adding(saturating: bytes), longest: 3 * (bytes / frameCount + header.byteCount), &window)
    }

    /// Reads a medium whose first frame is known.
    ///
    /// - Parameters:
    ///   - offset: Of that frame.
    ///   - head: The medium's bytes from there on, as many as were read: more would be a request over a network.
    package init(of access: any ByteAccess, at offset: Int, _ header: MPEGAudioHeader, head: [UInt8]) {
        var window = ByteWindow()
        guard !access.isLocal else {
            window.begin(access)
            let info = MPEGInfoFrame(at: offset, header, &window)
            self.init(at: offset, header, info, &window, tags: TailTags(&window))
            readSeekTable(of: info, &window)
            return
        }
        window.begin(head)
        let info = MPEGInfoFrame(at: 0, header, &window)
        self.init(at: offset, header, info, endingAt: access.size)
        // Bytes beyond the counted ones are worth a request only where they are more than most tags.
        if frameCount != nil, let counted = info?.byteCount.map(offset.adding(saturating:)),
            access.size.subtracting(saturating: counted) > Self.mostBetween,
            let next = Self.nextPart(behind: counted, access)
        {
            isJoined = true
            gap = next.offset - counted
            if !next.isSeen { unseen = access.size - counted }
            frameLength = frameCount.map { Double(counted - start) / Double(max(1, $0)) }
            (frameCount, isMisleading) = (nil, true)
        }
        readSeekTable(of: info, &window)
    }

    /// The offset of the part that follows in a medium on the network; `nil` when there is none.
    ///
    /// Bytes that cannot be looked at, because their server sends no parts, are taken for sound: none of it is to be lost.
    private static func nextPart(
        behind end: Int,
        _ access: any ByteAccess
    ) -> (offset: Int, isSeen: Bool)? {
        var place = end
        // The second time behind a picture.
        for _ in 0..<2 {
            let bytes = access.bytes(at: place, count: Self.mostBetween)
            if bytes.isEmpty { return (place, isSeen: false) }
            var window = ByteWindow()
            window.begin(bytes)
            let start = window.endOfTags(at: 0)
            if start < bytes.count {
                return window.firstFrame(from: start, within: Self.mostBetween).map {
                    (place + $0.offset, isSeen: true)
                }
            }
            place = place.adding(saturating: start)
            guard start > 0, place < access.size else { return nil }
        }
        return nil
    }

    private mutating func readSeekTable(of info: MPEGInfoFrame?, _ window: inout ByteWindow) {
        guard !isJoined, frameCount != nil, let place = info?.seekTable, window.load(place, 100) else { return }
        seekTable = Array(window[place..<place + 100])
    }

    /// - Parameter end: Of the medium, which is thought to be the end of the sound.
    private init(at first: Int, _ header: MPEGAudioHeader, _ info: MPEGInfoFrame?, endingAt end: Int) {
        start = info == nil ? first : first + header.byteCount
        (self.end, self.header, delay) = (end, header, info?.delay)
        use(info, mayBeTagged: true)
    }

    /// Believes a number of frames that the bytes may be.
    private mutating func use(_ info: MPEGInfoFrame?, mayBeTagged: Bool) {
        guard let info, let count = info.frameCount else { return }
        // Behind the counted bytes there may be junk.
        let counted = min(info.byteCount ?? .max, end - start)
        guard header.mayHave(frames: count, inBytes: counted, isExact: !mayBeTagged) else {
            isMisleading = true
            return
        }
        frameCount = count
        // An encoder that was given almost nothing writes paddings of more samples than there are: nothing is cut off then.
        let padded = (info.delay ?? 0) + (info.padding ?? 0)
        if padded < count.multiplied(saturatingBy: header.sampleCount) {
            padding = info.padding ?? 0
        } else {
            delay = nil
        }
    }

    /// The offset of the frame that ends where some bytes end; 0 when there is none.
    ///
    /// In the middle of a joined file, libavformat's parser leaves tags before it, for which a decoder would discard it.
    package static func frame(endingIn bytes: UnsafeRawBufferPointer) -> Int {
        for place in 0..<max(0, bytes.count - 4) {
            let bits = unsafe UInt32(bigEndian: bytes[place..<place + 4])
            if let header = MPEGAudioHeader(bits: bits), header.layer == 3, place + header.byteCount == bytes.count {
                return place
            }
        }
        return 0
    }

    /// Whether what comes behind the sound is a tag that reaches to the end of the medium, which shows when it is read.
    ///
    /// - Parameter bytes: Its first bytes.
    package func isLastTag(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let unseen else { return false }
        let head = unsafe Array(bytes.prefix(16))
        var end = ID3v2Header(head.prefix(ID3v2Header.size), at: 0)?.end ?? 0
        // APEv2's header is not counted in its size (hydrogenaud.io: APEv2 specification).
        if head.count == 16, head.starts(with: "APETAGEX".utf8) {
            end = 32 + Int(littleEndian: head[12...])
        }
        return end > 0 && end >= unseen - Self.shortTags
    }

    /// Bytes of tags without pictures that may follow another one.
    private static let shortTags = 8_192
    /// Parts that are looked at; a file of more is measured.
    private static let mostParts = 1_000
    /// Bytes of junk between two parts.
    private static let mostBetween = 65_536

    /// Adds the parts that follow the first one.
    ///
    /// - Parameters:
    ///   - end: Of the first part.
    ///   - longest: Bytes that are no part of their own: writers count with or without their own frame.
    private mutating func join(_ end: Int, longest: Int, _ window: inout ByteWindow) {
        var place = end
        for _ in 0..<Self.mostParts {
            guard place < self.end - longest else { return }
            let start = window.endOfTags(at: place)
            guard let part = window.firstFrame(from: start, within: Self.mostBetween) else {
                // Junk behind the sound; of much of it, a measurement finds out what it is.
                if self.end - start <= Self.mostBetween { return }
                break
            }
            isJoined = true
            guard part.header.belongsWith(header), let info = MPEGInfoFrame(at: part.offset, part.header, &window),
                let count = info.frameCount, let bytes = info.byteCount, bytes > 0,
                part.header.mayHave(frames: count, inBytes: bytes, isExact: true)
            else { break }
            frameCount = frameCount?.adding(saturating: count)
            padding = info.padding ?? 0
            place = part.offset.adding(saturating: bytes)
        }
        // Sound that no frame counts.
        (frameCount, isMisleading) = (nil, true)
    }
}

/// A frame without sound that has the number of frames: Xing's or LAME's, or Fraunhofer's.
package struct MPEGInfoFrame {
    private(set) var frameCount: Int?
    /// Bytes from this frame to the end of the last one that it counts.
    private(set) var byteCount: Int?
    /// The offset of the seek table.
    private(set) var seekTable: Int?
    /// Samples of the encoder's delay.
    private(set) var delay: Int?
    /// Samples behind the sound.
    private(set) var padding: Int?

    init?(at place: Int, _ header: MPEGAudioHeader, _ window: inout ByteWindow) {
        guard window.load(place, min(256, max(0, window.size - place))) else { return nil }
        let tag = place + header.tagOffset
        if Self.isXing(at: tag, &window) {
            guard let flags = window.bigEndian(tag + 4, 4) else { return }
            var next = tag + 8
            if flags & 1 != 0 {
                frameCount = window.bigEndian(next, 4)
                next += 4
            }
            if flags & 2 != 0 {
                byteCount = window.bigEndian(next, 4).flatMap { $0 > 0 ? $0 : nil }
                next += 4
            }
            if flags & 4 != 0 {
                if window.has("Xing", at: tag) { seekTable = next }
                next += 100
            }
            if flags & 8 != 0 { next += 4 }
            guard window.has("LAME", at: next) || window.has("Lav", at: next),
                let paddings = window.bigEndian(next + 21, 3)
            else { return }
            (delay, padding) = (paddings >> 12, paddings & 0xfff)
        } else if window.has("VBRI", at: place + 36) {
            (frameCount, byteCount) = (window.bigEndian(place + 36 + 14, 4), window.bigEndian(place + 36 + 10, 4))
        } else {
            return nil
        }
    }

    private static func isXing(at tag: Int, _ window: inout ByteWindow) -> Bool {
        window.has("Xing", at: tag) || window.has("Info", at: tag)
    }

    /// Bytes of a frame that say whether it is one without sound.
    package static let namedWithin = 40

    /// Whether a frame, of which these are the first bytes, is one without sound.
    package static func isOne(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 4 else { return false }
        let bits = unsafe UInt32(bigEndian: bytes.prefix(4))
        guard let header = MPEGAudioHeader(bits: bits), header.layer == 3 else { return false }
        let name = unsafe bytes.dropFirst(header.tagOffset).prefix(4)
        return unsafe name.elementsEqual("Xing".utf8) || name.elementsEqual("Info".utf8)
    }
}

extension ByteWindow {
    /// The first layer III frame that is followed by another one, after limited junk.
    mutating func firstFrame(from start: Int, within reach: Int) -> (offset: Int, header: MPEGAudioHeader)? {
        guard start <= size else { return nil }
        let end = min(size, start + reach)
        var place = start
        while place + 4 <= end {
            if load(place, 1), self[place] != 0xff {
                place += 1
                continue
            }
            if let header = frame(at: place), header.layer == 3 {
                let follower = place + header.byteCount
                if let next = frame(at: follower), next.belongsWith(header) { return (place, header) }
            }
            place += 1
        }
        return nil
    }

    private mutating func frame(at place: Int) -> MPEGAudioHeader? {
        bigEndian(place, 4).flatMap { MPEGAudioHeader(bits: UInt32($0)) }
    }

    /// The longest frame of layer III in bytes: 320 kbit/s at 32 kHz, with a byte of padding.
    private static let longestFrame = 1_441

    /// Whether a frame of the same stream ends at an offset.
    mutating func endsFrame(at end: Int, like header: MPEGAudioHeader) -> Bool {
        // Most are like the first one, with or without a byte of padding.
        for count in [header.byteCount, header.byteCount + 1, header.byteCount - 1]
        where isFrame(end - count, end, header) {
            return true
        }
        var start = max(0, end - Self.longestFrame)
        guard load(start, end - start) else { return false }
        while start < end - 4, let place = firstPlace(of: 0xff, in: start..<end - 4) {
            if isFrame(place, end, header) || isOfAnotherStream(place, end) { return true }
            start = place + 1
        }
        return false
    }

    /// Whether two frames of one stream end at an offset, as in a file that was joined to one of another rate.
    private mutating func isOfAnotherStream(_ start: Int, _ end: Int) -> Bool {
        guard let last = frame(at: start), last.layer == 3, start + last.byteCount == end else { return false }
        return [last.byteCount, last.byteCount + 1, last.byteCount - 1].contains { isFrame(start - $0, start, last) }
    }

    private mutating func isFrame(_ start: Int, _ end: Int, _ header: MPEGAudioHeader) -> Bool {
        guard let frame = frame(at: start) else { return false }
        return frame.belongsWith(header) && start + frame.byteCount == end
    }
}
