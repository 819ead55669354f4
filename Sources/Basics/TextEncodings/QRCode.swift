import Glibc

/// A text as a QR code (ISO/IEC 18004), by libqrencode, which is loaded when it is needed.
package struct QRCode: Sendable, Hashable {
    /// Modules from side to side: 21 to 177.
    package let width: Int
    /// Row by row, whether each module is black.
    private let modules: [Bool]

    private static let file = "libqrencode.so.4"

    /// Loads the library when it is the first one, and so may wait for a disk.
    ///
    /// - Returns: `nil` where the library is not installed, or the text is longer than codes are.
    package init?(_ text: String) {
        guard let library = unsafe dlopen(Self.file, RTLD_NOW | RTLD_LOCAL),
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
        self.width = width
        modules = (0..<width * width).map { unsafe data[$0] & 1 == 1 }
    }

    /// - Parameter rows: Of `1` for black and `0`, as many as each is long.
    package init?(rows: [String]) {
        guard (1...177).contains(rows.count), rows.allSatisfy({ $0.utf8.count == rows.count }) else { return nil }
        width = rows.count
        modules = rows.flatMap { row in row.utf8.map { $0 == UInt8(ascii: "1") } }
    }

    /// Each row, of `1` for black and `0`.
    package var rows: [String] {
        (0..<width).map { row in String(modules[row * width..<(row + 1) * width].map { $0 ? "1" : "0" }) }
    }

    /// As half blocks: two rows of modules in each line, with the quiet zone that readers need; light on dark, as terminals
    /// are.
    package var lines: [String] {
        func black(_ column: Int, _ row: Int) -> Bool {
            (0..<width).contains(column) && (0..<width).contains(row) && modules[row * width + column]
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
