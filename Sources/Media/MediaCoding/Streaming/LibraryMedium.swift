internal import AudioTypes
internal import FFmpegValues
internal import HTTP
internal import Threads

/// Media that libavformat fetches itself: RTSP, SRT and the like.
///
/// When the connection breaks, it is reopened: a medium with an end continues after the last packet read; a live one is
/// lost rather than over, even if its sender reports the end.
final class LibraryMedium: StreamSession {
    private let core: StreamCore
    private let entry: MediaEntry
    private var reader: PacketReader?
    private var healing: Reconnection
    private(set) var isLive = false
    private(set) var track: Track?
    /// The end of the last packet, in samples as in its timestamps; `nil` before the first.
    private var lastSample: Int?

    init(_ core: StreamCore, _ entry: MediaEntry) {
        self.core = core
        self.entry = entry
        healing = Reconnection(
            limit: core.options.reconnectLimit,
            firstContact: .awaited(within: core.options.firstContactLimit)
        )
    }

    var throughput: Double? { nil }

    func open() throws -> StreamPart {
        while true {
            do {
                let part = try openReader()
                healing.succeeded()
                core.update { status in
                    status.isLive = isLive
                    status.connection = .connected
                }
                return part
            } catch {
                try waitToRetry(error)
            }
        }
    }

    private func openReader() throws -> StreamPart {
        reader = nil
        guard let scheme = StreamScheme(of: entry.location) else {
            throw MediaError(location: entry.location, reason: .unknownScheme)
        }
        if let refusal = scheme.refusal(of: entry.location, for: core.options.http.access) {
            throw MediaError(location: entry.location, reason: refusal)
        }
        healing.began(now: .now)
        let opened = try PacketReader.open(
            entry,
            track: core.selection,
            interrupt: core.interrupt,
            http: core.options.http
        )
        // A live FLV declares a duration of 0 s.
        isLive = opened.info.duration ?? .zero <= .zero && !scheme.isOfFiles
        track = opened.track
        var part = opened.part
        reader = consume opened
        if isLive { part.losePlaces() }
        return part
    }

    func read(into packet: borrowing Packet) throws -> StreamItem {
        do {
            guard case .packet = try reader?.read(into: packet) else {
                guard isLive else { return .end }
                throw HTTPError(.closedEarly)
            }
            if let track, let time = packet.endTime { lastSample = track.samples(time) }
            return .packet
        } catch {
            try waitToRetry(error)
            var part = try open()
            if !isLive, let lastSample {
                let zero = part.timing.zero
                try reader?.seek(before: lastSample - zero, zero: zero)
                part.earliest = Double(lastSample - zero) / Double(part.track.sampleRate)
            }
            return .part(part)
        }
    }

    private func waitToRetry(_ error: any Error) throws {
        guard !core.interrupt.isRaised, let reason = reason(of: error) else { throw error }
        core.context.report(.failed(StreamFailure(reason, url: entry.location, isFinal: false)))
        try core.waitToRetry(reason, &healing, isLive: isLive)
    }

    /// The network error behind an error; `nil` when there is none.
    private func reason(of error: any Error) -> HTTPError? {
        // A broadcast that is temporarily something else, while its sender starts or stops, is retried.
        guard let failure = error.networkFailure ?? (isLive ? HTTPError(.closedEarly) : nil) else { return nil }
        // libavformat reports only "Input/output error" for a host that does not answer.
        guard failure.kind == .closedEarly, reader == nil || isConnectionless else { return failure }
        return HTTPError(isConnectionless ? .silent : .connecting(code: 0))
    }

    private var isConnectionless: Bool { StreamScheme(of: entry.location)?.isConnectionless ?? false }

    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart? {
        // It may have been lost just now.
        let part = reader == nil ? try open() : nil
        reader?.recover()
        try reader?.seek(before: order.sample, zero: order.zero)
        return part
    }
}
