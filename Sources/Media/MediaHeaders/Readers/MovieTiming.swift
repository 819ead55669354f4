private import AudioTypes
internal import TextEncodings

/// The samples of an MP4 file's audio track that are audible, without the encoder's padding.
///
/// libavformat's own handling of edit lists rounds the end to the movie's ticks, often milliseconds, so the boxes are read here
/// (ISO 14496-12, sections 8.6.1.2 `stts`, 8.6.1.3 `ctts` and 8.6.6 `elst`; Apple's `iTunSMPB` comment).
package struct MovieTiming: Equatable, Sendable {
    /// The timestamp, in samples, of the first audible one; from 0 on, samples before it are decoded, but not audible.
    package private(set) var startPadding: Int
    /// The number of audible samples; `nil` when unknown.
    package private(set) var length: Int?
    /// Whether `length` is exact to the sample.
    package private(set) var isExact: Bool

    /// More bytes than the index of a valid file has.
    private static let longestIndex = 64 << 20

    /// Reads the track with FFmpeg's `AVStream.id`.
    ///
    /// - Parameter sampleRate: The decoder's, in which padding is counted.
    /// - Returns: `nil` when the file has no such track, or edits beyond trimming.
    package init?(of file: any ByteAccess, trackID: Int, sampleRate: Int) {
        var window = ByteWindow()
        window.begin(file, limit: 2 * Self.longestIndex)
        // The index is loaded whole: where the file is not local, each read would be a request.
        guard let box = MP4Boxes(0..<window.size).first("moov", &window), box.count <= Self.longestIndex,
            window.load(box.lowerBound, box.count)
        else { return nil }
        let movie = MP4Boxes(box)
        for track in movie.all("trak", &window) {
            guard let header = MP4Boxes(track).first("tkhd", &window), window.load(header.lowerBound, 1) else {
                continue
            }
            let place = header.lowerBound + (window[header.lowerBound] == 1 ? 20 : 12)
            guard window.bigEndian(place, 4) == trackID else { continue }
            let smoothness = MP4Smoothness(of: movie, &window)
            self.init(track, of: movie, smoothness, sampleRate: sampleRate, &window)
            return
        }
        return nil
    }

    /// - Returns: `nil` when the track lacks boxes, or has edits beyond trimming.
    init?(
        _ track: Range<Int>,
        of movie: MP4Boxes,
        _ smoothness: MP4Smoothness?,
        sampleRate: Int,
        _ window: inout ByteWindow
    ) {
        guard let media = MP4Boxes(track).first("mdia", &window), let info = MP4Boxes(media).first("minf", &window),
            let table = MP4Boxes(info).first("stbl", &window), let times = MP4Boxes(table).first("stts", &window),
            let scale = Self.timescale(MP4Boxes(media).first("mdhd", &window), &window),
            let movieScale = Self.timescale(movie.first("mvhd", &window), &window)
        else { return nil }
        let editList = MP4Boxes(track).first("edts", &window).flatMap { MP4Boxes($0).first("elst", &window) }
        guard let sounding = editList.map({ Self.soundingEdits($0, &window) }) ?? [], sounding.count <= 1 else {
            return nil
        }
        func samples(_ ticks: Int, per scale: Int) -> Int {
            Int(sample: (Double(ticks) * Double(sampleRate) / Double(scale)).rounded())
        }
        let totals = Self.totals(times, &window)
        let start = sounding.first.map { samples($0.start, per: scale) } ?? smoothness?.priming ?? 0
        let available = samples(totals.total, per: scale) - start
        // Without an edit list, old encoders' offset between decoding and presentation is no part of the sound.
        let offset = editList == nil ? Self.firstOffset(MP4Boxes(table).first("ctts", &window), &window) : 0
        startPadding = start + (abs(offset) <= scale ? samples(offset, per: scale) : 0)
        isExact = true
        if let smoothness {
            length = smoothness.length
        } else if totals.total > 0, totals.last < totals.regular {
            length = available
        } else if let edit = sounding.first, edit.duration > 0 {
            let edited = samples(edit.duration, per: movieScale)
            let isWhole = abs(available - edited) <= sampleRate / movieScale
            length = isWhole ? available : edited
            isExact = movieScale >= sampleRate || isWhole
        } else {
            length = totals.total > 0 ? available : nil
            isExact = false
        }
        length = length.map { max(0, $0) }
    }

    private static func timescale(_ box: Range<Int>?, _ window: inout ByteWindow) -> Int? {
        guard let box, window.load(box.lowerBound, 1) else { return nil }
        let isLong = window[box.lowerBound] == 1
        guard let scale = window.bigEndian(box.lowerBound + (isLong ? 20 : 12), 4), scale > 0 else { return nil }
        return scale
    }

    /// The parts of the track that an edit list names, besides pauses: starts in the track's ticks, durations in the movie's.
    ///
    /// - Returns: `nil` when the list does not fit in its box.
    private static func soundingEdits(
        _ box: Range<Int>,
        _ window: inout ByteWindow
    ) -> [(start: Int, duration: Int)]? {
        guard window.load(box.lowerBound, 1), let count = window.bigEndian(box.lowerBound + 4, 4) else { return nil }
        let isLong = window[box.lowerBound] == 1
        let width = isLong ? 8 : 4
        let size = 2 * width + 4
        guard count <= (box.count - 8) / size else { return nil }
        var found: [(start: Int, duration: Int)] = []
        for entry in 0..<count where found.count <= 1 {
            let place = box.lowerBound + 8 + entry * size
            guard window.load(place, size) else { return nil }
            let duration = UInt64(bigEndian: window[place..<place + width])
            let time = window[place + width..<place + 2 * width]
            let start = isLong ? Int(bigEndian: time) : Int(Int32(bigEndian: time))
            if start >= 0 { found.append((start, Int(clamping: duration))) }
        }
        return found
    }

    /// The ticks from the decoding to the presentation of the first packet.
    private static func firstOffset(_ box: Range<Int>?, _ window: inout ByteWindow) -> Int {
        guard let box, box.count >= 16, window.load(box.lowerBound + 12, 4) else { return 0 }
        return Int(Int32(bigEndian: window[box.lowerBound + 12..<box.lowerBound + 16]))
    }

    /// The ticks of all packets, of a usual one, and of the last one; 0 for a table that does not fit in its box.
    private static func totals(_ box: Range<Int>, _ window: inout ByteWindow) -> (total: Int, regular: Int, last: Int) {
        guard let count = window.bigEndian(box.lowerBound + 4, 4), count <= (box.count - 8) / 8 else {
            return (0, 0, 0)
        }
        var (total, regular, last) = (0, 0, 0)
        for entry in 0..<count {
            let place = box.lowerBound + 8 + entry * 8
            guard let packets = window.bigEndian(place, 4), let ticks = window.bigEndian(place + 4, 4),
                case let (sum, overflows) = packets.multipliedReportingOverflow(by: ticks), !overflows
            else { return (0, 0, 0) }
            if entry == 0 { regular = ticks }
            last = ticks
            total = total.adding(saturating: sum)
        }
        return (total, regular, last)
    }
}

