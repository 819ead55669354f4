private import Glibc

/// A camera's metadata in a picture (EXIF 2.32, in TIFF 6.0's form).
struct EXIF {
    private let range: Range<Int>
    private let isBigEndian: Bool

    /// More entries than any camera writes.
    private static let limit = 512

    static func read(_ range: Range<Int>, _ window: inout ByteWindow, into file: inout ScannedFile) {
        guard range.count >= 8, window.load(range.lowerBound, 8) else { return }
        let isBigEndian = window.has("MM\0*", at: range.lowerBound)
        guard isBigEndian || window.has("II*\0", at: range.lowerBound) else { return }
        let exif = EXIF(range: range, isBigEndian: isBigEndian)
        guard let first = exif.number(4, 4, &window) else { return }
        var details: Int?
        var fallback: Int64?
        exif.visit(first, &window) { tag, value, window in
            switch tag {
            case 0x0112:
                if let number = exif.number(value, 2, &window), (1...8).contains(number) { file.orientation = number }
            case 0x0132: fallback = exif.date(exif.number(value, 4, &window), zone: nil, &window)
            case 0x8769: details = exif.number(value, 4, &window)
            default: break
            }
        }
        file.captured = fallback
        guard let details else { return }
        var original: Int?
        var zone: Int?
        exif.visit(details, &window) { tag, value, window in
            if tag == 0x9003 { original = exif.number(value, 4, &window) }
            if tag == 0x9011 { zone = exif.number(value, 4, &window) }
        }
        if let date = exif.date(original, zone: zone, &window) { file.captured = date }
    }

    /// Visits the tags of a directory, with the position of each one's value or of its offset.
    private func visit(_ directory: Int, _ window: inout ByteWindow, _ body: (Int, Int, inout ByteWindow) -> Void) {
        guard let count = number(directory, 2, &window) else { return }
        for entry in 0..<min(count, Self.limit) {
            let place = directory + 2 + entry * 12
            guard let tag = number(place, 2, &window) else { return }
            body(tag, place + 8, &window)
        }
    }

    private func number(_ place: Int, _ count: Int, _ window: inout ByteWindow) -> Int? {
        guard place >= 0, place <= range.count - count else { return nil }
        let offset = range.lowerBound + place
        return isBigEndian ? window.bigEndian(offset, count) : window.littleEndian(offset, count)
    }

    /// Parses `2024:05:17 18:30:00` with `+02:00` into seconds since 1970; without a zone it is taken as UTC.
    private func date(_ place: Int?, zone: Int?, _ window: inout ByteWindow) -> Int64? {
        guard let place, place >= 0, place <= range.count - 19, window.load(range.lowerBound + place, 19) else {
            return nil
        }
        let text = Array(window[range.lowerBound + place..<range.lowerBound + place + 19])
        let numbers = text.split { !(0x30...0x39).contains($0) }.map { $0.reduce(0) { $0 * 10 + Int32($1 - 0x30) } }
        guard numbers.count == 6, numbers[0] > 0, (1...12).contains(numbers[1]), (1...31).contains(numbers[2]) else {
            return nil
        }
        var time = unsafe tm()
        unsafe time.tm_year = numbers[0] - 1900
        unsafe time.tm_mon = numbers[1] - 1
        unsafe (time.tm_mday, time.tm_hour, time.tm_min, time.tm_sec) = (numbers[2], numbers[3], numbers[4], numbers[5])
        let seconds = unsafe Int64(timegm(&time))
        return seconds - (zone.flatMap { offset($0, &window) } ?? 0)
    }

    private func offset(_ place: Int, _ window: inout ByteWindow) -> Int64? {
        guard place >= 0, place <= range.count - 6, window.load(range.lowerBound + place, 6) else { return nil }
        let text = Array(window[range.lowerBound + place..<range.lowerBound + place + 6])
        let numbers = text.dropFirst().split { !(0x30...0x39).contains($0) }.map {
            $0.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        guard numbers.count == 2, numbers[0] < 24 else { return nil }
        return (text[0] == UInt8(ascii: "-") ? -1 : 1) * (numbers[0] * 3600 + numbers[1] * 60)
    }
}
