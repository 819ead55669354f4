import TestSupport

/// Writes a quarter of a second of sound into a WAV file.
@Sendable package func writeSound(to path: String) throws {
    try WaveFile.write(Signal.tone(440, seconds: 0.25, sampleRate: 44_100), sampleRate: 44_100, to: path)
}
