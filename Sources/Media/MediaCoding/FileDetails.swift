package import AudioTypes

/// The details of a written file besides its sound.
package struct FileDetails: Sendable, Hashable {
    /// The significant bits of a sample, where a file may keep fewer than its format has; `nil` for all.
    package var depth: Int?
    package var tags = Tags()
    /// In order; none where the container has no place for them.
    package var chapters: [Chapter] = []
    /// A JPEG or PNG; not written where the container has no place for it.
    package var cover: MediaPicture?

    /// The gains that were measured; left out if the container has no tags for them.
    package var replayGain = ReplayGain()

    /// The largest cover that is copied, in bytes: a block of FLAC holds 16 MB, and its picture is stored beside a few words.
    package static let coverLimit = 8 << 20
    /// Chapters that a file may have; an ID3v2 tag names each in a frame of its own, and a Vorbis comment has three digits.
    package static let chapterLimit = 999

    package init(depth: Int? = nil, tags: Tags = Tags()) {
        self.depth = depth
        self.tags = tags
    }

    /// Tags that tell of the sound as it was encoded, or that a muxer writes by itself.
    private static let ownOfEncodings: Set<String> = [
        "encoder", "encoded_by", "itunsmpb", "itunnorm", "major_brand", "minor_version", "compatible_brands",
        "creation_time", "handler_name", "vendor_id", "language", "duration", "metadata_block_picture", "cuesheet",
    ]
    private static let ownPrefixes = ["replaygain_", "r128_", "accurip", "mp3gain_"]

    /// The tags that a file made of this medium keeps, with their values in order.
    var copied: [(name: String, values: [String])] {
        tags.names
            .filter { name in
                !Self.ownOfEncodings.contains(name) && !Self.ownPrefixes.contains { name.hasPrefix($0) }
            }
            .map { ($0, tags[all: $0]) }
    }
}
