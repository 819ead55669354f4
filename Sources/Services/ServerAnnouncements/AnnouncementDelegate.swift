package import AudioTypes
package import Settings
package import Speech

/// Speaks a text with a voice into a file, whose path it returns; blocks.
package typealias Speak =
    @Sendable (_ text: String, _ voice: String?, AnnouncementSettings, SpeechCancellation) throws -> String

/// Receives the events of an ``Announcer``, and gives it its media.
package protocol AnnouncementDelegate: AnyObject {
    /// Resolves a medium; may block on the disk.
    var resolve: @Sendable (MediaEntry) throws -> MediaEntry { get }
    /// Speaks a text into a file, which is removed after playback.
    var speak: Speak { get }

    /// Announcements wait, are heard or have ended.
    func announcementsChanged()
    /// An announcement was heard, or has failed.
    func announcementEnded(_ id: Int)
}
