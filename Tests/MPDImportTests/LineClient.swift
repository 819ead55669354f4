import Foundation
import Glibc

/// A connection to an mpd that asks and waits for the answer.
final class LineClient {
    private let descriptor: Int32

    /// - Returns: `nil` when nobody listens there yet.
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
        guard result == 0 else { return nil }
        _ = try? answer()
    }

    deinit { close(descriptor) }

    struct Refusal: Error { let text: String }

    @discardableResult
    func ask(_ command: String) throws -> String {
        let bytes = Array("\(command)\n".utf8)
        guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else { throw Refusal(text: command) }
        return try answer()
    }

    private func answer() throws -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
            if text.last == 0x0a, let last = lines.last {
                if last.hasPrefix("ACK") { throw Refusal(text: String(last)) }
                if last.hasPrefix("OK") { return String(decoding: text, as: UTF8.self) }
            }
            let count = unsafe read(descriptor, &buffer, buffer.count)
            guard count > 0 else { throw Refusal(text: "the connection ended") }
            text += buffer[..<count]
        }
    }
}
