internal import AudioTypes

/// How an item was played and fetched: one entry for each stretch without a pause or a jump (AVPlayerItem's
/// `accessLog`).
///
/// A pure value.
package struct AccessLog: Sendable, Hashable {
    /// In order; only the newest are kept.
    package private(set) var events: [Event] = []
    private var isInStretch = false
    /// Requests that ended before anything was heard.
    private var early: [StreamTransfer] = []
    /// How much of unfinished requests is counted already; several may run at once.
    private var counted: [StreamTransfer] = []

    /// How many entries are kept, and how many requests before the first of them.
    private static let limit = 100

    package init() {}

    /// The kind of playback, with the log's name for it.
    package enum PlaybackType: String, Sendable, Hashable {
        case live = "LIVE"
        /// A playlist of segments, with an end.
        case onDemand = "VOD"
        case file = "FILE"
    }

    /// One stretch of playback; numbers are negative when unknown, texts `nil`.
    package struct Event: Sendable, Hashable {
        /// Seconds since 1970.
        package var playbackStartDate: Double
        /// Without user name and password.
        package var uri: String?
        package var playbackSessionID: String?
        package var playbackType: PlaybackType
        /// The item's time at which the stretch begins, in seconds.
        package var playbackStartOffset: Double
        /// Seconds from the request to play until sound.
        package var startupTime = -1.0
        /// Seconds of the item.
        package var durationWatched = 0.0
        package var numberOfStalls = 0
        package var numberOfMediaRequests = -1
        package var serverAddress: String?
        package var numberOfServerAddressChanges = -1
        package var segmentsDownloadedDuration = -1.0
        package var numberOfBytesTransferred = -1
        package var transferDuration = -1.0
        /// Bits per second received while waiting for data.
        package var observedBitrate = -1.0
        package var observedBitrateStandardDeviation = -1.0
        /// Bits per second that the playlist indicates for the variant.
        package var indicatedBitrate = -1.0
        package var averageAudioBitrate = -1.0
        /// The sums of the requests' own rates, and of their squares.
        fileprivate var rates = Rates()

        package init(
            playbackStartDate: Double,
            uri: String?,
            playbackSessionID: String?,
            playbackType: PlaybackType,
            playbackStartOffset: Double
        ) {
            self.playbackStartDate = playbackStartDate
            self.uri = uri
            self.playbackSessionID = playbackSessionID
            self.playbackType = playbackType
            self.playbackStartOffset = playbackStartOffset
        }
    }

    fileprivate struct Rates: Sendable, Hashable {
        var count = 0.0
        var sum = 0.0
        var squares = 0.0

        mutating func add(_ rate: Double) {
            count += 1
            sum += rate
            squares += rate * rate
        }

        var deviation: Double {
            guard count > 1 else { return -1 }
            return max(0, squares / count - (sum / count) * (sum / count)).squareRoot()
        }
    }

    // MARK: Writing

    /// Begins a stretch.
    ///
    /// - Parameter isFetched: Whether it is a network medium, whose transfers count.
    mutating func begin(_ event: Event, isFetched: Bool) {
        var event = event
        if isFetched {
            event.numberOfMediaRequests = 0
            event.numberOfServerAddressChanges = 0
            event.numberOfBytesTransferred = 0
            event.transferDuration = 0
            event.serverAddress = events.last?.serverAddress
        }
        for transfer in early {
            event.add(transfer)
            event.recordEnd(of: transfer)
        }
        early = []
        if events.count == Self.limit { events.removeFirst() }
        events.append(event)
        isInStretch = true
    }

    /// Counts the stretch as heard up to a time of the item.
    mutating func record(heardTo time: Double) {
        guard isInStretch, let last = events.indices.last else { return }
        events[last].durationWatched = max(0, time - events[last].playbackStartOffset)
    }

    /// Ends the stretch.
    mutating func end() { isInStretch = false }

    mutating func recordStall() {
        if isInStretch, let last = events.indices.last { events[last].numberOfStalls += 1 }
    }

    mutating func record(_ status: StreamStatus) {
        guard isInStretch, let last = events.indices.last else { return }
        if let rate = status.indicatedBitRate { events[last].indicatedBitrate = Double(rate) }
        if let rate = status.bitRate { events[last].averageAudioBitrate = Double(rate) }
        if let rate = status.throughput { events[last].observedBitrate = rate }
        if status.isLive { events[last].playbackType = .live }
        guard let transfer = status.transfer else { return }
        events[last].add(transfer, beyond: takeCounted(of: transfer))
        counted.append(transfer)
    }

    /// Counts a finished request for the stretches during which it ran; without any, for the last one.
    mutating func record(_ transfer: StreamTransfer) {
        if let last = events.indices.last {
            events[last].add(transfer, beyond: takeCounted(of: transfer))
            events[last].recordEnd(of: transfer)
        } else if early.count < Self.limit {
            early.append(transfer)
        }
    }

    private mutating func takeCounted(of transfer: StreamTransfer) -> StreamTransfer? {
        counted.firstIndex { $0.isSame(as: transfer) }.map { counted.remove(at: $0) }
    }

    // MARK: Text

    /// In W3C's Extended Log File Format.
    package var text: String {
        let empty = Event(
            playbackStartDate: 0,
            uri: nil,
            playbackSessionID: nil,
            playbackType: .file,
            playbackStartOffset: 0
        )
        return ExtendedLog.text(empty.fields.map(\.logName), events.map(\.fields))
    }
}

