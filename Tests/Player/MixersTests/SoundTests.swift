import Testing

/// What is heard in real time: one after another, for a machine that is busy with one is late for the other.
@Suite(.serialized) enum SoundTests {}
