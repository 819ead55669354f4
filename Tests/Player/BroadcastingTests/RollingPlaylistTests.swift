import Testing

@testable import Broadcasting

@Suite struct RollingPlaylistTests {
    private func segment(_ number: Int, title: String = "", isDiscontinuous: Bool = false) -> RollingPlaylist.Segment {
        .init(
            number: number,
            name: "s\(number)",
            seconds: 4.0213,
            date: 1_700_000_000 + Double(number) * 4,
            title: title,
            isDiscontinuous: isDiscontinuous
        )
    }

    @Test func theLastSegmentsAreListed() {
        var playlist = RollingPlaylist(target: 5, length: 2)
        var gone: [Int] = []
        for number in 0..<8 {
            gone += playlist.append(segment(number, isDiscontinuous: [0, 3, 7].contains(number))).map(\.number)
        }
        // One is removed when no reader can have a playlist that lists it: 2 listed, and 3 that were.
        #expect(gone == [0, 1, 2])
        #expect(
            playlist.text == """
                #EXTM3U
                #EXT-X-VERSION:3
                #EXT-X-TARGETDURATION:5
                #EXT-X-MEDIA-SEQUENCE:6
                #EXT-X-DISCONTINUITY-SEQUENCE:2
                #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:44.000Z
                #EXTINF:4.021,
                s6
                #EXT-X-DISCONTINUITY
                #EXT-X-PROGRAM-DATE-TIME:2023-11-14T22:13:48.000Z
                #EXTINF:4.021,
                s7

                """
        )
    }

    /// After a restart numbers go on where they were.
    @Test func numbersNeverGoBack() {
        var playlist = RollingPlaylist(target: 5, length: 2)
        for number in 0..<4 { _ = playlist.append(segment(number, isDiscontinuous: number % 2 == 0)) }
        var next = RollingPlaylist(target: 5, length: 2)
        next.resume(after: playlist.text)
        #expect(next.next == 4 && next.discontinuities == 2)
        next.resume(
            after: "#EXT-X-MEDIA-SEQUENCE:-5\n#EXT-X-MEDIA-SEQUENCE:x\n#EXT-X-MEDIA-SEQUENCE:99999999999999999999"
        )
        #expect(next.next == 4)
    }

    @Test func aTitleStaysOnItsLine() {
        var playlist = RollingPlaylist(target: 5, length: 2)
        _ = playlist.append(segment(0, title: "a\n#EXT-X-ENDLIST"))
        #expect(playlist.text.contains("#EXTINF:4.021,a#EXT-X-ENDLIST\n"))
    }

    @Test func aTimestampIsATag() {
        let tag = PackedAudio.timestamp(samples: 44_100 * 2, sampleRate: 44_100)
        #expect(tag.starts(with: [0x49, 0x44, 0x33, 4, 0, 0]))
        #expect(tag.count == 10 + 10 + 45 + 8)
        #expect(Array(tag.suffix(8)) == [0, 0, 0, 0, 0, 2, 0xbf, 0x20])
    }
}