extension AccessLog.Event {
    /// Counts the progress of a request.
    ///
    /// - Parameter known: The part that was counted before.
    fileprivate mutating func add(_ transfer: StreamTransfer, beyond known: StreamTransfer? = nil) {
        numberOfMediaRequests = max(0, numberOfMediaRequests) + (known == nil ? 1 : 0)
        numberOfBytesTransferred = max(0, numberOfBytesTransferred) + transfer.bytes - (known?.bytes ?? 0)
        transferDuration = max(0, transferDuration) + transfer.duration - (known?.duration ?? 0)
        if let address = transfer.serverAddress {
            let isAnother = serverAddress.map { $0 != address } ?? false
            numberOfServerAddressChanges = max(0, numberOfServerAddressChanges) + (isAnother ? 1 : 0)
            serverAddress = address
        }
        if transferDuration > 0 { observedBitrate = Double(numberOfBytesTransferred) * 8 / transferDuration }
    }

    /// Counts the figures of a request that are known only at its end.
    fileprivate mutating func recordEnd(of transfer: StreamTransfer) {
        if let seconds = transfer.mediaDuration {
            segmentsDownloadedDuration = max(0, segmentsDownloadedDuration) + seconds
            if playbackType == .file { playbackType = .onDemand }
        }
        if transfer.duration > 0 { rates.add(Double(transfer.bytes) * 8 / transfer.duration) }
        observedBitrateStandardDeviation = rates.deviation
    }

    /// All fields of AVPlayerItem's entry, including those never known here.
    package var fields: [LogField] {
        [
            LogField("playbackStartDate", "date", .date(playbackStartDate)),
            LogField("uri", "uri", .text(uri)),
            LogField("playbackSessionID", "cs-guid", .text(playbackSessionID)),
            LogField("playbackType", "s-playback-type", .text(playbackType.rawValue)),
            LogField("playbackStartOffset", "c-start-time", .number(playbackStartOffset)),
            LogField("startupTime", "c-startup-time", .number(startupTime)),
            LogField("durationWatched", "c-duration-watched", .number(durationWatched)),
            LogField("numberOfStalls", "c-stalls", .count(numberOfStalls)),
            LogField("numberOfMediaRequests", "sc-count", .count(numberOfMediaRequests)),
            LogField("serverAddress", "s-ip", .text(serverAddress)),
            LogField("numberOfServerAddressChanges", "s-ip-changes", .count(numberOfServerAddressChanges)),
            LogField("segmentsDownloadedDuration", "c-duration-downloaded", .number(segmentsDownloadedDuration)),
            LogField("downloadOverdue", "c-overdue", .count(-1)),
            LogField("numberOfBytesTransferred", "bytes", .count(numberOfBytesTransferred)),
            LogField("transferDuration", "c-transfer-duration", .number(transferDuration)),
            LogField("observedBitrate", "c-observed-bitrate", .number(observedBitrate)),
            LogField(
                "observedBitrateStandardDeviation",
                "c-observed-bitrate-sd",
                .number(observedBitrateStandardDeviation)
            ),
            LogField("indicatedBitrate", "sc-indicated-bitrate", .number(indicatedBitrate)),
            LogField("indicatedAverageBitrate", "sc-indicated-avg-bitrate", .number(-1)),
            LogField("averageAudioBitrate", "c-avg-audio-bitrate", .number(averageAudioBitrate)),
            LogField("averageVideoBitrate", "c-avg-video-bitrate", .number(-1)),
            LogField("switchBitrate", "c-switch-bitrate", .number(-1)),
            LogField("numberOfDroppedVideoFrames", "c-frames-dropped", .count(-1)),
            LogField("mediaRequestsWWAN", "sc-wwan-count", .count(-1)),
        ]
    }
}
