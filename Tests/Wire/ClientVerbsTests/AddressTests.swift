import ProtocolClient
import TestThreads
import Testing

@Suite(.blocking) struct AddressTests {
    @Test(
        arguments: [
            ("kitchen", .network(host: "kitchen", port: 6600), nil),
            ("kitchen:6601", .network(host: "kitchen", port: 6601), nil),
            ("secret@kitchen", .network(host: "kitchen", port: 6600), "secret"),
            ("secret@kitchen:7", .network(host: "kitchen", port: 7), "secret"),
            ("10.0.0.5", .network(host: "10.0.0.5", port: 6600), nil),
            ("::1", .network(host: "::1", port: 6600), nil),
            ("fe80::1%eth0", .network(host: "fe80::1%eth0", port: 6600), nil),
            ("[::1]", .network(host: "::1", port: 6600), nil),
            ("[::1]:6601", .network(host: "::1", port: 6601), nil),
            ("pw@[::1]:6601", .network(host: "::1", port: 6601), "pw"),
            ("/run/mpd/socket", .socket(path: "/run/mpd/socket"), nil),
            ("/home/a@b/socket", .socket(path: "/home/a@b/socket"), nil),
            ("pw@/run/mpd/socket", .socket(path: "/run/mpd/socket"), "pw"),
            ("@mpd", .abstract(name: "mpd"), nil),
            ("pw@@mpd", .abstract(name: "mpd"), "pw"),
        ] as [(String, ServerAddress, String?)]
    )
    func takesApart(text: String, address: ServerAddress, password: String?) throws {
        let host = try HostText(parsing: text)
        #expect(host.address == address)
        #expect(host.password == password)
    }

    @Test(arguments: [
        "", "pw@", ":6600", "kitchen:", "kitchen:0", "kitchen:65536", "kitchen:+5", "kitchen:x", "[::1", "[]",
    ])
    func refuses(text: String) {
        #expect(throws: AddressProblem.self) { try HostText(parsing: text) }
    }

    @Test func refusesPathsThatNoSocketCanHave() {
        #expect(throws: AddressProblem.self) { try HostText(parsing: "/" + String(repeating: "a", count: 107)) }
        #expect(throws: Never.self) { try HostText(parsing: "/" + String(repeating: "a", count: 106)) }
    }

    @Test(arguments: ["kitchen:6601", "[::1]:6600", "/run/mpd/socket", "@mpd"])
    func isWrittenAsItIsRead(text: String) throws {
        #expect(try HostText(parsing: text).address.description == text)
    }

    private static let usual = ServerChoice.usualPlaces(runtimeFolder: "/run/user/7")

    @Test(
        arguments: [
            (nil, nil, nil, [:], usual, nil, .usualPlaces),
            (nil, nil, nil, ["MPD_HOST": ""], usual, nil, .usualPlaces),
            (nil, nil, "pw", [:], usual, "pw", .usualPlaces),
            (nil, nil, nil, ["MPD_HOST": "a"], [.network(host: "a", port: 6600)], nil, .variable("MPD_HOST")),
            (
                nil, nil, nil, ["MPD_HOST": "a", "SEGUE_HOST": "p@b"], [.network(host: "b", port: 6600)], "p",
                .variable("SEGUE_HOST")
            ),
            (
                nil, nil, nil, ["MPD_HOST": "a", "MPD_PORT": "7"], [.network(host: "a", port: 7)], nil,
                .variable("MPD_HOST")
            ),
            (
                nil, nil, nil, ["MPD_HOST": "a:8", "MPD_PORT": "7"], [.network(host: "a", port: 8)], nil,
                .variable("MPD_HOST")
            ),
            (nil, nil, nil, ["MPD_PORT": "7"], [.network(host: "localhost", port: 7)], nil, .variable("MPD_PORT")),
            (nil, 9, nil, ["MPD_PORT": "7"], [.network(host: "localhost", port: 9)], nil, .option),
            ("c", 9, nil, ["MPD_HOST": "a"], [.network(host: "c", port: 9)], nil, .option),
            ("q@c", nil, "p", ["MPD_PORT": "7"], [.network(host: "c", port: 7)], "p", .option),
        ] as [(String?, Int?, String?, [String: String], [ServerAddress], String?, ServerChoice.Origin)]
    )
    func chooses(
        host: String?,
        port: Int?,
        password: String?,
        variables: [String: String],
        addresses: [ServerAddress],
        expected: String?,
        origin: ServerChoice.Origin
    ) throws {
        let choice = try ServerChoice(host: host, port: port, password: password) { name in
            variables[name] ?? (name == "XDG_RUNTIME_DIR" ? "/run/user/7" : nil)
        }
        #expect(choice == ServerChoice(addresses: addresses, password: expected, origin: origin))
    }

    @Test func theUsualPlacesAreSeguesThenMPDs() {
        #expect(
            Self.usual.map(\.description) == [
                "/run/user/7/segue/socket", "/run/segue/socket", "/run/user/7/mpd/socket", "/run/mpd/socket",
                "localhost:6600",
            ]
        )
    }

    @Test(arguments: [("MPD_HOST", "a:b"), ("SEGUE_HOST", "pw@"), ("MPD_PORT", "none")])
    func aBadVariableIsNamed(name: String, value: String) {
        let problem = #expect(throws: AddressProblem.self) {
            try ServerChoice(host: nil, port: nil, password: nil) { $0 == name ? value : nil }
        }
        #expect(problem?.description.contains(name) == true)
    }

    @Test(arguments: [("2", 2, 2), ("0.5", 0.5, 0.5), ("0", 5, 30), ("-1", 5, 30), ("x", 5, 30), ("nan", 5, 30)])
    func patience(text: String, connecting: Double, answering: Double) {
        let limits = PatienceLimits { $0 == "MPD_TIMEOUT" ? text : nil }
        #expect(limits == PatienceLimits(connecting: connecting, answering: answering))
    }
}
