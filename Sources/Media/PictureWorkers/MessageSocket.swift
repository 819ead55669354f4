internal import AudioTypes
private import CLinux
package import Files
private import Glibc

/// One end of a pair of sockets, for messages with open files.
package struct MessageSocket: ~Copyable, Sendable {
    private let descriptor: Descriptor

    /// In bytes; longer messages are cut off.
    private static let limit = 4_096

    package init(_ descriptor: consuming Descriptor) { self.descriptor = descriptor }

    package var number: Int32 { descriptor.number }

    /// Two sockets that are connected to each other, as descriptors that belong to the caller.
    package static func pair() throws(SystemError) -> [Int32] {
        var ends: [Int32] = [-1, -1]
        let kind = Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .current }
        return ends
    }

    package func send(_ text: String, _ files: [Int32] = []) throws(SystemError) {
        let bytes = Array(text.utf8.prefix(Self.limit))
        let code = unsafe segue_send_message(descriptor.number, bytes, bytes.count, files, Int32(files.count))
        if code != 0 { throw SystemError(code) }
    }

    /// Waits for a message.
    ///
    /// - Returns: `nil` when the other end is closed. Its files belong to the caller.
    package func receive() throws(SystemError) -> (text: String, files: [Int32])? {
        var bytes = [UInt8](repeating: 0, count: Self.limit)
        var files = [Int32](repeating: -1, count: Int(SEGUE_MOST_DESCRIPTORS))
        var count: Int32 = 0
        let length = unsafe segue_receive_message(descriptor.number, &bytes, bytes.count, &files, &count)
        if length < 0 { throw SystemError(Int32(clamping: -length)) }
        if length == 0 { return nil }
        return (String(decoding: bytes[..<length], as: UTF8.self), Array(files[..<Int(count)]))
    }

    /// Whether the other end is closed.
    package var isClosed: Bool { Readiness.ended(descriptor.number).wait(until: .now) }

    /// Waits until there is a message, or the other end is closed.
    ///
    /// - Returns: `false` after `limit`.
    package func waitForMessage(_ limit: Duration) -> Bool {
        Readiness.readable(descriptor.number).wait(until: .now + limit / .seconds(1))
    }
}
