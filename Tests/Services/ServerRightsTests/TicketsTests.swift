import Testing

@testable import ServerRights

/// Words that stand for a connection in addresses.
@Suite struct TicketsTests {
    @Test func aTicketIsGoodForAMinute() {
        var tickets = Tickets()
        let text = tickets.make(for: 7, at: 100)
        #expect(text.count == 32 && text.allSatisfy(\.isHexDigit))
        #expect(tickets.connection(of: text, at: 100) == 7)
        #expect(tickets.connection(of: text, at: 159.9) == 7)
        #expect(tickets.connection(of: text, at: 160) == nil)
        for other in ["", "x", String(text.dropLast()), text + "0", text.uppercased() + " "] {
            #expect(tickets.connection(of: other, at: 100) == nil)
        }
    }

    @Test func aConnectionHasTwo() {
        var tickets = Tickets()
        let first = tickets.make(for: 1, at: 0)
        let other = tickets.make(for: 2, at: 0)
        let second = tickets.make(for: 1, at: 0)
        #expect([first, second, other].map { tickets.connection(of: $0, at: 1) } == [1, 1, 2])
        let third = tickets.make(for: 1, at: 0)
        #expect([first, second, third, other].map { tickets.connection(of: $0, at: 1) } == [nil, 1, 1, 2])
        // However often one asks, it costs no more.
        for _ in 0..<100_000 { _ = tickets.make(for: 1, at: 2) }
        #expect(tickets.count == 3)
    }

    @Test func theyEndWithTheirConnection() {
        var tickets = Tickets()
        let texts = (0..<2).map { _ in tickets.make(for: 1, at: 0) }
        let other = tickets.make(for: 2, at: 0)
        tickets.end(of: 1)
        tickets.end(of: 3)
        #expect(texts.allSatisfy { tickets.connection(of: $0, at: 1) == nil })
        #expect(tickets.connection(of: other, at: 1) == 2 && tickets.count == 1)
    }
}
