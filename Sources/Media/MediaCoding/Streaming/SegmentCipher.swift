internal import CFFmpeg
internal import Segments

/// AES-128 by libavutil.
struct SegmentCiphers: SegmentDecryptorFactory {
    func makeDecryptor(key: [UInt8], iv: [UInt8]) -> (any SegmentDecryptor)? { SegmentCipher(key, iv) }
}

/// Owns one `AVAES`.
@safe
private final class SegmentCipher: SegmentDecryptor {
    private let context: OpaquePointer
    private var vector: [UInt8]

    init?(_ key: [UInt8], _ vector: [UInt8]) {
        guard key.count == 16, vector.count == 16, let context = unsafe av_aes_alloc() else { return nil }
        unsafe self.context = context
        self.vector = vector
        unsafe av_aes_init(context, key, 128, 1)
    }

    deinit { unsafe av_free(UnsafeMutableRawPointer(context)) }

    func decrypt(_ blocks: UnsafeMutableRawBufferPointer) {
        guard let base = unsafe blocks.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        unsafe vector.withUnsafeMutableBufferPointer { vector in
            unsafe av_aes_crypt(context, base, base, Int32(blocks.count / 16), vector.baseAddress, 1)
        }
    }
}
