private import CLinux
private import Glibc

/// The C library's conversion between two character sets.
@safe struct Converter: ~Copyable {
    private let descriptor: iconv_t

    /// `nil` when the C library has no such conversion.
    init?(from source: String, to target: String) {
        guard let opened = unsafe iconv_open(target, source), Int(bitPattern: opened) != -1 else { return nil }
        unsafe descriptor = opened
    }

    deinit { _ = unsafe iconv_close(descriptor) }

    /// Whether bytes below 0x80 mean what they mean in ASCII.
    ///
    /// Shift JIS, which has a yen sign for the backslash and an overline for the tilde, counts. ISO 2022, which switches by
    /// escapes, and UTF-7, which switches by plus signs, do not.
    borrowing func readsASCII() -> Bool {
        let sample = Array("[Track 01] A-Z a-z: 'x', \"y\"; <0/9> #=%&*+AGE-?@^_{|} \u{1b}$BF|".utf8)
        return convert(sample, replacement: []).bytes == sample
    }

    /// Converts a whole text; bytes without a meaning are replaced.
    ///
    /// - Parameter replacement: `nil` to end at the first byte without a meaning.
    borrowing func convert(_ bytes: [UInt8], replacement: [UInt8]?) -> (bytes: [UInt8], isWhole: Bool) {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count * 2)
        var isWhole = true
        var piece = [UInt8](repeating: 0, count: min(16_384, 4 * bytes.count + 64))
        unsafe bytes.withUnsafeBytes { source in
            // It is read only, whatever the type of iconv's parameter says.
            var from = unsafe UnsafeMutableRawPointer(mutating: source.baseAddress)?
                .assumingMemoryBound(to: CChar.self)
            var left = source.count
            while left > 0 {
                let code = unsafe step(&from, &left, &piece, &result)
                if code == 0 || code == E2BIG { continue }
                isWhole = false
                guard let replacement else { return }
                result += replacement
                unsafe from = from?.successor()
                left -= 1
            }
            // Of Hebrew and Vietnamese a letter is kept back, with which a mark that follows may be joined.
            _ = unsafe step(nil, nil, &piece, &result)
        }
        return (result, isWhole)
    }

    /// Converts as much as fits into a piece.
    ///
    /// - Returns: The error number that ended it, or 0.
    private borrowing func step(
        _ from: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
        _ left: UnsafeMutablePointer<Int>?,
        _ piece: inout [UInt8],
        _ result: inout [UInt8]
    ) -> Int32 {
        var code: Int32 = 0
        let count = unsafe piece.withUnsafeMutableBytes { target in
            var to = unsafe target.baseAddress?.assumingMemoryBound(to: CChar.self)
            var space = target.count
            if unsafe iconv(descriptor, from, left, &to, &space) == -1 { code = errno }
            return target.count - space
        }
        result += piece[..<count]
        return code
    }
}
