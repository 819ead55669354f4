import ServerRights
import Settings
import Testing

@testable import ServerNetwork

/// When there are too many handshakes, the place with the most gives one up.
struct HandshakesTests {
    private func place(_ number: Int) -> ClientPlace { .network([192, 0, 2, UInt8(number)]) }

    @Test func handshakesGiveWay() {
        var (handshakes, limits) = (Handshakes(), Limits())
        (limits.maxHandshakes, limits.maxHandshakesPerAddress) = (6, 4)
        func begin(_ number: Int, _ from: Int) -> Int? { handshakes.begin(number, from: place(from), limits) }
        for number in 0..<4 { #expect(begin(number, 1) == nil) }
        #expect(begin(4, 1) == 0)
        #expect(begin(5, 2) == nil)
        #expect(begin(6, 3) == nil)
        // The place with the most gives way, not the newcomer's.
        #expect(begin(7, 2) == 1)
        handshakes.end(7)
        #expect(begin(8, 4) == nil)
        #expect(handshakes.count == 6)
    }
}
