package import AudioTypes
package import PictureValues
package import Songs

/// The result of scanning a file: a row of the library before it has a number.
package struct ScannedFile: Sendable {
    package enum Kind: String, Sendable, Hashable { case audio, video, image, playlist }

    /// The kind of cover of the medium.
    package enum Cover: String, Sendable, Hashable { case none, embedded, file }

    /// Relative to the music directory, in MPD's form.
    package var uri: String
    package var kind = Kind.audio
    /// In bytes.
    package var size: Int
    /// Nanoseconds since 1970.
    package var modified: Int64
    package var inode: UInt64
    /// MPD's tags in the file's order; some occur several times.
    package var tags: [(TagType, String)] = []
    /// In seconds; `nil` when unknown.
    package var duration: Double?
    /// Whether the duration is exact, rather than an estimate from a bit rate.
    package var isExactlyTimed = true
    /// In MPD's form: `44100:16:2`.
    package var format: String?
    package var codec: String?
    /// Whether there is anything to be heard in a video.
    package var hasSound = true
    /// Bits per second.
    package var bitRate: Int?
    package var replayGain = ReplayGain()
    package var cover = Cover.none
    package var chapters: [Chapter] = []
    /// A CUE sheet in the tags.
    package var cueSheet: String?
    /// In pixels, of videos and images.
    package var width: Int?
    package var height: Int?
    /// As EXIF numbers it, 1 to 8; `nil` when unknown.
    package var orientation: Int?
    /// When a video or image was taken.
    package var captured: CaptureDate?
    package var subtypes: MediaSubtypes = []
    /// Of the picture and the video of a Live Photo.
    package var contentIdentifier: ContentIdentifier?
    /// From the audio without its tags, so it survives retagging, moving and renaming; `nil` when there is none.
    ///
    /// A CUE sheet's is from its text.
    package var portableID: String?
    /// The entries shown below it as a directory, in order: a CUE sheet's tracks.
    package var tracks: [Track] = []
    /// Why it cannot be used, for a message; `nil` when it can.
    package var problem: String?
    /// The texts that were read as Windows-1252 because nothing else was known, each ended by a line feed.
    package var undeclaredText: [UInt8] = []
    /// Whether reading failed, which may succeed the next time.
    package var isUnread = false

    /// One track of a CUE sheet.
    package struct Track: Sendable {
        /// From 1, by its place in the sheet.
        package var number: Int
        /// The file that it is a part of, relative to the music directory.
        package var file: String
        package var range: Song.Range?
        /// The sheet's tags; the file's own of other kinds are added.
        package var tags: [(TagType, String)]

        package init(number: Int, file: String, range: Song.Range?, tags: [(TagType, String)]) {
            self.number = number
            self.file = file
            self.range = range
            self.tags = tags
        }
    }

    package init(uri: String, size: Int, modified: Int64, inode: UInt64) {
        self.uri = uri
        self.size = size
        self.modified = modified
        self.inode = inode
    }
}
