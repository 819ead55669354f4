/// What the session of another program's stream is, in place of what its role says.
package struct ForeignRule: Sendable, Hashable {
    /// What the program calls itself, or its application's identifier; upper and lower case are the same.
    package var name: String?
    /// The file name of the program.
    package var binary: String?
    /// What the sound is for: PulseAudio's `media.role`.
    package var role: String?
    /// Whether the stream is left alone, and has no session.
    package var isIgnored = false
    // `nil` where the role decides.
    package var category: String?
    package var mode: String?
    package var options: [String]?

    package init(name: String? = nil, binary: String? = nil, role: String? = nil) {
        self.name = name
        self.binary = binary
        self.role = role
    }

    /// Whether everything that the rule names is so.
    ///
    /// - Parameter names: What the program calls itself.
    package func matches(names: [String], binary: String, role: String) -> Bool {
        func isSame(_ wanted: String?, _ values: [String]) -> Bool {
            wanted.map { wanted in values.contains { $0.lowercased() == wanted.lowercased() } } ?? true
        }
        return isSame(name, names) && isSame(self.binary, [binary]) && isSame(self.role, [role])
    }
}
