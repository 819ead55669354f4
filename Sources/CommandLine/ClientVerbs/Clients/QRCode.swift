import Glibc

/// A text as a QR code of half blocks, by libqrencode, which is loaded when it is needed.
enum QRCode {
    private static let file = "libqrencode.so.4"

    /// - Returns: `nil` where the library is not installed.
    static func lines(_ text: String) -> [String]? {
        guard let library = unsafe dlopen(file, RTLD_NOW | RTLD_LOCAL),
            let encode = unsafe dlsym(library, "QRcode_encodeString8bit"),
            let free = unsafe dlsym(library, "QRcode_free")
        else { return nil }
        // QRcode *QRcode_encodeString8bit(const char *string, int version, QRecLevel level)
        typealias Encode = @convention(c) (UnsafePointer<CChar>, Int32, Int32) -> UnsafeMutableRawPointer?
        typealias Free = @convention(c) (UnsafeMutableRawPointer) -> Void
        guard let code = unsafe unsafeBitCast(encode, to: Encode.self)(text, 0, 0) else { return nil }
        defer { unsafe unsafeBitCast(free, to: Free.self)(code) }
        // struct { int version; int width; unsigned char *data; }, a byte for each module, of which bit 0 is black.
        let width = Int(unsafe code.load(fromByteOffset: 4, as: Int32.self))
        let data = unsafe code.load(fromByteOffset: 8, as: UnsafePointer<UInt8>.self)
        guard (1...177).contains(width) else { return nil }
        return lines(width) { unsafe data[$1 * width + $0] & 1 == 1 }
    }

    /// Two rows of modules in each line, with the quiet zone that readers need; light on dark, as terminals are.
    static func lines(_ width: Int, isBlack: (Int, Int) -> Bool) -> [String] {
        func black(_ column: Int, _ row: Int) -> Bool {
            (0..<width).contains(column) && (0..<width).contains(row) && isBlack(column, row)
        }
        return stride(from: -2, to: width + 2, by: 2).map { row in
            let blocks = (-2..<width + 2).map { column in
                switch (black(column, row), black(column, row + 1)) {
                case (false, false): "█"
                case (false, true): "▀"
                case (true, false): "▄"
                case (true, true): " "
                }
            }
            return blocks.joined()
        }
    }
}
