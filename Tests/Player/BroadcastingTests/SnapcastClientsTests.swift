import Testing
import TextEncodings

@testable import Broadcasting

@Suite struct SnapcastClientsTests {
    private func message(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    private func status(_ clients: String) throws -> JSON {
        try message(#"{"id":1,"result":{"server":{"groups":[{"clients":[\#(clients)]}]}}}"#)
    }

    private func client(
        _ id: String,
        _ name: String,
        host: String = "box",
        volume: Int = 70,
        muted: Bool = false
    ) -> String {
        #"{"id":"\#(id)","connected":true,"host":{"name":"\#(host)"},"config":{"name":"\#(name)","volume":"#
            + #"{"muted":\#(muted),"percent":\#(volume)}}}"#
    }

    @Test func volumesAreAttributesByName() throws {
        var clients = SnapcastClients()
        let list = [client("1", "Hall"), client("2", "", host: "bath", volume: 30, muted: true), client("3", "Hall")]
        #expect(!clients.handle(try status(list.joined(separator: ","))))
        // Where a name is not unique the number tells them apart.
        #expect(clients.attributes == ["volume:1": "70", "volume:bath": "0", "volume:3": "70"])
        #expect(clients.client(ofAttribute: "volume:bath")?.id == "2")
        #expect(clients.client(ofAttribute: "volume:Hall") == nil)
    }

    @Test func noticesAreFollowed() throws {
        var clients = SnapcastClients()
        _ = clients.handle(try status(client("1", "Hall")))
        let change = #"{"method":"Client.OnVolumeChanged","params":{"id":"1","volume":{"muted":false,"percent":20}}}"#
        #expect(!clients.handle(try message(change)))
        #expect(clients.attributes == ["volume:Hall": "20"])
        // Of others the server has to be asked.
        #expect(clients.handle(try message(#"{"method":"Client.OnConnect","params":{"id":"2"}}"#)))
        #expect(!clients.handle(try message(#"{"method":"Stream.OnUpdate"}"#)))
        _ = clients.handle(try status(client("1", "Hall", volume: 1_000)))
        #expect(clients.attributes == ["volume:Hall": "100"])
    }

    @Test func anOrderNamesTheClient() throws {
        var clients = SnapcastClients()
        _ = clients.handle(try status(client(#"a\"b"#, "Hall")))
        let hall = try #require(clients.client(ofAttribute: "volume:Hall"))
        let order = try message(SnapcastClients.order(volume: 55, of: hall))
        #expect(order["params"]?["id"]?.string == "a\"b")
        #expect(order["params"]?["volume"]?["percent"]?.number == 55)
    }
}
