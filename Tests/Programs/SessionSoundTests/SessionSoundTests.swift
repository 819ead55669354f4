import TestSupport
import Testing

/// What sessions and announcements sound like, at the monitor of a real sound server.
///
/// One after another: they play in real time.
@Suite(
    .serialized,
    .timeLimit(.minutes(3)),
    .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty }
)
struct SessionSoundTests {}
