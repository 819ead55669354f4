private import CZlib
package import NIOHTTP1

/// The coding of a response's body (RFC 9110, section 8.4.1): as it is, or compressed by gzip.
///
/// Only figures are compressed. A response of `/api` may have a secret beside words of the one who asks, and from the length of
/// such a body in compressed form its secret can be guessed (https://www.breachattack.com).
package enum ContentCoding: Sendable {
    /// Bodies of fewer bytes are sent as they are: they fit into one packet.
    package static let fewestBytes = 1_024

    /// Whether the one who asks takes gzip (RFC 9110, section 12.5.3).
    package static func takesGzip(_ head: HTTPRequestHead) -> Bool {
        var (gzip, any): (Bool?, Bool?) = (nil, nil)
        for coding in head.headers[canonicalForm: "accept-encoding"] {
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let isRefused = parts.dropFirst().contains { $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) <= 0 }
            switch parts.first {
            case "gzip", "x-gzip": gzip = !isRefused
            case "*": any = !isRefused
            default: break
            }
        }
        return gzip ?? any ?? false
    }

    /// Compresses bytes (RFC 1952), as fast as zlib can.
    ///
    /// - Returns: `nil` where there is no memory for it.
    package static func gzip(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = unsafe z_stream()
        let size = unsafe Int32(clamping: MemoryLayout<z_stream>.size)
        let code = unsafe deflateInit2_(
            &stream,
            Z_BEST_SPEED,
            Z_DEFLATED,
            gzipWindow,
            memoryLevel,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            size
        )
        guard code == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var input = bytes
        let capacity = unsafe Int(deflateBound(&stream, UInt(bytes.count)))
        return unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(clamping: input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(clamping: capacity)
                unsafe _ = deflate(&stream, Z_FINISH)
                count = unsafe capacity - Int(stream.avail_out)
            }
        }
    }

    /// 32 KiB of window, with gzip's header and checksum.
    private static let gzipWindow: Int32 = 15 + 16
    /// zlib's default.
    private static let memoryLevel: Int32 = 8
}
