internal import Songs

/// The library's meaning of a name in a file's tags.
enum TagMeaning: Sendable, Hashable {
    case tag(TagType)
    /// A name that counts only if the file lacks the tag's own.
    case substitute(TagType)
    case gain(GainName)
    case cueSheet
    case picture
    case chapter
    case other
}

/// The names of ReplayGain 2.0 and of R128 (RFC 7845, section 5.2.1).
enum GainName: Sendable, Hashable {
    case track
    case trackPeak
    case album
    case albumPeak
    case r128Track
    case r128Album
}

/// The meanings of names in files, cached by their bytes: there are few, and they recur.
struct TagNames {
    private var meanings: [UInt64: (name: [UInt8], meaning: TagMeaning)] = [:]

    /// Longer than any known name, in bytes.
    private static let longest = 64
    private static let capacity = 1024

    mutating func meaning(of name: ArraySlice<UInt8>) -> TagMeaning {
        guard name.count <= Self.longest else { return .other }
        // FNV-1a.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in name { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        if let known = meanings[hash], known.name.elementsEqual(name) { return known.meaning }
        let meaning = Self.meaning(String(decoding: name, as: UTF8.self).lowercased())
        if meanings.count < Self.capacity { meanings[hash] = (Array(name), meaning) }
        return meaning
    }

    private static func meaning(_ name: String) -> TagMeaning {
        switch name {
        case "replaygain_track_gain": .gain(.track)
        case "replaygain_track_peak": .gain(.trackPeak)
        case "replaygain_album_gain": .gain(.album)
        case "replaygain_album_peak": .gain(.albumPeak)
        case "r128_track_gain": .gain(.r128Track)
        case "r128_album_gain": .gain(.r128Album)
        case "cuesheet": .cueSheet
        case "metadata_block_picture", "coverart", "cover art (front)", "cover art (back)": .picture
        case "chapter000", "chapter001", "chapter01", "chapter1": .chapter
        case _ where TagType.isSubstitute(mediaTag: name):
            TagType(mediaTag: name).map(TagMeaning.substitute) ?? .other
        default: TagType(mediaTag: name).map(TagMeaning.tag) ?? .other
        }
    }
}
