import TestSupport
import TestThreads
import TestTiming
import Testing

/// What sessions and announcements sound like, at the monitor of a real sound server.
///
/// One after another: they play in real time.
@Suite(
    .blocking,
    .serialized,
    .timed,
    .timeLimit(.minutes(5)),
    .enabled("PulseAudio is not installed") { PulseServer.missing.isEmpty }
)
struct SessionSoundTests {}
