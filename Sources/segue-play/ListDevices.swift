import Foreground

/// The sound server's sinks; an error's description is one line that says what to do.
func listDevices(server: String?) async throws -> [OutputDevice] {
    []
}
