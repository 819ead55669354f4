package import NIOHTTP1

/// A request that has passed a gate, which need not look at the same head again.
package struct PassedRequest: Sendable {
    private let head: HTTPRequestHead
    package let gate: WebGate
    package let request: WebRequest

    package init(head: HTTPRequestHead, gate: WebGate, request: WebRequest) {
        (self.head, self.gate, self.request) = (head, gate, request)
    }

    /// Whether the gate would see the same: all but the length of the body, and the fields in the same order.
    package func isSame(as other: HTTPRequestHead) -> Bool {
        guard head.method == other.method, head.uri == other.uri, head.version == other.version,
            head.headers.count == other.headers.count
        else { return false }
        return zip(head.headers, other.headers).allSatisfy { mine, its in
            mine.name == its.name && (mine.value == its.value || Self.isLength(mine.name))
        }
    }

    private static func isLength(_ name: String) -> Bool { name == "Content-Length" || name == "content-length" }
}
