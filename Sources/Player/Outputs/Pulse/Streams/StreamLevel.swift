private import Glibc

/// The volume and mute of a stream at a sound server.
package struct StreamLevel: Sendable, Hashable {
    /// Of each channel, in libpulse's unit: 65,536 leaves the sound as it is, and loudness follows the cube.
    package var volumes: [UInt32]
    package var isMuted: Bool

    package init(_ volumes: [UInt32], isMuted: Bool = false) {
        self.volumes = volumes.prefix(Self.channelLimit).map { min($0, Self.loudest) }
        self.isMuted = isMuted
    }

    /// PA_CHANNELS_MAX.
    package static let channelLimit = 32
    /// PA_VOLUME_MAX.
    package static let loudest = UInt32.max / 2

    /// The loudest channel's volume.
    package var loudness: UInt32 { volumes.max() ?? 0 }

    /// The level that is quieter by some dB.
    package func lowered(by decibels: Double) -> StreamLevel {
        let factor = pow(10, -max(0, decibels) / 60)
        return StreamLevel(volumes.map { UInt32(saturating: (Double($0) * factor).rounded()) }, isMuted: isMuted)
    }

    package var muted: StreamLevel { StreamLevel(volumes, isMuted: true) }

    /// The level for a stream with another number of channels.
    package func fitted(to channels: Int) -> StreamLevel {
        guard channels != volumes.count else { return self }
        return StreamLevel(Array(repeating: loudness, count: channels), isMuted: isMuted)
    }

    /// Whether two levels are the same but for rounding: PipeWire keeps volumes as floating-point numbers.
    package func isClose(to other: StreamLevel) -> Bool {
        guard isMuted == other.isMuted else { return false }
        guard volumes.count == other.volumes.count else { return Self.areClose(loudness, other.loudness) }
        return zip(volumes, other.volumes).allSatisfy(Self.areClose)
    }

    private static func areClose(_ one: UInt32, _ other: UInt32) -> Bool {
        max(one, other) - min(one, other) <= tolerance
    }

    /// A tenth of a percent.
    private static let tolerance: UInt32 = 64
}
