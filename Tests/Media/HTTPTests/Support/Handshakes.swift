import Foundation
import TestSupport

/// A server that closes each connection as soon as something was said to it.
final class Handshakes: Sendable {
    private let listener: Listener
    var port: UInt16 { listener.port }

    init() throws {
        listener = try Listener { client in
            var byte: UInt8 = 0
            _ = unsafe recv(client, &byte, 1, 0)
            close(client)
        }
    }
}
