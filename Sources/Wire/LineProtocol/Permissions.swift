/// A client's permissions: MPD's classes of commands, with `admin` split in two.
package struct Permissions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Asking the owner to pick pictures, and getting those; `read` comprises it.
    package static let pick = Permissions(rawValue: 1 << 8)
    /// Queries.
    package static let read = Permissions(rawValue: 1 << 0 | 1 << 8)
    /// Adding to the queue.
    package static let add = Permissions(rawValue: 1 << 1)
    /// Playing, and changing options, volume and queue.
    package static let player = Permissions(rawValue: 1 << 2)
    /// Changing stored playlists and the library.
    package static let control = Permissions(rawValue: 1 << 3)
    /// Outputs and zones.
    package static let outputs = Permissions(rawValue: 1 << 4)
    /// The server itself: shutting it down, its configuration, and permissions.
    package static let owner = Permissions(rawValue: 1 << 7)
    /// MPD's `admin`.
    package static let admin: Permissions = [.outputs, .owner]

    /// Naming URLs that the server fetches.
    package static let network = Permissions(rawValue: 1 << 5)

    /// Adding at the end of the queue, and seeing and removing one's own entries; `add` and `player` comprise it.
    package static let addOnly = Permissions(rawValue: 1 << 6)

    package static let all: Permissions = [.read, .add, .network, .player, .control, .admin]
    /// The permissions that unmodified clients need, without those of the server's owner.
    package static let anonymous = all.subtracting(.owner)

    /// The permissions that each name in configuration files grants, from the least to the most.
    ///
    /// `add` grants `network` as well, because MPD's `add` takes URLs; ``withoutNetwork`` takes it away again.
    package static let granted: [(name: String, value: Permissions)] = [
        ("pick", .pick), ("read", .read), ("add-only", .addOnly), ("add", [.add, .network]), ("network", .network),
        ("player", .player), ("control", .control),
        ("outputs", .outputs), ("owner", .owner), ("admin", .admin),
    ]

    /// The name in configuration files that withholds `network`, even if other names grant it.
    package static let withoutNetwork = "no-network"
}

extension Permissions {
    /// Parses permissions such as `read,add,player`; also `all`, `none` and `no-network`.
    ///
    /// - Returns: `nil` when a name is unknown.
    package init?(parsing text: some StringProtocol) {
        self.init(names: text.split(separator: ",").map(trimmingBlanks))
    }

    package init?(names: some Collection<some StringProtocol>) {
        var result: Permissions = []
        for name in names {
            if name == "all" {
                result.formUnion(.all)
            } else if let value = Self.granted.first(where: { $0.name == name })?.value {
                result.formUnion(value)
            } else if name != "none", name != Self.withoutNetwork {
                return nil
            }
        }
        if names.contains(where: { $0 == Self.withoutNetwork }) { result.remove(.network) }
        self = result
    }

    /// The name of each permission, where `add` does not stand for `network`, too; `read` stands for `pick`.
    package var eachName: [String] {
        let each: [(String, Permissions)] = [
            ("pick", .pick), ("read", .read), ("add-only", .addOnly), ("add", .add), ("network", .network),
            ("player", .player), ("control", .control), ("outputs", .outputs), ("owner", .owner),
        ]
        return each.filter { contains($0.1) && ($0.0 != "pick" || !contains(.read)) }.map(\.0)
    }

    /// The names that grant this set, from the least to the most.
    package var names: [String] {
        let isWithheld = contains(.add) && !contains(.network)
        let held = Self.granted.filter { (isWithheld ? union(.network) : self).contains($0.value) }
        let names = held.filter { one in !held.contains { $0.value.isStrictSuperset(of: one.value) } }.map(\.name)
        return isWithheld ? names + [Self.withoutNetwork] : names
    }
}

extension Permissions: CustomStringConvertible {
    package var description: String { isEmpty ? "none" : names.joined(separator: ",") }
}

private func trimmingBlanks(_ text: some StringProtocol) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(start[...last])
}
