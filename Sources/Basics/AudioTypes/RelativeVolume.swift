extension ReplayGain {
    /// What an ID3v2.4 frame `RVA2` asks for (id3.org, section 4.11); `nil` when that is not about all channels together.
    package init?(volumeFrame bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstIndex(of: 0) else { return nil }
        let isAlbum = bytes[..<end].elementsEqual("album".utf8, by: { $0 | 0x20 == $1 })
        var rest = bytes[(end + 1)...]
        // A channel, its volume in 512ths of a dB, and its peak with the count of its bits before it.
        while rest.count >= 4 {
            let start = rest.startIndex
            if rest[start] == 1 {
                let decibels = Double(Int16(bitPattern: UInt16(rest[start + 1]) << 8 | UInt16(rest[start + 2]))) / 512
                self.init(trackGain: isAlbum ? nil : decibels, albumGain: isAlbum ? decibels : nil)
                return
            }
            rest = rest.dropFirst(4 + (Int(rest[start + 3]) + 7) / 8)
        }
        return nil
    }

    /// Takes from another what it says that this one does not.
    package mutating func fillIn(_ other: ReplayGain) {
        trackGain = trackGain ?? other.trackGain
        trackPeak = trackPeak ?? other.trackPeak
        albumGain = albumGain ?? other.albumGain
        albumPeak = albumPeak ?? other.albumPeak
    }
}
