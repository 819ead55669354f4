package import LineProtocol
package import Settings

/// A way in that is wider than its owner may know, or one that is closed or about to be.
package enum OpenDoor: Equatable {
    /// Other machines need no password at an address.
    case anonymous(address: String, Permissions)
    /// Passwords can be read on their way to an address.
    case plainPasswords(address: String)
    /// All users of the machine can read a file with passwords.
    case readableFile(String)
    /// A stream for whoever reaches a port.
    case stream(output: String, port: Int)
    /// A password of the configuration makes its clients owners.
    case ownerPassword
    /// An invitation that was not used, with the name and the hours that it is for yet.
    case invitation(name: String, hours: Int)
    /// The server's certificate ends in some days, or has ended.
    case certificate(days: Int)
    /// An address at which pages and programs cannot connect, with the reason, half a sentence.
    case closed(address: String, reason: String)

    /// The open doors of a configuration.
    package static func find(in configuration: Configuration) -> [OpenDoor] {
        let access = configuration.access
        var doors: [OpenDoor] = []
        for listener in configuration.listeners + configuration.webListeners
        where listener.address.isOpenToNetwork {
            let isPlain = !listener.address.isEncrypted
            if isPlain, configuration.tls.isRequired { continue }
            let address = listener.address.description
            if let open = anonymous(listener, access), !open.isEmpty {
                doors.append(.anonymous(address: address, open))
            }
            if isPlain, !access.passwords.isEmpty { doors.append(.plainPasswords(address: address)) }
        }
        if let file = configuration.readablePasswordFile { doors.append(.readableFile(file)) }
        for output in configuration.zones.flatMap(\.outputs) {
            guard output.kind == .httpd, let broadcast = output.broadcast, broadcast.isOpenToNetwork else { continue }
            doors.append(.stream(output: output.name, port: Int(broadcast.port)))
        }
        if access.passwords.contains(where: { $0.permissions.contains(.owner) }) { doors.append(.ownerPassword) }
        return doors
    }

    /// The permissions of strangers at a listener; `nil` when they have none.
    private static func anonymous(_ listener: Listener, _ access: AccessRules) -> Permissions? {
        if let permissions = listener.permissions { return permissions }
        return access.allowAnonymous == .loopback ? nil : access.anonymousPermissions
    }
}

extension OpenDoor {
    /// Half a sentence, for the server's owner.
    package var text: String {
        switch self {
        case .anonymous(let address, let permissions): "\(address): other machines need no password for \(permissions)"
        case .plainPasswords(let address): "\(address): passwords can be read by those who see the network's traffic"
        case .readableFile(let file): "every user of this machine can read the passwords in \(file)"
        case .stream(let output, let port):
            "output \"\(output)\": whoever reaches port \(port) of this machine hears it"
        case .ownerPassword: "a password of the configuration makes its clients owners"
        case .invitation(let name, let hours):
            "an invitation was not used yet: whoever has its link is \(name), for \(hours) h yet"
        case .certificate(let days):
            days < 0
                ? "the server's certificate is not valid any more" : "the server's certificate ends in \(days) days"
        case .closed(let address, let reason): "\(address): pages and programs cannot connect by HTTP: \(reason)"
        }
    }

    /// Says how to close it, or to open it where it is closed.
    package var advice: String {
        switch self {
        case .anonymous:
            "Set allow-anonymous = \"loopback\", or give them less with anonymous-permissions or [[host]]"
        case .plainPasswords: "Listen at tls:, and set tls.required"
        case .readableFile(let file): "chmod o-r '\(file)'"
        case .stream: "Set its bind-to-address to the address of one network, or to 127.0.0.1"
        case .ownerPassword: "Give it fewer permissions, and pair those clients instead: segue pair"
        case .invitation(let name, _): "To take it back: segue clients forget \(name)"
        case .certificate: "Put another one into its place: tls.certificate in the configuration"
        case .closed: "Set [web] listen to another address, or to [] for none"
        }
    }

    /// Whether it keeps all clients out.
    package var isClosed: Bool {
        switch self {
        case .closed: true
        case .certificate(let days): days < 0
        default: false
        }
    }

    /// The word that programs know it by, as in segue-protocol(7).
    package var word: String {
        switch self {
        case .anonymous: "anonymous"
        case .plainPasswords: "plainpasswords"
        case .readableFile: "readablefile"
        case .stream: "stream"
        case .ownerPassword: "ownerpassword"
        case .invitation: "invitation"
        case .certificate: "certificate"
        case .closed: "closed"
        }
    }

    /// Values of it, for programs that say it in their own words, as in segue-protocol(7).
    package var values: [(key: StaticString, value: String)] {
        switch self {
        case .anonymous(let address, let permissions):
            [("address", address), ("permissions", "\(permissions)")]
        case .plainPasswords(let address): [("address", address)]
        case .readableFile(let file): [("file", file)]
        case .stream(let output, let port): [("output", output), ("port", "\(port)")]
        case .ownerPassword: []
        case .invitation(let name, let hours): [("name", name), ("hours", "\(hours)")]
        case .certificate(let days): [("days", "\(days)")]
        case .closed(let address, let reason): [("address", address), ("error", reason)]
        }
    }
}
