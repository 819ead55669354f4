internal import AudioTypes

extension ReplayGain {
    /// What frames `RVA2` of an ID3v2.4 tag at a file's beginning ask for: libavformat does not read them.
    init(volumesIn file: any ByteAccess) {
        self.init()
        let header = file.bytes(at: 0, count: 10)
        guard header.count == 10, header.starts(with: "ID3".utf8), header[3] == 4 else { return }
        let end = 10 + synchsafe(header, at: 6)
        // Zeros put behind each 0xff, in all frames.
        let stuffing: UInt8 = header[5] & 0x80 != 0 ? 2 : 0
        var place = 10
        if header[5] & 0x40 != 0 { place += synchsafe(file.bytes(at: place, count: 4), at: 0) }
        // More frames than any tag has that is as it should be.
        for _ in 0..<1024 where place + 10 <= end {
            let frame = file.bytes(at: place, count: 10)
            guard frame.count == 10, frame[0] != 0 else { return }
            let size = synchsafe(frame, at: 4)
            if frame.starts(with: "RVA2".utf8),
                let volume = volume(file.bytes(at: place + 10, count: min(size, 256)), frame[9] | stuffing)
            {
                fillIn(volume)
            }
            place += 10 + size
        }
    }

    private func volume(_ content: [UInt8], _ flags: UInt8) -> ReplayGain? {
        // Compressed or encrypted; a group's number and a length before it; zeros put behind each 0xff.
        guard flags & 0x0c == 0 else { return nil }
        var bytes = content.dropFirst((flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0))
        if flags & 0x02 != 0 {
            let plain = bytes.indices.filter { $0 == bytes.startIndex || bytes[$0] != 0 || bytes[$0 - 1] != 0xff }
            bytes = plain.map { bytes[$0] }[...]
        }
        return ReplayGain(volumeFrame: bytes)
    }
}

/// Seven bits to the byte.
private func synchsafe(_ bytes: [UInt8], at place: Int) -> Int {
    guard place + 4 <= bytes.count else { return 0 }
    return bytes[place..<place + 4].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
}
