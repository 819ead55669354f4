private import CPulse
private import Glibc

/// Why there is no sound through a PulseAudio server, and how to fix it.
package enum PulseError: Error, Sendable, Hashable {
    /// No server answers at an address (`nil`: libpulse's default).
    case noServer(address: String?, code: Int32)
    /// The server has no sink of that name (`nil`: none at all).
    case noSink(name: String?)
    /// The server refused or disconnected.
    case refused(code: Int32)

    /// Whether there is no server at all.
    package var isMissingServer: Bool {
        if case .noServer = self { return true }
        return false
    }
}

extension PulseError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noServer(let address, let code):
            """
            no sound server answers \((address ?? Self.chosen).map { "at \($0)" } ?? Self.usualPlaces) (\(Self.text(code))); \
            start PulseAudio or PipeWire, or name another one's address in PULSE_SERVER
            """
        case .noSink(let name?): "the sound server has no sink '\(name)'; 'segue devices' lists its sinks"
        case .noSink(nil): "the sound server has no sink; connect an audio device or load one"
        case .refused(let code): "the sound server: \(Self.text(code))"
        }
    }

    /// The address that the environment gives libpulse.
    private static var chosen: String? {
        guard let address = unsafe getenv("PULSE_SERVER"), unsafe address.pointee != 0 else { return nil }
        return unsafe String(cString: address)
    }

    /// Where libpulse looks without a configured address.
    private static var usualPlaces: String {
        guard let folder = unsafe getenv("XDG_RUNTIME_DIR") else { return "in the usual places" }
        return unsafe "at \(String(cString: folder))/pulse/native, nor in the other usual places"
    }

    private static func text(_ code: Int32) -> String {
        guard let text = unsafe pa_strerror(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}
