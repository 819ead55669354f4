import AudioTypes
import Files
import Glibc

/// Standard output, when sound is written to it.
enum StandardOutput {
    /// Whether it is a pipe or a socket that is still read, or none of these.
    static var hasReader: Bool { !Readiness.ended(STDOUT_FILENO).wait(until: .now) }
}
