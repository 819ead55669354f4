import AudioTypes
import PictureValues
import Playback

/// Players' states to be shown.
enum Sample {
    /// As phones take them.
    static var picture: PictureHeader? {
        guard let size = PixelSize(4032, 3024) else { return nil }
        var picture = PictureHeader(format: "heic", codec: "hevc", size: size)
        picture.orientation = .right
        picture.captured = CaptureDate("2024:05:17 18:30:00", offset: "+02:00")
        (picture.colourSpace, picture.hdr, picture.bitsPerSample) = (.displayP3, .hlg, 10)
        return picture
    }

    static var film: MediaInfo {
        var video = StreamInfo(index: 0, kind: .video, codec: "hevc")
        (video.width, video.height) = (720, 576)
        (video.video.frameRate, video.video.isVariable) = (30_000.0 / 1001, true)
        video.video.sampleAspect = .init(16, 15)
        (video.video.isInterlaced, video.video.rotation) = (true, 90)
        (video.video.colourSpace, video.video.hdr) = ("BT.2020", "PQ")
        var subtitles = StreamInfo(index: 1, kind: .subtitle, codec: "mov_text")
        subtitles.language = "deu"
        var tags = Tags()
        tags.set("creation_time", to: "2024-05-17T16:30:00.000000Z")
        tags.set("com.apple.quicktime.creationdate", to: "2024-05-17T18:30:00+0200")
        return MediaInfo(container: "mov", duration: MediaTime(seconds: 2), streams: [video, subtitles], tags: tags)
    }

    static func item(
        _ number: Int = 1,
        location: String = "music/a.flac",
        title: String? = nil,
        artist: String? = nil,
        duration: Double? = 201.4,
        isOpen: Bool = true
    ) -> PlayerItem {
        var item = PlayerItem(id: .init(number: number), entry: MediaEntry(location: location))
        guard isOpen else { return item }
        var tags = Tags()
        tags.set("title", to: title)
        tags.set("artist", to: artist)
        var stream = StreamInfo(index: 0, kind: .audio, codec: "flac")
        stream.sampleRate = 44_100
        stream.channels = .stereo
        item.info = MediaInfo(
            container: "flac",
            duration: duration.map { MediaTime(seconds: $0) },
            streams: [stream],
            tags: tags
        )
        item.status = .readyToPlay
        return item
    }

    static func status(
        _ item: PlayerItem? = item(title: "So What", artist: "Miles Davis"),
        _ time: TimeControlStatus = .playing,
        index: Int = 1,
        count: Int = 5,
        _ change: (inout PlayerStatus) -> Void = { _ in }
    ) -> PlayerStatus {
        var status = PlayerStatus()
        status.timeControlStatus = time
        status.currentItem = item
        status.currentIndex = item == nil ? nil : index
        status.itemCount = count
        change(&status)
        return status
    }
}
