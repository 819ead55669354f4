internal import CivilTime
internal import TextEncodings

/// When a picture or film was taken: the time of day there and, when known, its distance from UTC.
package struct CaptureDate: Sendable, Hashable {
    /// Since 1970; where the zone is unknown, as if the clock had shown UTC.
    package let seconds: Int64
    /// Minutes east of UTC, less than a day; `nil` when unknown.
    package let zone: Int?

    /// The years 1 to 9999.
    private static let limits: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    package init?(seconds: Int64, zone: Int?) {
        guard Self.limits.contains(seconds), Self.isZone(zone) else { return nil }
        (self.seconds, self.zone) = (seconds, zone)
    }

    /// Parses ISO 8601 (`2024-05-17T18:30:00.5+02:00`), also with other separators, as EXIF has them.
    ///
    /// Fractions of seconds are left out.
    ///
    /// - Parameter offset: The zone, if it is stored beside the time, as EXIF's `+02:00`.
    package init?(_ text: String, offset: String = "") {
        let bytes = Array(text.utf8.prefix(40))
        guard bytes.count >= 19 else { return nil }
        let parts = [0..<4, 5..<7, 8..<10, 11..<13, 14..<16, 17..<19].compactMap { Self.number(bytes[$0]) }
        guard parts.count == 6, (1...9999).contains(parts[0]), (1...12).contains(parts[1]), (1...31).contains(parts[2]),
            parts[3] < 24, parts[4] < 60, parts[5] <= 60
        else { return nil }
        let days = CivilDate.dayNumber(year: parts[0], month: parts[1], day: parts[2])
        let clock = days * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5]
        let behind = bytes[19...].drop { $0 == UInt8(ascii: ".") || Self.isDigit($0) }
        let zone = Self.zone(behind) ?? Self.zone(Array(offset.utf8.prefix(8))[...])
        self.init(seconds: Int64(clock - (zone ?? 0) * 60), zone: zone)
    }

    private static func isZone(_ zone: Int?) -> Bool { zone.map { abs($0) < 24 * 60 } ?? true }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.allSatisfy(isDigit) ? digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } : nil
    }

    /// `Z`, `+02:00` or `+0200` in minutes.
    private static func zone(_ text: ArraySlice<UInt8>) -> Int? {
        guard let sign = text.first else { return nil }
        if sign == UInt8(ascii: "Z") { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count >= 4, let hours = number(digits[..<2]), let minutes = number(digits[2..<4]), minutes < 60
        else { return nil }
        let zone = (hours * 60 + minutes) * (sign == UInt8(ascii: "-") ? -1 : 1)
        return isZone(zone) ? zone : nil
    }
}

extension CaptureDate: CustomStringConvertible {
    /// ISO 8601: `2024-05-17T18:30:00+02:00`, with `Z` for UTC, and without a zone when that is unknown.
    package var description: String {
        let clock = min(Self.limits.upperBound, max(Self.limits.lowerBound, seconds + Int64(zone ?? 0) * 60))
        let text = String(timestamp(Int(clock)).dropLast())
        guard let zone else { return text }
        guard zone != 0 else { return text + "Z" }
        return text + (zone < 0 ? "-" : "+") + String(abs(zone) / 60, digits: 2) + ":"
            + String(abs(zone) % 60, digits: 2)
    }
}
