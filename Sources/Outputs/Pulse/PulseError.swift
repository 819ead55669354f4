private import CPulse

/// Why there is no sound through a PulseAudio server, and what to do about it.
package enum PulseError: Error, Sendable, Hashable {
    /// No server answers at an address (`nil`: where libpulse looks by itself).
    case noServer(address: String?, code: Int32)
    /// The server has no sink of that name (`nil`: none at all).
    case noSink(name: String?)
    /// The server refused or broke off.
    case refused(code: Int32)
}

extension PulseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noServer(let address, let code):
            """
            no sound server answers\(address.map { " at \($0)" } ?? "") (\(Self.text(code))); \
            start PulseAudio or PipeWire, name one with --server or PULSE_SERVER, or use --output null
            """
        case .noSink(let name?): "the sound server has no sink '\(name)'; 'segue devices' lists those it has"
        case .noSink(nil): "the sound server has no sink; connect an audio device or load one"
        case .refused(let code): "the sound server: \(Self.text(code))"
        }
    }

    private static func text(_ code: Int32) -> String {
        guard let text = unsafe pa_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
