/// Facts that the file of a picture or video tells of how it was made, as PhotoKit's `PHAssetMediaSubtype` has them.
///
/// The numbers are stored in libraries.
package struct MediaSubtypes: OptionSet, Sendable, Hashable {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A picture that is put together of several, or of a whole sphere.
    package static let panorama = Self(rawValue: 1 << 0)
    /// A picture of a series.
    package static let burst = Self(rawValue: 1 << 1)
    /// A picture with a short film in the same file.
    package static let motionPhoto = Self(rawValue: 1 << 2)
    /// A picture with the distances of its points.
    package static let depthEffect = Self(rawValue: 1 << 3)
    package static let screenshot = Self(rawValue: 1 << 4)
    /// A picture of several frames, which are shown one after the other.
    package static let animated = Self(rawValue: 1 << 5)
    /// A video that was captured at 100 frames a second or more, for slow motion.
    package static let highFrameRate = Self(rawValue: 1 << 6)
    /// A video that shows what it has captured at least twice as fast.
    package static let timelapse = Self(rawValue: 1 << 7)

    /// A word for each.
    package var names: [String] { Self.words.filter { contains($0.subtype) }.map(\.name) }

    private static let words: [(subtype: Self, name: String)] = [
        (.panorama, "panorama"), (.burst, "burst"), (.motionPhoto, "motion photo"), (.depthEffect, "depth effect"),
        (.screenshot, "screenshot"), (.animated, "animated"), (.highFrameRate, "high frame rate"),
        (.timelapse, "timelapse"),
    ]
}

extension MediaSubtypes {
    /// Those of a video.
    ///
    /// - Parameters:
    ///   - frameRate: At which it is shown, in frames per second; `nil` when unknown.
    ///   - captureRate: At which it was captured, if its file says so; in frames per second.
    package init(frameRate: Double?, captureRate: Double?) {
        self = []
        if max(frameRate ?? 0, captureRate ?? 0) >= Self.slowMotionRate { insert(.highFrameRate) }
        if let frameRate, let captureRate, captureRate > 0, captureRate <= frameRate / 2 { insert(.timelapse) }
    }

    /// In frames per second; that of Android's lowest profile for high speed.
    private static let slowMotionRate = 100.0
}

/// Joins the picture and the video of a Live Photo: Apple's cameras write it into both files.
package struct ContentIdentifier: Sendable, Hashable {
    package let text: String

    /// In bytes; Apple's are UUIDs.
    private static let longest = 64

    /// - Returns: `nil` unless the text is of 1 to 64 characters of ASCII that can be seen.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            return nil
        }
        self.text = text
    }
}
