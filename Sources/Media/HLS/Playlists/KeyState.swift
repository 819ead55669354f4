internal import Segments

/// `EXT-X-KEY` as written.
struct WrittenKey {
    var method: String
    var uri: String?
    var iv: [UInt8]?
    var format: String
}

/// The keys that apply to the following segments.
///
/// A server may offer the key of the same segments in several formats, in consecutive tags; the one that is a plain
/// resource (`identity`) is used.
struct KeyState {
    private var byFormat: [String: WrittenKey] = [:]
    /// Whether a segment has followed the last tag, so that the next tag starts a new set.
    private var isUsed = false

    mutating func read(_ key: WrittenKey) {
        if isUsed || key.method == "NONE" { byFormat = [:] }
        isUsed = false
        guard key.method != "NONE", byFormat.count < 16 else { return }
        byFormat[key.format] = key
    }

    /// The encryption of the next segment, whose number is `sequence`.
    mutating func encryption(sequence: Int) -> SegmentEncryption? {
        isUsed = true
        return current(sequence: sequence)
    }

    func current(sequence: Int) -> SegmentEncryption? {
        guard let key = byFormat["identity"] ?? byFormat.values.min(by: { $0.format < $1.format }) else { return nil }
        guard key.method == "AES-128" else { return .unsupported(key.method) }
        guard key.format == "identity" else { return .unsupported("\(key.method) with keys of \(key.format)") }
        guard let uri = key.uri else { return .unsupported("\(key.method) without a key") }
        return .aes128(key: uri, iv: key.iv ?? Self.iv(sequence: sequence))
    }

    /// The default IV is the segment's number (section 5.2).
    private static func iv(sequence: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + (0..<8).map { UInt8(truncatingIfNeeded: sequence >> (56 - 8 * $0)) }
    }
}
