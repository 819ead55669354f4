internal import TextEncodings

extension ReplayGain {
    /// Parses an ID3v2.4 frame `RVA2` (id3.org, section 4.11); `nil` when it has no value for the master volume.
    package init?(volumeFrame bytes: ArraySlice<UInt8>) {
        guard let end = bytes.firstIndex(of: 0) else { return nil }
        let isAlbum = bytes[..<end].elementsEqual("album".utf8, by: { $0 | 0x20 == $1 })
        var rest = bytes[(end + 1)...]
        // A channel, its volume in 512ths of a dB, and its peak, preceded by the peak's number of bits.
        while rest.count >= 4 {
            let start = rest.startIndex
            if rest[start] == 1 {
                let decibels = Double(Int16(bigEndian: rest[start + 1...start + 2])) / 512
                self.init(trackGain: isAlbum ? nil : decibels, albumGain: isAlbum ? decibels : nil)
                return
            }
            rest = rest.dropFirst(4 + (Int(rest[start + 3]) + 7) / 8)
        }
        return nil
    }

    /// Fills missing values from another one.
    package mutating func fillIn(_ other: ReplayGain) {
        trackGain = trackGain ?? other.trackGain
        trackPeak = trackPeak ?? other.trackPeak
        albumGain = albumGain ?? other.albumGain
        albumPeak = albumPeak ?? other.albumPeak
    }
}
