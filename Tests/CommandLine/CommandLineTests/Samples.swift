import AudioTypes
import Playback

/// Players' states to be shown.
enum Sample {
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
