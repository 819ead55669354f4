package import AudioTypes

/// What a written file says besides its sound.
package struct FileDetails: Sendable, Hashable {
    /// The significant bits of a sample, where a file may keep fewer than its format has; `nil` for all.
    package var depth: Int?
    package var tags = Tags()

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
