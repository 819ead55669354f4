/// The commands that a principal may not give whatever its permissions: `no-clear,no-stop`.
package struct WithheldCommands: Sendable, Hashable {
    package private(set) var names: Set<String> = []

    package init() {}

    /// Parses commands with `no-` before each, separated by commas; `all` withholds none.
    ///
    /// Whether there are commands of these names is not known here.
    package init?(parsing text: String) {
        if text == "all" { return }
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let name = word.dropFirst(3)
            guard word.hasPrefix("no-"), (1...Self.longestName).contains(name.utf8.count), names.count < Self.most,
                name.utf8.allSatisfy({ 0x61...0x7a ~= $0 || 0x30...0x39 ~= $0 || $0 == 0x5f })
            else { return nil }
            names.insert(String(name))
        }
    }

    package var isEmpty: Bool { names.isEmpty }

    package func contains(_ name: String) -> Bool { names.contains(name) }

    /// In bytes.
    private static let longestName = 32
    private static let most = 100
}

extension WithheldCommands: CustomStringConvertible {
    package var description: String { isEmpty ? "all" : names.sorted().map { "no-" + $0 }.joined(separator: ",") }
}
