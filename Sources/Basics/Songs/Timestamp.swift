private import Glibc

/// Formats seconds since 1970 as ISO 8601 in UTC.
package func timestamp(_ seconds: Int) -> String {
    var bytes: [UInt8] = []
    bytes.append(timestamp: seconds)
    return String(decoding: bytes, as: UTF8.self)
}

/// Seconds since 1970.
package func wallClock() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// A time as clients see it: UTC, with milliseconds; times before 1970 are its beginning.
package func utc(_ seconds: Double) -> String {
    let milliseconds = max(0, Int(saturating: (seconds * 1_000).rounded()))
    let fraction = String(milliseconds % 1_000)
    let padding = String(repeating: "0", count: 3 - fraction.count)
    return "\(timestamp(milliseconds / 1_000).dropLast()).\(padding)\(fraction)Z"
}

/// Days from March 1 of the year 0, day 0 of the count, to January 1, 1970.
private let epoch = 719_468
/// Days in 400 years, after which the calendar repeats.
private let era = 146_097

extension [UInt8] {
    /// Appends ``timestamp(_:)``, limited to March of the year 0 to the end of 9999.
    mutating func append(timestamp seconds: Int) {
        let moment = Swift.min(Swift.max(seconds, -epoch * 86_400), 253_402_300_799) + epoch * 86_400
        let (days, time) = (moment / 86_400, moment % 86_400)
        let day = days % era
        let yearOfEra = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365
        // Years start in March, so that the leap day comes last.
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        append(number: days / era * 400 + yearOfEra + (month < 10 ? 0 : 1), digits: 4)
        append(UInt8(ascii: "-"))
        append(number: month < 10 ? month + 3 : month - 9, digits: 2)
        append(UInt8(ascii: "-"))
        append(number: dayOfYear - (153 * month + 2) / 5 + 1, digits: 2)
        append(UInt8(ascii: "T"))
        append(number: time / 3600, digits: 2)
        append(UInt8(ascii: ":"))
        append(number: time / 60 % 60, digits: 2)
        append(UInt8(ascii: ":"))
        append(number: time % 60, digits: 2)
        append(UInt8(ascii: "Z"))
    }
}

/// Parses the output of ``timestamp(_:)`` into seconds since 1970.
func seconds(ofTimestamp text: Slice<UnsafeRawBufferPointer>) -> Int? {
    var numbers: [6 of Int] = [0, 0, 0, 0, 0, 0]
    var count = 0
    var isInNumber = false
    for place in unsafe text.indices {
        let byte = unsafe text[place]
        if (0x30...0x39).contains(byte) {
            if !isInNumber { count += 1 }
            guard count <= 6, numbers[count - 1] < 1_000_000 else { return nil }
            isInNumber = true
            numbers[count - 1] = numbers[count - 1] * 10 + Int(byte - 0x30)
        } else {
            isInNumber = false
        }
    }
    guard count == 6 else { return nil }
    let (year, month) = numbers[1] > 2 ? (numbers[0], numbers[1] - 3) : (numbers[0] - 1, numbers[1] + 9)
    let yearOfEra = year % 400
    let dayOfYear = (153 * month + 2) / 5 + numbers[2] - 1
    let days = year / 400 * era + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - epoch
    return days * 86_400 + numbers[3] * 3600 + numbers[4] * 60 + numbers[5]
}
