import LineProtocol
import Testing

@testable import CommandServer

/// A command list keeps its commands in their order.
@Suite struct CommandListTests {
    @Test func commandsComeInTheirOrder() throws {
        var list = CommandList(tellsEach: true)
        for line in ["status", "add \"a b\"", "add c", "1", "ping"] { list.append(Array(line.utf8)) }
        #expect(list.count == 5)
        #expect(list.size == "status add \"a b\" add c 1 ping ".utf8.count)
        list.begin()
        #expect(try list.current?.get().command == "status")
        #expect(list.upcoming(["add"]) == ["a b", "c"])
        list.advance()
        #expect(try list.current?.get().arguments == ["a b"])
        list.advance()
        list.advance()
        #expect(list.index == 3)
        if case .failure? = list.current {} else { Issue.record("a line that is no request is none") }
        list.advance()
        list.advance()
        if case .some = list.current { Issue.record("there is another one") }
    }
}
