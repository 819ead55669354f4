import CZlib
import Foundation

/// Writes a Swift file that has other files in it, each as it is and compressed by gzip, both in base64.
///
/// Brotli would save a sixth, but browsers ask for it by https only, and most people open the page by http.
@main
enum PagePacker {
    /// - Throws: What cannot be read, or written.
    static func main() throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let output = arguments.first else { throw CocoaError(.fileNoSuchFile) }
        let files = try arguments.dropFirst().map { path in
            let url = URL(filePath: path)
            return (name: url.lastPathComponent, bytes: [UInt8](try Data(contentsOf: url)))
        }
        var version = Checksum()
        for file in files { version.add(file.name.utf8 + file.bytes) }
        var text = "extension PageFile {\n    static let version = \"\(version.text)\"\n\n"
        text += "    static let packed: [PackedFile] = [\n"
        let names = "[" + files.map { "\"\($0.name)\"" }.joined(separator: ", ") + "]"
        for file in files {
            var bytes = file.bytes
            if ["index.html", "worker.js"].contains(file.name) {
                let text = String(decoding: bytes, as: UTF8.self).replacing("VERSION", with: version.text)
                bytes = Array(text.replacing("FILES", with: names).utf8)
            }
            let (plain, gzip) = (Data(bytes).base64EncodedString(), Data(try compress(bytes)).base64EncodedString())
            text += "        PackedFile(name: \"\(file.name)\", plain: \"\(plain)\", gzip: \"\(gzip)\"),\n"
        }
        try Data((text + "    ]\n}\n").utf8).write(to: URL(filePath: output))
    }

    /// Compresses bytes (RFC 1952), as well as zlib can; without a date, so that a build can be repeated.
    private static func compress(_ bytes: [UInt8]) throws -> [UInt8] {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        let code = unsafe deflateInit2_(
            &stream,
            Z_BEST_COMPRESSION,
            Z_DEFLATED,
            gzipWindow,
            mostMemory,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            size
        )
        guard code == Z_OK else { throw POSIXError(.ENOMEM) }
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        let capacity = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
        return unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(capacity)
                unsafe _ = deflate(&stream, Z_FINISH)
                count = unsafe capacity - Int(stream.avail_out)
            }
        }
    }
}

/// 32 KiB of window, with gzip's header and checksum.
private let gzipWindow: Int32 = 15 + 16
/// zlib's highest memory level.
private let mostMemory: Int32 = 9

/// FNV-1a of 64 bits: it names a version of the page, and protects nothing.
struct Checksum {
    private var value: UInt64 = 0xcbf2_9ce4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01b3 }
    }

    var text: String { String(value, radix: 36) }
}
