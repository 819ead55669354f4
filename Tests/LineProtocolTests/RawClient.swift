import Glibc

/// A connection to an mpd that sends lines as they are.
final class RawClient {
    private let descriptor: Int32

    /// - Returns: `nil` when nobody listens there.
    init?(_ path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(path.utf8)) }
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // Closed by `deinit`: twice would be once too often for whoever has the number by then.
        guard result == 0, answer()?.hasPrefix("OK MPD") == true else { return nil }
    }

    deinit { close(descriptor) }

    /// The answer's line, of which there is one; `nil` when the server hangs up.
    func ask(_ line: [UInt8]) -> String? {
        let bytes = line + [0x0a]
        guard unsafe send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return nil }
        return answer()
    }

    private func answer() -> String? {
        var text: [UInt8] = []
        var byte: UInt8 = 0
        while unsafe read(descriptor, &byte, 1) == 1 {
            if byte == 0x0a { return String(decoding: text, as: UTF8.self) }
            text.append(byte)
        }
        return nil
    }
}
