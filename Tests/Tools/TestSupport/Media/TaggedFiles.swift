/// Short media files with other tags and other sound in each: FLAC, MP3 and Opus in turn, two of three with a cover inside.
///
/// The sound is encoded once for each format; the rest is put together byte by byte, so that a hundred thousand take
/// seconds.
package struct TaggedFiles: Sendable {
    private let flac: [UInt8]
    private let mp3: [UInt8]
    private let opus: [UInt8]
    /// A picture that lies beside the songs of an album and in them.
    package let cover: [UInt8]

    /// - Parameter coverSize: Of the picture, in pixels.
    package init(coverSize: Int = 300) async throws {
        func made(_ suffix: String, _ options: [String]) async throws -> [UInt8] {
            let path = try await MediaFixtures.file("tagged-\(coverSize).\(suffix)") { path in
                try MediaFixtures.ffmpeg(options + [path])
            }
            return try FileBytes.read(path)
        }
        let sound = ["-f", "lavfi", "-i", "anoisesrc=d=1:a=0.1,lowpass=400", "-ac", "2"]
        let bare = ["-map_metadata", "-1", "-fflags", "+bitexact"]
        flac = try await made("flac", sound + bare + ["-ar", "44100"])
        mp3 = try await made("mp3", sound + bare + ["-q:a", "6", "-id3v2_version", "0", "-write_id3v1", "0"])
        opus = try await made("opus", sound + bare + ["-ar", "48000", "-b:a", "64k"])
        cover = try await made(
            "jpg",
            ["-f", "lavfi", "-i", "mandelbrot=s=\(coverSize)x\(coverSize)", "-frames:v", "1", "-q:v", "5"]
        )
    }

    package static func suffix(_ number: Int) -> String { ["flac", "mp3", "opus"][number % 3] }

    /// A file of its own.
    ///
    /// - Parameter tags: By the names that Vorbis comments have.
    package func bytes(_ number: Int, _ tags: [(name: String, value: String)]) -> [UInt8] {
        switch number % 3 {
        case 0: flacFile(number, tags)
        case 1: mp3File(number, tags)
        default: opusFile(number, tags)
        }
    }

    // MARK: - Formats

    /// The number goes into the checksum of the sound, which is its identity.
    private func flacFile(_ number: Int, _ tags: [(name: String, value: String)]) -> [UInt8] {
        var place = 4
        var isLast = false
        while !isLast, place + 4 <= flac.count {
            isLast = flac[place] & 0x80 != 0
            place += 4 + (Int(flac[place + 1]) << 16 | Int(flac[place + 2]) << 8 | Int(flac[place + 3]))
        }
        var info = Array(flac[8..<42])
        info.replaceSubrange(18..<26, with: little(number, 8))
        let type = Array("image/jpeg".utf8)
        let picture =
            big(3, 4) + big(type.count, 4) + type + big(0, 4) + big(300, 4) + big(300, 4) + big(24, 4) + big(0, 4)
            + big(cover.count, 4) + cover
        let comments = vorbisComments(tags)
        var file = Array("fLaC".utf8) + [0] + big(34, 3) + info
        file += [4] + big(comments.count, 3) + comments
        file += [0x86] + big(picture.count, 3) + picture
        return file + flac[place...]
    }

    private func mp3File(_ number: Int, _ tags: [(name: String, value: String)]) -> [UInt8] {
        var frames: [UInt8] = []
        for (name, value) in tags {
            if let id = Self.id3[name] { frames += id3Frame(id, [3] + Array(value.utf8)) }
            if name == "MUSICBRAINZ_TRACKID" {
                frames += id3Frame("UFID", Array("http://musicbrainz.org".utf8) + [0] + Array(value.utf8))
            }
        }
        frames += id3Frame("APIC", [0] + Array("image/jpeg".utf8) + [0, 3, 0] + cover)
        var sound = mp3
        sound.replaceSubrange(sound.count - 100..<sound.count - 92, with: little(number, 8))
        return Array("ID3".utf8) + [4, 0, 0] + synchsafe(frames.count) + frames + sound
    }

    private static let id3 = [
        "ARTIST": "TPE1", "ALBUM": "TALB", "ALBUMARTIST": "TPE2", "TITLE": "TIT2", "TRACKNUMBER": "TRCK",
        "DISCNUMBER": "TPOS", "DATE": "TDRC", "GENRE": "TCON", "COMPOSER": "TCOM", "LABEL": "TPUB",
    ]

    private func opusFile(_ number: Int, _ tags: [(name: String, value: String)]) -> [UInt8] {
        var pages = OggBytes.pages(of: opus)
        guard pages.count > 2 else { return [] }
        let comments = Array("OpusTags".utf8) + vorbisComments(tags)
        pages[1] = OggBytes.page(like: pages[1], body: comments)
        var last = pages[pages.count - 1]
        last.replaceSubrange(last.count - 24..<last.count - 16, with: little(number, 8))
        pages[pages.count - 1] = OggBytes.summed(last)
        return Array(pages.joined())
    }

    // MARK: - Pieces

    private func vorbisComments(_ tags: [(name: String, value: String)]) -> [UInt8] {
        var bytes = little(5, 4) + Array("segue".utf8) + little(tags.count, 4)
        for (name, value) in tags {
            bytes += little(name.utf8.count + value.utf8.count + 1, 4) + Array("\(name)=\(value)".utf8)
        }
        return bytes
    }

    private func id3Frame(_ id: String, _ content: [UInt8]) -> [UInt8] {
        Array(id.utf8) + synchsafe(content.count) + [0, 0] + content
    }

    private func synchsafe(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (21 - 7 * $0) & 0x7f) } }

    private func big(_ number: Int, _ count: Int) -> [UInt8] { little(number, count).reversed() }

    private func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

/// Ogg's pages, taken apart and put together.
private enum OggBytes {
    static func pages(of file: [UInt8]) -> [[UInt8]] {
        var pages: [[UInt8]] = []
        var place = 0
        while place + 27 <= file.count {
            let segments = Int(file[place + 26])
            let body = file[place + 27..<place + 27 + segments].reduce(0) { $0 + Int($1) }
            let end = place + 27 + segments + body
            pages.append(Array(file[place..<end]))
            place = end
        }
        return pages
    }

    /// A page with another packet in it, of less than 65,025 bytes.
    static func page(like old: [UInt8], body: [UInt8]) -> [UInt8] {
        let lacing = [UInt8](repeating: 255, count: body.count / 255) + [UInt8(body.count % 255)]
        return summed(Array(old[..<26]) + [UInt8(lacing.count)] + lacing + body)
    }

    /// The page with its checksum.
    static func summed(_ page: [UInt8]) -> [UInt8] {
        var page = page
        page.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        var sum: UInt32 = 0
        for byte in page { sum = sum << 8 ^ table[Int(UInt8(truncatingIfNeeded: sum >> 24) ^ byte)] }
        page.replaceSubrange(22..<26, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
        return page
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index) << 24) { sum, _ in sum & 0x8000_0000 == 0 ? sum << 1 : sum << 1 ^ 0x04c1_1db7 }
    }
}
