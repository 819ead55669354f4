/// Decompresses small data in zlib's form (RFC 1950 and 1951), such as a profile in a PNG file.
struct Inflate {
    private let input: [UInt8]
    /// In bits; the lowest of each byte is the first.
    private var place = 16
    private var output: [UInt8] = []
    private let limit: Int

    private struct Damage: Error {}

    /// The first bytes of the decompressed data, as far as the compressed data is complete.
    ///
    /// - Parameter limit: How many bytes at most.
    static func bytes(_ input: [UInt8], limit: Int) -> [UInt8] {
        var inflate = Inflate(input: input, limit: limit)
        try? inflate.run()
        return inflate.output
    }

    private init(input: [UInt8], limit: Int) { (self.input, self.limit) = (input, limit) }

    private mutating func run() throws {
        var isLast = false
        while !isLast, output.count < limit {
            isLast = try bits(1) == 1
            switch try bits(2) {
            case 0: try copyStored()
            case 1: try decode(Self.fixed.literals, Self.fixed.distances)
            case 2:
                let (literals, distances) = try codes()
                try decode(literals, distances)
            default: throw Damage()
            }
        }
    }

    private mutating func bits(_ count: Int) throws -> Int {
        guard place + count <= input.count * 8 else { throw Damage() }
        defer { place += count }
        return (0..<count).reduce(0) { $0 | Int(input[(place + $1) / 8] >> UInt8((place + $1) % 8) & 1) << $1 }
    }

    private mutating func copyStored() throws {
        place = (place + 7) / 8 * 8
        let count = try bits(16)
        _ = try bits(16)
        let start = place / 8
        guard count <= input.count - start else { throw Damage() }
        output += input[start..<start + min(count, limit - output.count)]
        place += count * 8
    }

    // MARK: - Codes

    /// A prefix code: how many symbols have each length, and the symbols in the order of their codes.
    private struct Code {
        private(set) var counts = [Int](repeating: 0, count: 16)
        private(set) var symbols: [Int]

        init(lengths: some Collection<Int>) {
            for length in lengths { counts[length] += 1 }
            counts[0] = 0
            symbols = lengths.enumerated().filter { $0.element > 0 }
                .sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }.map(\.offset)
        }
    }

    /// Section 3.2.6.
    private static let fixed: (literals: Code, distances: Code) = {
        let lengths = (0..<288).map { $0 < 144 ? 8 : $0 < 256 ? 9 : $0 < 280 ? 7 : 8 }
        return (Code(lengths: lengths), Code(lengths: [Int](repeating: 5, count: 30)))
    }()

    private mutating func symbol(_ code: Code) throws -> Int {
        // The first code of this length, its place among the symbols, and the bits so far.
        var (first, index, value) = (0, 0, 0)
        for length in 1..<16 {
            value = value << 1 | (try bits(1))
            let count = code.counts[length]
            if value - first < count {
                guard value >= first else { break }
                return code.symbols[index + value - first]
            }
            index += count
            first = (first + count) << 1
        }
        throw Damage()
    }

    /// Section 3.2.7.
    private mutating func codes() throws -> (literals: Code, distances: Code) {
        let (literals, distances, count) = (try bits(5) + 257, try bits(5) + 1, try bits(4) + 4)
        let order = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
        var short = [Int](repeating: 0, count: 19)
        for place in order.prefix(count) { short[place] = try bits(3) }
        let code = Code(lengths: short)
        var lengths: [Int] = []
        while lengths.count < literals + distances {
            switch try symbol(code) {
            case 16:
                guard let last = lengths.last else { throw Damage() }
                lengths += [Int](repeating: last, count: try bits(2) + 3)
            case 17: lengths += [Int](repeating: 0, count: try bits(3) + 3)
            case 18: lengths += [Int](repeating: 0, count: try bits(7) + 11)
            case let length: lengths.append(length)
            }
        }
        guard lengths.count == literals + distances else { throw Damage() }
        return (Code(lengths: lengths[..<literals]), Code(lengths: lengths[literals...]))
    }

    // MARK: - Data

    /// Section 3.2.5: the least length or distance of each symbol, and how many bits are added to it.
    private static let lengths: [(least: Int, bits: Int)] = {
        var (table, least) = ([(least: Int, bits: Int)](), 3)
        for symbol in 0..<28 {
            let bits = max(0, symbol / 4 - 1)
            table.append((least, bits))
            least += 1 << bits
        }
        return table + [(258, 0)]
    }()
    private static let distances: [(least: Int, bits: Int)] = {
        var (table, least) = ([(least: Int, bits: Int)](), 1)
        for symbol in 0..<30 {
            let bits = max(0, symbol / 2 - 1)
            table.append((least, bits))
            least += 1 << bits
        }
        return table
    }()

    private mutating func decode(_ literals: Code, _ distances: Code) throws {
        while output.count < limit {
            let symbol = try symbol(literals)
            if symbol == 256 { return }
            if symbol < 256 {
                output.append(UInt8(truncatingIfNeeded: symbol))
                continue
            }
            guard symbol - 257 < Self.lengths.count else { throw Damage() }
            let length = try amount(Self.lengths[symbol - 257])
            let number = try self.symbol(distances)
            guard number < Self.distances.count else { throw Damage() }
            let distance = try amount(Self.distances[number])
            guard distance <= output.count else { throw Damage() }
            for _ in 0..<min(length, limit - output.count) { output.append(output[output.count - distance]) }
        }
    }

    private mutating func amount(_ row: (least: Int, bits: Int)) throws -> Int { row.least + (try bits(row.bits)) }
}
