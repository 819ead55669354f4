private import CLinux
private import Glibc

/// A machine on a network of a test's own, as far as addresses and ports go: a namespace of Linux with a loopback.
///
/// It has no name, and is held by a process that ends with the test's, so the kernel takes it away whatever happens.
package final class NetworkNamespace: Sendable {
    private let holder: ChildProcess

    /// Whether this system lets a test have two of them with a cable in between.
    package static let isAllowed = getuid() == 0 && (try? pair("10.77.9.1", "10.77.9.2")) != nil

    private init() throws {
        let script = "ip link set lo up && echo up && exec sleep infinity"
        holder = try ChildProcess("unshare", ["--net", "sh", "-c", script])
        while holder.isRunning, !holder.outputText.contains("up") { usleep(1_000) }
        guard holder.isRunning else { throw ClientError(description: "no network: \(holder.errorText)") }
    }

    deinit { holder.end() }

    /// Two machines on one network, with these addresses in a /24.
    package static func pair(_ first: String, _ second: String) throws -> (NetworkNamespace, NetworkNamespace) {
        let (here, there) = (try NetworkNamespace(), try NetworkNamespace())
        try here.run("ip link add lan0 type veth peer name lan0 netns \(there.holder.pid)")
        for (machine, address) in [(here, first), (there, second)] {
            try machine.run("ip address add \(address)/24 dev lan0 && ip link set lan0 up")
        }
        return (here, there)
    }

    /// Gives the machine another address on the network of a pair, in a /24.
    package func add(_ address: String) throws { try run("ip address add \(address)/24 dev lan0") }

    private func run(_ script: String) throws {
        let words = command(["sh", "-c", script])
        try ChildProcess.run(words[0], Array(words.dropFirst()))
    }

    /// The words that run a program there; only root may.
    package func command(_ words: [String]) -> [String] {
        ["nsenter", "--target=\(holder.pid)", "--net", "--"] + words
    }

    /// A connection from there to an IPv4 address.
    package func connect(_ address: String, _ port: UInt16) throws -> Int32 {
        // The thread is the one that goes there, and never comes back; a socket stays where it was made.
        try onOwnThread { [path = "/proc/\(holder.pid)/ns/net"] in
            let place = unsafe open(path, O_RDONLY | O_CLOEXEC)
            defer { close(place) }
            guard place >= 0, setns(place, 0) == 0 else { throw ClientError(description: "setns: error \(errno)") }
            return try SocketAddress.ipv4Host(address, port).connect()
        }
    }
}
