import TestSupport

/// A number in a file: where, how many bytes, and in which order.
struct Field {
    var offset: Int
    var width: Int
    var isBigEndian = true
    /// Whether its first bits say how long it is (EBML's sizes), and stay.
    var isVariable = false
}

/// Changes some of a file's numbers to extreme ones.
struct Mutation {
    private(set) var bytes: [UInt8]
    private let fields: [Field]
    private let isOgg: Bool

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        isOgg = bytes.starts(with: "OggS".utf8)
        fields = Containers.fields(of: bytes)
    }

    private static let extremes: [UInt64] = [
        0, 1, 2, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 1 << 24, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 40,
        1 << 50,
        1 << 53, 1 << 55, 8_000_000_000_000_000_000, 1 << 62, 1 << 63 - 1, 1 << 63, .max - 1, .max,
    ]

    /// Changes one to four numbers, and sometimes a few bytes or the file's length.
    mutating func change(_ generator: inout SplitMix) {
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard let field = fields.randomElement(using: &generator) else { break }
            let value = Self.extremes.randomElement(using: &generator) ?? 0
            // So that what is added to it overflows.
            let offset = UInt64.random(in: 0...3, using: &generator)
            put(Bool.random(using: &generator) ? value : value &- offset, field)
        }
        if UInt8.random(in: 0..<8, using: &generator) == 0 {
            for _ in 0..<4 {
                guard let place = bytes.prefix(4096).indices.randomElement(using: &generator) else { break }
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            }
        }
        if UInt8.random(in: 0..<16, using: &generator) == 0 {
            bytes.removeLast(Int.random(in: 0..<bytes.count, using: &generator))
        }
        if isOgg { Containers.sumOggPages(&bytes) }
    }

    private mutating func put(_ value: UInt64, _ field: Field) {
        guard field.offset + field.width <= bytes.count else { return }
        for place in 0..<field.width {
            let shift = UInt64(8 * (field.isBigEndian ? field.width - 1 - place : place))
            let byte = UInt8(truncatingIfNeeded: value >> shift)
            if field.isVariable, place == 0 {
                let marker = UInt8(0x80) >> UInt8(field.width - 1)
                bytes[field.offset] = marker | byte & (marker - 1)
            } else {
                bytes[field.offset + place] = byte
            }
        }
    }
}
