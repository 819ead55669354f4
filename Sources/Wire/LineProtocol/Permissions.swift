/// What a client may do: MPD's classes of commands.
package struct Permissions: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Looking at what there is.
    package static let read = Permissions(rawValue: 1 << 0)
    /// Adding to the queue.
    package static let add = Permissions(rawValue: 1 << 1)
    /// Playing, and changing options, volume and queue.
    package static let player = Permissions(rawValue: 1 << 2)
    /// Changing stored playlists and the library.
    package static let control = Permissions(rawValue: 1 << 3)
    /// Outputs, zones, and the server itself.
    package static let admin = Permissions(rawValue: 1 << 4)

    package static let all: Permissions = [.read, .add, .player, .control, .admin]

    /// Each class with the name it has in configuration files, from the least to the most.
    package static let named: [(name: String, value: Permissions)] = [
        ("read", .read), ("add", .add), ("player", .player), ("control", .control), ("admin", .admin),
    ]
}

extension Permissions {
    /// The permissions in `read,add,player`; also `all` and `none`.
    ///
    /// - Returns: `nil` when a name is not one of ours.
    package init?(parsing text: some StringProtocol) {
        self.init(names: text.split(separator: ",").map(trimmingBlanks))
    }

    package init?(names: some Sequence<some StringProtocol>) {
        var result: Permissions = []
        for name in names {
            if name == "all" {
                result.formUnion(.all)
            } else if let value = Self.named.first(where: { $0.name == name })?.value {
                result.insert(value)
            } else if name != "none" {
                return nil
            }
        }
        self = result
    }

    /// The names of what is in the set, from the least to the most.
    package var names: [String] { Self.named.filter { contains($0.value) }.map(\.name) }
}

extension Permissions: CustomStringConvertible {
    package var description: String { isEmpty ? "none" : names.joined(separator: ",") }
}

private func trimmingBlanks(_ text: some StringProtocol) -> String {
    let start = text.drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
    return String(start[...last])
}
