internal import AudioTypes
internal import LineProtocol
internal import Playback
internal import ServerRequests
internal import Zones

extension Reply {
    /// The state of a zone's player in AVPlayer's terms, and the state of its network reads.
    mutating func appendBuffer(of zone: Zone) {
        guard let player = zone.player else { return }
        let status = player.status
        append(status.timeControlStatus)
        guard zone.openedItem != nil else { return }
        let buffer = player.bufferStatus()
        if let loaded = buffer.loaded.first {
            line("loadedstart", seconds: loaded.lowerBound.seconds)
            line("loadedend", seconds: loaded.upperBound.seconds)
        }
        if let seekable = buffer.seekable.first {
            line("seekablestart", seconds: seekable.lowerBound.seconds)
            line("seekableend", seconds: seekable.upperBound.seconds)
        }
        line("playbackbufferempty", buffer.isEmpty)
        line("playbacklikelytokeepup", buffer.isLikelyToKeepUp)
        line("playbackbufferfull", buffer.isFull)
        if let stream = zone.stream { append(stream) }
    }

    private mutating func append(_ status: TimeControlStatus) {
        switch status {
        case .paused: line("state", "paused")
        case .playing: line("state", "playing")
        case .waitingToPlayAtSpecifiedRate(let reason):
            line("state", "waitingToPlayAtSpecifiedRate")
            line("reason", reason.word)
        }
    }

    private mutating func append(_ stream: StreamStatus) {
        line("buffered", seconds: stream.bufferedDuration)
        line("bufferedbytes", stream.bufferedBytes)
        line("live", stream.isLive)
        if let throughput = stream.throughput, throughput.isFinite { line("throughput", Int(saturating: throughput)) }
        if let rate = stream.bitRate { line("bitrate", rate) }
        if let rate = stream.indicatedBitRate { line("indicatedbitrate", rate) }
        line("connection", stream.connection.word)
        guard case .reconnecting(let wait) = stream.connection else { return }
        line("connectionerror", wait.reason)
        line("attempt", wait.attempt)
        line("nextattempt", seconds: max(0, wait.next - .now))
        line("lostfor", seconds: max(0, .now - wait.since))
    }
}

extension StreamStatus.Connection {
    fileprivate var word: String {
        switch self {
        case .connecting: "connecting"
        case .connected: "connected"
        case .reconnecting: "reconnecting"
        case .complete: "complete"
        }
    }
}

extension WaitingReason {
    /// AVPlayer's names for the reasons, and one of our own.
    fileprivate var word: String {
        switch self {
        case .toMinimizeStalls: "toMinimizeStalls"
        case .evaluatingBufferingRate: "evaluatingBufferingRate"
        case .noItemToPlay: "noItemToPlay"
        case .outputUnavailable: "outputUnavailable"
        }
    }
}
