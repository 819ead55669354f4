internal import Segments

/// A range as written: without an offset it follows the previous one (section 4.3.2.2).
struct WrittenByteRange {
    var length: Int
    var offset: Int?

    init?(_ bytes: ArraySlice<UInt8>) {
        let place = bytes.firstIndex(of: .atSign) ?? bytes.endIndex
        guard let length = bytes[..<place].trimmed.decimalInteger else { return nil }
        self.length = length
        guard place < bytes.endIndex else { return }
        guard let offset = bytes[(place + 1)...].trimmed.decimalInteger else { return nil }
        self.offset = offset
    }
}
