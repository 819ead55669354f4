package import AudioTypes

/// The wishes of a person who sets up a server.
package struct SetupChoices: Sendable, Hashable {
    /// The account that runs the server.
    package enum Service: String, Sendable, CaseIterable {
        /// The user's systemd: it starts when the user logs in.
        case user
        /// The system's systemd: it starts with the machine, as the account `segue`.
        case system
        /// Only the configuration is written.
        case none
    }

    /// Where the sound goes.
    package enum Sound: Sendable, Hashable {
        /// As segued chooses by itself: a sound server, or where none is, ALSA.
        case automatic
        case soundServer
        /// A device of ALSA, such as `hw:CARD=DAC`.
        case device(String)
    }

    /// The clients that may connect.
    package enum Network: Sendable, Hashable {
        case thisMachine
        /// Everybody on the local network.
        case local
        /// Whoever knows a password.
        case password(String)
    }

    /// `nil`: as it is configured, or by default.
    package var music: String?
    package var service = Service.user
    package var sound = Sound.automatic
    /// `nil`: as it is configured.
    package var network: Network?
    package var homeAssistant: HomeAssistant?
    /// Whether mpd is stopped for good, and what it knows is imported.
    package var replacesMPD = false
    /// Whether a user's server runs without the user being logged in.
    package var lingers = false

    package init() {}
}

/// A Home Assistant whose spoken texts are announcements.
package struct HomeAssistant: Sendable, Hashable {
    /// As it calls itself in its URLs: a name or an address.
    package let name: String
    package let port: Int
    package let address: IPAddress

    /// The port that Home Assistant uses by default.
    package static let usualPort = 8_123

    package init(name: String, port: Int, address: IPAddress) {
        self.name = name
        self.port = port
        self.address = address
    }

    /// Splits `NAME[:PORT]` or `[ADDRESS]:PORT`; `nil` for what is neither a name nor an address.
    package static func parse(_ text: String) -> (name: String, port: Int)? {
        var (name, port) = (text[...], usualPort)
        if IPAddress(text) == nil, let colon = text.lastIndex(of: ":") {
            guard let number = Int(text[text.index(after: colon)...]), (1...65_535).contains(number) else { return nil }
            (name, port) = (text[..<colon], number)
        }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        let isName = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "-_.:".utf8.contains(byte)
        }
        guard isName, (1...253).contains(name.utf8.count), !name.contains(":") || IPAddress(String(name)) != nil else {
            return nil
        }
        return (String(name), port)
    }

    /// The beginnings of the URLs of its texts; it may use its name or its address.
    var prefixes: [String] {
        let hosts = name == address.description ? [name] : [name, address.description]
        return hosts.map { "http://\($0.contains(":") ? "[\($0)]" : $0):\(port)/api/tts_proxy/" }
    }
}
