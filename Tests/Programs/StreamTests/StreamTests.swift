import TestSupport
import TestThreads
import Testing

/// Streams from real servers, through the built programs: what is heard, and what is told of it.
///
/// They play in real time, as many at once as there are `Seat`s.
@Suite(
    .blocking,
    .timeLimit(.minutes(5)),
    .enabled("not there: \(Programs.missing.joined(separator: ", "))") { Programs.missing.isEmpty }
)
struct StreamTests {}
