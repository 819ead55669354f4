import AudioTypes
import DBus
import Glibc
import Testing

@testable import Zeroconf

struct ServiceTests {
    @Test func namesAreBounded() {
        #expect(ServiceName("") == nil)
        #expect(ServiceName("a\nb") == nil)
        #expect(ServiceName(String(repeating: "a", count: 64)) == nil)
        #expect(
            ServiceName(shortening: String(repeating: "ä", count: 64))?.description == String(repeating: "ä", count: 31)
        )
        #expect(ServiceName(shortening: "\u{1}\n") == nil)
        #expect(ServiceName(shortening: "K\u{7}üche")?.description == "Küche")
    }

    @Test func attributesFit() {
        let long = ServiceAttribute("zones", String(repeating: "ü", count: 500))
        #expect(long.bytes.count == 254)
        #expect(ServiceAttribute(long.bytes) == long)
        #expect(ServiceAttribute(Array("=x".utf8)) == nil)
        #expect(ServiceAttribute([]) == nil)
        #expect(ServiceAttribute([0xff, 0xfe]) == nil)
        #expect(ServiceAttribute(Array("key".utf8)) == ServiceAttribute("key", ""))
        #expect(ServiceAttribute([UInt8](repeating: 0x61, count: 255))?.value == "")
        #expect(ServiceAttribute(Array("a=b=c".utf8)) == ServiceAttribute("a", "b=c"))
    }

    @Test func whereOthersConnect() throws {
        #expect(BoundAddress("127.0.0.1", port: 6600)?.service("_mpd._tcp", []) == nil)
        #expect(BoundAddress("::1", port: 6600)?.service("_mpd._tcp", []) == nil)
        #expect(BoundAddress("0.0.0.0", port: 6600)?.service("_mpd._tcp", [])?.addresses == .ipv4)
        #expect(BoundAddress("::", port: 6600)?.service("_mpd._tcp", [])?.addresses == .any)
        // An address that this machine does not have.
        #expect(BoundAddress("192.0.2.1", port: 6600)?.service("_mpd._tcp", []) == nil)
        #expect(BoundAddress("0.0.0.0", port: 0) == nil)
        #expect(BoundAddress("0.0.0.0", port: 70_000) == nil)
        #expect(BoundAddress("/socket", port: nil) == nil)
    }

    /// A link-local address means nothing without the interface that it was found through.
    @Test(
        arguments: [
            ("fe80::1", "fe80::1%lo"), ("febf::1", "febf::1%lo"), ("fd00::1", "fd00::1"),
            ("169.254.1.2", "169.254.1.2"),
        ]
    )
    func linkLocalAddressesHaveTheirInterface(answer: String, address: String) throws {
        let loopback = Int32(unsafe if_nametoindex("lo"))
        let service = FoundService([
            .int32(loopback), .int32(1), .string("Music"), .string("_mpd._tcp"), .string("local"), .string("pi.local"),
            .int32(1), .string(answer), .uint16(6_600), .array([], of: "ay"), .uint32(0),
        ])
        #expect(service?.address == address)
    }
}
