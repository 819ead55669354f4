internal import AudioTypes
private import Glibc
package import Settings

/// A socket that the service manager listens on for us (`sd_listen_fds(3)`).
package struct InheritedSocket: Sendable, Hashable {
    /// Already listening; closed by the listener that adopts it.
    package let descriptor: Int32
    /// Its address, and the configuration of that address.
    package let listener: Listener
    /// Whether its clients speak HTTP: its name is `web` (`FileDescriptorName=`, systemd.socket(5)).
    package let isWeb: Bool

    package init(descriptor: Int32, listener: Listener, isWeb: Bool = false) {
        self.descriptor = descriptor
        self.listener = listener
        self.isWeb = isWeb
    }

    /// The first descriptor that a service manager passes.
    package static let first: Int32 = 3

    /// The sockets that were passed to this process, and the problems with unusable ones.
    ///
    /// - Parameters:
    ///   - listeners: The configured listeners: a socket at the same address gets their zone and permissions.
    ///   - first: The first descriptor.
    package static func all(
        environment: [String: String],
        listeners: [Listener],
        process: Int32 = getpid(),
        first: Int32 = Self.first
    ) -> (sockets: [InheritedSocket], problems: [String]) {
        guard
            environment["LISTEN_PID"].flatMap({ Int32($0) }) == process,
            let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...1_000).contains(count)
        else { return ([], []) }
        var sockets: [InheritedSocket] = []
        var problems: [String] = []
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        for descriptor in first..<first + count {
            guard let address = listening(descriptor) else {
                problems.append("the service manager's descriptor \(descriptor) is not a listening stream socket")
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let listener = listeners.first { $0.address.isSamePlace(as: address) } ?? Listener(address)
            let index = Int(descriptor - first)
            let isWeb = index < names.count && names[index] == "web"
            sockets.append(InheritedSocket(descriptor: descriptor, listener: listener, isWeb: isWeb))
        }
        return (sockets, problems)
    }

    /// The configured listeners without an inherited socket, which the daemon opens itself.
    package static func remaining(_ listeners: [Listener], besides sockets: [InheritedSocket]) -> [Listener] {
        listeners.filter { listener in
            !sockets.contains { $0.listener.address.isSamePlace(as: listener.address) }
        }
    }

    private static func listening(_ descriptor: Int32) -> Listener.Address? {
        guard option(SO_ACCEPTCONN, of: descriptor) == 1, option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
        else { return nil }
        return SocketAddress.listener(of: descriptor)
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else { return nil }
        return value
    }
}

extension Listener.Address {
    /// Whether both are the same address, regardless of a socket file's mode.
    package func isSamePlace(as other: Self) -> Bool {
        if case .unix(let path, _) = self, case .unix(let otherPath, _) = other { return path == otherPath }
        // A socket does not tell whether what is sent through it is encrypted.
        guard let place = network, let otherPlace = other.network else { return self == other }
        return place.port == otherPlace.port && Self.plain(place.host) == Self.plain(otherPlace.host)
    }

    /// A host in the kernel's spelling of its address; `nil` for every address.
    private static func plain(_ host: String?) -> String? {
        guard let host, let address = IPAddress(host) else { return host }
        return address.bytes.allSatisfy { $0 == 0 } ? nil : address.description
    }
}
