import Authorization
import LibraryIndex
import NIOCore
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import ServerPicker

/// Requests by minutes that the test lets pass.
@Suite actor PickerServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let picker: PickerService
        let seen = Seen()
        let files = PickedFiles()

        final class Seen: PickerDelegate {
            private let lines = Watched<[String]>([])
            var changes = 0
            var woken: [PickerID] = []
            /// Those that were woken, by their number.
            var connections: [Int] = []
            /// One line for each library that was extended.
            var extensions: [String] = []
            var holders: [PickerRequest.Holder] = []
            var isFull = false

            var logged: [String] { lines.current }
            var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

            func pickerRequestsChanged() { changes += 1 }

            func extendLibrary(
                of client: PrincipalID,
                askedBy holder: PickerRequest.Holder,
                by parts: [LibraryScope.Part],
                _ who: String
            ) throws {
                if isFull { throw PickerError.libraryIsFull }
                extensions.append("\(client) by \(parts.map(\.text)), \(who)")
                holders.append(holder)
            }
        }

        init() { picker = PickerService(loop: loop, delegate: seen) }

        /// A client asks, and waits for the answer.
        func open(_ connection: Int = 1, limit: Int = 1) throws -> PickerID {
            let configuration = try PickerConfiguration(limit: limit)
            let asker = PickerRequest.Asker.frame(connection)
            let id = try picker.open(configuration, for: asker).id
            picker.wait(for: id, since: nil, at: connection) { [seen] in seen.woken.append(id) }
            return id
        }

        /// A guest asks for more of its library.
        func openLasting(at connection: Int) throws -> (PickerID, PrincipalID) {
            let name = try #require(ClientName("guest"))
            let asker = PickerRequest.Asker(
                connection: connection,
                name: "guest",
                party: .named(name),
                client: .named(name),
                isLimited: true
            )
            let configuration = try PickerConfiguration(.songs(nil), .extend, isLasting: true)
            return (try picker.open(configuration, for: asker).id, .named(name))
        }

        func state(_ id: PickerID) -> String? { picker.requests[id]?.state.name }
    }

    @Test func aRequestExpires() throws {
        let stage = Stage()
        let id = try stage.open()
        #expect(stage.seen.changes == 1)
        stage.loop.pass(299)
        #expect(stage.state(id) == "waiting" && stage.seen.woken.isEmpty)
        stage.loop.pass(1.01)
        #expect(stage.state(id) == "expired" && stage.seen.woken == [id] && stage.seen.changes == 2)
        // Whoever asked can still learn that, but not for ever.
        stage.loop.pass(301)
        #expect(stage.state(id) == nil && stage.loop.waitingCount == 0 && stage.seen.changes == 2)
    }

    /// Whoever chooses has as much time as is needed; whoever has gone to sleep gives way to others.
    @Test func aLeaseEnds() throws {
        let stage = Stage()
        let id = try stage.open(limit: 2)
        _ = try stage.picker.take(id, 7)
        for _ in 0..<10 {
            stage.loop.pass(119)
            _ = try stage.picker.take(id, 7)
        }
        try stage.picker.select(stage.files["a"], id, 7)
        let changes = stage.seen.changes
        stage.loop.pass(121)
        #expect(stage.state(id) == "waiting" && stage.seen.changes == changes + 1 && stage.seen.woken.isEmpty)
        #expect(throws: PickerError.isNotTaken) { try stage.picker.finish(id, 7) }
        #expect(try stage.picker.take(id, 7).selection.count == 1)
        try stage.picker.release(id, 7)
        #expect(try stage.picker.take(id, 8).selection.isEmpty)
        try stage.picker.select(stage.files["a"], id, 8)
        try stage.picker.finish(id, 8)
        #expect(stage.state(id) == "done" && stage.seen.woken == [id])
    }

    /// Whoever has said which version is known is told of each further one, the others of the end alone.
    @Test func newsAreTold() throws {
        let stage = Stage()
        let configuration = try PickerConfiguration(limit: 2, isContinuous: true)
        let id = try stage.picker.open(configuration, for: .frame(1)).id
        var (told, ended) = ([Int](), 0)
        func wait() {
            let version = stage.picker.requests[id]?.version ?? -1
            stage.picker.wait(for: id, since: version, at: 1) { told.append(stage.picker.requests[id]?.version ?? -1) }
        }
        stage.picker.wait(for: id, since: nil, at: 2) { ended += 1 }
        wait()
        _ = try stage.picker.take(id, 7)
        #expect(told == [1])
        wait()
        _ = try stage.picker.take(id, 7)
        #expect(told == [1])
        try stage.picker.select(stage.files["a"], id, 7)
        #expect(told == [1, 2] && ended == 0)
        wait()
        // The same again is no news.
        try stage.picker.select(stage.files["a"], id, 7)
        try stage.picker.move("a", to: 0, id, 7)
        #expect(told == [1, 2])
        try stage.picker.deselect(["a"], id, 7)
        #expect(told == [1, 2, 3])
        wait()
        stage.loop.pass(121)
        #expect(told == [1, 2, 3, 4] && stage.state(id) == "waiting" && ended == 0)
        wait()
        stage.picker.withdraw(id)
        #expect(told == [1, 2, 3, 4, -1] && ended == 1)
    }

    @Test func handlesEndAfterAnHour() throws {
        let stage = Stage()
        let id = try stage.open()
        _ = try stage.picker.take(id, 7)
        try stage.picker.select(stage.files["a"], id, 7)
        try stage.picker.finish(id, 7)
        let handle = try #require(stage.picker.requests[id]?.handles.first)
        stage.loop.pass(3_599)
        #expect(try stage.picker.item(handle.text, of: 1, nil).uri == "a")
        stage.loop.pass(1.01)
        #expect(throws: PickerError.noSuchHandle) { try stage.picker.item(handle.text, of: 1, nil) }
        #expect(stage.loop.waitingCount == 0)
    }

    @Test func connectionsEnd() throws {
        let stage = Stage()
        let (first, second) = (try stage.open(1), try stage.open(2))
        _ = try stage.picker.take(first, 7)
        _ = try stage.picker.take(second, 7)
        // The client of the first is gone, and then the owner.
        stage.picker.disconnected(1)
        #expect(stage.state(first) == nil && stage.seen.woken.isEmpty)
        stage.picker.disconnected(7)
        #expect(stage.state(second) == "waiting")
        stage.picker.disconnected(9)
        stage.loop.pass(301)
        #expect(stage.seen.woken == [second])
    }

    /// A client that has closed its end takes back what it has asked, and keeps what it was given.
    @Test func aClientThatSaysNothingMoreAsksNothing() throws {
        let stage = Stage()
        let (first, second, other) = (try stage.open(1), try stage.open(1), try stage.open(2))
        _ = try stage.picker.take(first, 7)
        try stage.picker.select(stage.files["a"], first, 7)
        try stage.picker.finish(first, 7)
        _ = try stage.picker.take(second, 7)
        let changes = stage.seen.changes
        stage.picker.inputEnded(of: 1)
        #expect(stage.state(first) == "done" && stage.state(second) == nil && stage.state(other) == "waiting")
        #expect(stage.seen.woken == [first, second] && stage.seen.changes == changes + 1)
        stage.picker.inputEnded(of: 3)
        #expect(stage.seen.changes == changes + 1)
    }

    /// When a client loses the right to ask, its requests and handles end.
    @Test func rightsEnd() throws {
        let stage = Stage()
        let (first, second, other) = (try stage.open(1), try stage.open(1), try stage.open(2))
        _ = try stage.picker.take(first, 7)
        try stage.picker.select(stage.files["a"], first, 7)
        try stage.picker.finish(first, 7)
        let handle = try #require(stage.picker.requests[first]?.handles.first)
        stage.picker.rightsChanged { _ in true }
        #expect(stage.state(first) == "done" && stage.state(second) == "waiting")
        stage.picker.rightsChanged { $0 != .connection(1) }
        #expect(stage.state(first) == nil && stage.state(second) == nil && stage.state(other) == "waiting")
        #expect(stage.seen.woken == [first, second])
        #expect(throws: PickerError.noSuchHandle) { try stage.picker.item(handle.text, of: 1, nil) }
    }

    @Test func otherClientsRequestsAreNotThere() throws {
        let stage = Stage()
        let id = try stage.open(1)
        #expect(try stage.picker.request("\(id)", of: 1, nil).id == id)
        for word in ["\(id)", "p9", "", "x"] {
            #expect(throws: PickerError.noSuchRequest(word)) { try stage.picker.request(word, of: 2, nil) }
        }
    }

    /// Whoever asks and withdraws again and again is soon refused, and is one line of the log.
    @Test func askingHasItsRate() throws {
        let stage = Stage()
        for _ in 0..<PickerService.mostInAMinute { stage.picker.withdraw(try stage.open(1)) }
        #expect(throws: PickerError.tooOften) { try stage.open(1) }
        _ = try stage.open(2)
        #expect(stage.seen.logged.count == 1)
        stage.loop.pass(61)
        stage.picker.withdraw(try stage.open(1))
        #expect(stage.seen.logged.count == 2)
    }

    /// A library is extended once and before the client is told; where that fails, the choice goes on.
    @Test func aLibraryIsExtended() throws {
        let stage = Stage()
        let guest = try #require(ClientName("guest"))
        let asker = PickerRequest.Asker(
            connection: 1,
            name: "guest",
            party: .named(guest),
            client: .named(guest),
            isLimited: true
        )
        let id = try stage.picker.open(PickerConfiguration(.songs(nil), .extend), for: asker).id
        stage.picker.wait(for: id, since: nil, at: 1) { [seen = stage.seen] in
            #expect(seen.extensions == ["guest by [\"a\"], owner"])
            seen.woken.append(id)
        }
        func finish(_ face: Int) throws {
            try stage.picker.finish(id, face, extendingBy: [.folder("a")], "owner")
        }
        _ = try stage.picker.take(id, 7)
        #expect(throws: PickerError.nothingIsChosen) { try finish(7) }
        try stage.picker.select([PickedFiles.song("a")], id, 7)
        #expect(throws: PickerError.isBeingAnswered) { try finish(8) }
        stage.seen.isFull = true
        #expect(throws: PickerError.libraryIsFull) { try finish(7) }
        #expect(stage.state(id) == "choosing" && stage.seen.extensions.isEmpty)
        stage.seen.isFull = false
        try finish(7)
        #expect(stage.state(id) == "done" && stage.seen.woken == [id])
        #expect(throws: PickerError.isOver) { try finish(7) }
        #expect(stage.seen.extensions.count == 1)
    }

    // MARK: Lasting requests

    /// A guest's phone may be put away: its request is the guest's, at whatever connection.
    @Test func aLastingRequestOutlivesItsConnection() throws {
        let stage = Stage()
        let (id, guest) = try stage.openLasting(at: 1)
        for connection in [1, 2, 3] {
            stage.picker.wait(for: id, since: nil, at: connection) { [seen = stage.seen] in
                seen.connections.append(connection)
            }
        }
        stage.picker.disconnected(1)
        // A connection that says nothing more waits for nothing, as there may be nobody at it.
        stage.picker.inputEnded(of: 2)
        #expect(stage.state(id) == "waiting" && stage.seen.connections == [2])
        #expect(try stage.picker.request("\(id)", of: 2, guest).id == id)
        for other in [nil, .named(try #require(ClientName("other")))] as [PrincipalID?] {
            #expect(throws: PickerError.noSuchRequest("\(id)")) { try stage.picker.request("\(id)", of: 1, other) }
        }
        stage.loop.pass(3_599)
        _ = try stage.picker.take(id, 7)
        try stage.picker.select([PickedFiles.song("a")], id, 7)
        try stage.picker.finish(id, 7, extendingBy: [.folder("a")], "owner")
        // The one that waits still.
        #expect(stage.seen.connections.sorted() == [2, 3] && stage.seen.holders == [.client(guest)])
        stage.loop.pass(3_599)
        #expect(stage.state(id) == "done")
        stage.loop.pass(2)
        #expect(stage.state(id) == nil && stage.loop.waitingCount == 0)
    }

    /// An owner who goes away gives it back for as long again, and its end is told as long.
    @Test func aLastingRequestWaitsForAnHour() throws {
        let stage = Stage()
        let (id, _) = try stage.openLasting(at: 1)
        _ = try stage.picker.take(id, 7)
        stage.picker.disconnected(7)
        stage.loop.pass(3_599)
        #expect(stage.state(id) == "waiting")
        stage.loop.pass(1.01)
        #expect(stage.state(id) == "expired")
        stage.loop.pass(3_599)
        #expect(stage.state(id) == "expired")
        stage.loop.pass(1.01)
        #expect(stage.state(id) == nil)
    }

    @Test func aLastingRequestEndsWithItsClientsRights() throws {
        let stage = Stage()
        let (id, guest) = try stage.openLasting(at: 1)
        stage.picker.rightsChanged { $0 != .connection(1) }
        #expect(stage.state(id) == "waiting")
        stage.picker.rightsChanged { $0 != .client(guest) }
        #expect(stage.state(id) == nil)
    }

    /// What was picked for a lasting request is loaded at any connection of the client, and of nobody else.
    @Test func handlesOfALastingRequestAreTheClients() throws {
        let stage = Stage()
        let guest = PrincipalID.named(try #require(ClientName("guest")))
        let configuration = try PickerConfiguration(isLasting: true)
        #expect(throws: PickerError.cannotLast) { try stage.picker.open(configuration, for: .frame(1)) }
        let asker = PickerRequest.Asker(
            connection: 1,
            name: "guest",
            party: .named(try #require(ClientName("guest"))),
            client: guest
        )
        let id = try stage.picker.open(configuration, for: asker).id
        stage.picker.disconnected(1)
        _ = try stage.picker.take(id, 7)
        try stage.picker.select(stage.files["a"], id, 7)
        try stage.picker.finish(id, 7)
        let handle = try #require(stage.picker.requests[id]?.handles.first).text
        #expect(try stage.picker.item(handle, of: 2, guest).uri == "a")
        #expect(throws: PickerError.noSuchHandle) { try stage.picker.item(handle, of: 1, nil) }
    }
}
