/// A sink of the sound server.
package struct Sink: Sendable, Hashable {
    package let name: String
    package let description: String
    package let isDefault: Bool
    /// The kind of its port, as AVAudioSession.Port names it; `nil` where that is not known.
    package var portType: String?
    /// 1 for no change; the scale is cubic.
    package var volume = 1.0
    package var isMuted = false

    package init(name: String, description: String, isDefault: Bool) {
        self.name = name
        self.description = description
        self.isDefault = isDefault
    }
}
