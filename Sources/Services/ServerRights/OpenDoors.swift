internal import LineProtocol
package import Settings

/// Ways in that are wider than their owner may know.
package enum OpenDoors {
    /// Half sentences, for the server's owner, each with what to do.
    package static func find(in configuration: Configuration) -> [(door: String, advice: String)] {
        let access = configuration.access
        var doors: [(door: String, advice: String)] = []
        for listener in configuration.listeners + configuration.webListeners
        where listener.address.isOpenToNetwork {
            let isPlain = !listener.address.isEncrypted
            if isPlain, configuration.tls.isRequired { continue }
            if let open = anonymous(listener, access), !open.isEmpty {
                doors.append(
                    (
                        "\(listener.address): other machines need no password for \(open)",
                        "Set allow-anonymous = \"loopback\", or give them less with anonymous-permissions or [[host]]"
                    )
                )
            }
            if isPlain, !access.passwords.isEmpty {
                doors.append(
                    (
                        "\(listener.address): passwords can be read by those who see the network's traffic",
                        "Listen at tls:, and set tls.required"
                    )
                )
            }
        }
        if let file = configuration.readablePasswordFile {
            doors.append(("every user of this machine can read the passwords in \(file)", "chmod o-r '\(file)'"))
        }
        for output in configuration.zones.flatMap(\.outputs) {
            guard output.kind == .httpd, let broadcast = output.broadcast, broadcast.isOpenToNetwork else { continue }
            doors.append(
                (
                    "output \"\(output.name)\": whoever reaches port \(broadcast.port) of this machine hears it",
                    "Set its bind-to-address to the address of one network, or to 127.0.0.1"
                )
            )
        }
        for password in access.passwords where password.permissions.contains(.owner) {
            doors.append(
                (
                    "a password of the configuration makes its clients owners",
                    "Give it fewer permissions, and pair those clients instead: segue pair"
                )
            )
            break
        }
        return doors
    }

    /// The permissions of strangers at a listener; `nil` when they have none.
    private static func anonymous(_ listener: Listener, _ access: AccessRules) -> Permissions? {
        if let permissions = listener.permissions { return permissions }
        return access.allowAnonymous == .loopback ? nil : access.anonymousPermissions
    }
}
