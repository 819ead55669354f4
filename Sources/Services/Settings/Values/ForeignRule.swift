/// The session of another program's stream, in place of the one for its role.
package struct ForeignRule: Sendable, Hashable {
    /// The program's own name, or its application's identifier; upper and lower case are the same.
    package var name: String?
    /// The file name of the program.
    package var binary: String?
    /// The purpose of the sound: PulseAudio's `media.role`.
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
    /// - Parameter names: The program's own names.
    package func matches(names: [String], binary: String, role: String) -> Bool {
        func isSame(_ wanted: String?, _ values: [String]) -> Bool {
            wanted.map { wanted in values.contains { $0.lowercased() == wanted.lowercased() } } ?? true
        }
        return isSame(name, names) && isSame(self.binary, [binary]) && isSame(self.role, [role])
    }
}