/// iTunes' record of the encoder's padding: hexadecimal words in a free-form item.
struct MP4Smoothness {
    let priming: Int
    let length: Int

    /// More bytes than the text has.
    private static let longest = 1_024

    init?(_ text: ArraySlice<UInt8>) {
        let words = text.split(separator: 0x20).prefix(5)
        guard words.count >= 4, let priming = Int(digits: words[1], radix: 16),
            let length = Int(digits: words[3], radix: 16),
            (1...1 << 53).contains(length), (0..<1 << 20).contains(priming)
        else { return nil }
        (self.priming, self.length) = (priming, length)
    }

    /// The first record among a movie's items.
    fileprivate init?(of movie: MP4Boxes, _ window: inout ByteWindow) {
        guard let user = movie.first("udta", &window), let meta = MP4Boxes(user).first("meta", &window),
            let list = MP4Boxes(meta: meta, &window).first("ilst", &window)
        else { return nil }
        for item in MP4Boxes(list).all("----", &window) {
            guard let name = MP4Boxes(item).first("name", &window), Self.isName(name, &window),
                let data = MP4Boxes(item).first("data", &window), data.count > 8,
                case let text = data.lowerBound + 8..<min(data.upperBound, data.lowerBound + 8 + Self.longest),
                window.load(text.lowerBound, text.count), let record = Self(window[text])
            else { continue }
            self = record
            return
        }
        return nil
    }

    private static func isName(_ box: Range<Int>, _ window: inout ByteWindow) -> Bool {
        window.load(box.lowerBound, box.count)
            && window[box].dropFirst(4).elementsEqual(name.utf8)
    }

    static let name = "iTunSMPB"
}
