internal import AudioTypes
internal import HTTP

/// A file or a broadcast over HTTP.
final class HTTPMedium: StreamSession {
    private let core: StreamCore
    private let entry: MediaEntry
    /// All places of it: one, or those of a station.
    private let places: [String]
    private var source: HTTPSource
    private var bytes: HTTPBytes
    /// When all places of a station are tried again.
    private var healing: Reconnection
    private var reader: PacketReader?
    /// Titles that were read, with the place in the stream from which they hold.
    private var titles: [(tags: Tags, offset: Int)] = []
    private var hasOpened = false
    /// What took itself for a broadcast has turned out to be a file, and has ended.
    private var hasEnded = false
    /// Seconds of media that have come since then.
    private var delivered = (seconds: 0.0, since: HostTime.now)
    private(set) var track: Track?

    /// Takes a source over that is open, and what was read of it.
    init(_ core: StreamCore, _ entry: MediaEntry, _ bytes: HTTPBytes, places: [String]) {
        self.core = core
        self.entry = entry
        self.places = places
        self.bytes = bytes
        source = bytes.source
        healing = Reconnection(limit: core.options.reconnectLimit)
        listen()
    }

    private func listen() {
        source.onMetadata = { [unowned self] metadata, offset in
            note(Tags(metadata), at: offset)
        }
        source.lead = { [unowned self] in lead }
    }

    /// Of more titles than anybody could read only the last ones are kept.
    private func note(_ tags: Tags, at offset: Int) {
        if titles.count == 64 { titles.removeLast() }
        titles.append((tags: tags, offset: offset))
    }

    /// Seconds of media that have come beyond those that have passed meanwhile.
    private var lead: Double { delivered.seconds - (HostTime.now - delivered.since) }

    var isLive: Bool { source.isLive }

    var throughput: Double? { source.client.throughput }

    func open() throws -> StreamPart {
        core.update { $0.isLive = isLive }
        var failures = 0
        while true {
            do {
                let part = try openReader()
                core.update { $0.connection = .connected }
                hasOpened = true
                return part
            } catch {
                failures += 1
                try waitToOpen(error, failures)
                try comeBack(error)
                if hasEnded { throw error }
            }
        }
    }

    /// A broadcast that ends again and again before it has begun is none, or its server needs some time.
    private func waitToOpen(_ error: any Error, _ failures: Int) throws {
        guard isLive, !core.interrupt.isRaised else { throw error }
        if !hasOpened, failures == 3, error.networkFailure?.kind == .closedEarly {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        try core.sleep(until: .now + min(5, 0.1 * Double(1 << min(failures, 6))))
    }

    private func openReader() throws -> StreamPart {
        reader = nil
        // Vorbis in links is libavformat's to follow, and it does that without a pause.
        if isLive, bytes.beginning.dropFirst(28).starts(with: "OpusHead".utf8) { bytes.endAtLinks() }
        let input = try NetworkInput(bytes)
        // Not all who broadcast say so.
        let mayBeLive = source.size == nil
        let opened = try PacketReader.open(
            entry,
            track: core.selection,
            interrupt: core.interrupt,
            source: PacketReader.Source(
                input: input,
                access: isLive ? nil : bytes,
                container: mayBeLive ? announcedContainer() : nil,
                analysis: mayBeLive ? 0.5 : nil
            )
        )
        track = opened.track
        var part = opened.part
        reader = consume opened
        if isLive { part.losePlaces() }
        part.info.tags.describe(source.head)
        return part
    }

    /// The container, if the server names one of those that can be joined anywhere and what has come looks like one.
    ///
    /// A broadcast begins in the middle of a frame, and libavformat would want to see seconds of it to be sure, or take the
    /// first syncword for one.
    private func announcedContainer() -> String? {
        guard let type = source.head.contentType?.split(separator: ";").first?.lowercased(), Self.joined.contains(type),
            let beginning = try? bytes.look(atLeast: 4_096)
        else { return nil }
        if let frame = ADTSHeader.firstFrame(in: beginning) {
            bytes.skip(to: frame)
            return "aac"
        }
        return MPEGAudioIndex.hasFrames(in: beginning) ? "mp3" : nil
    }

    private static let joined: Set = [
        "audio/mpeg", "audio/mp3", "audio/mpg", "audio/x-mpeg", "audio/aac", "audio/aacp", "audio/x-aac",
    ]

    func read(into packet: borrowing Packet) throws -> StreamItem {
        while true {
            do {
                if let tags = titleDue(packet) { return .tags(tags) }
                guard case .packet = try reader?.read(into: packet) else {
                    if let failure = reader?.failure { throw failure }
                    if bytes.isAtLink { return .part(try beginLink()) }
                    if isLive { throw HTTPError(.closedEarly) }
                    return .end
                }
                if let tags = reader?.takeChangedTags() { titles.append((tags: tags, offset: 0)) }
                delivered.seconds += Double(packet.duration) * (track?.unit ?? 0)
                return .packet
            } catch {
                try comeBack(reader?.failure ?? error)
                if hasEnded { return .end }
                return .part(try open())
            }
        }
    }

    /// Another stream begins in the same broadcast, with a title of its own.
    private func beginLink() throws -> StreamPart {
        bytes.beginLink()
        let part = try open()
        titles.append((tags: part.info.tags, offset: 0))
        return part
    }

    /// What is heard from the next packet on, if that has changed.
    private func titleDue(_ packet: borrowing Packet) -> Tags? {
        guard !titles.isEmpty else { return nil }
        let end = packet.byteOffset.map { bytes.skipped + Int($0) + packet.byteCount } ?? .max
        guard let last = titles.lastIndex(where: { $0.offset <= end }) else { return nil }
        defer { titles.removeSubrange(...last) }
        return titles[last].tags
    }

    /// Finds its way back to a broadcast; throws what a file has failed with, and what a broadcast cannot recover from.
    private func comeBack(_ error: any Error) throws {
        guard isLive, !core.interrupt.isRaised else { throw error }
        let reason = error as? HTTPError ?? HTTPError(.closedEarly)
        guard reason.isTemporary else { throw error }
        // Without a length, and not from a station, which says that it is one: a file may end so.
        let mayBeFile = reason.kind == .closedEarly && source.head.icy.isEmpty && lead > 0.5
        let opening = bytes.opening
        reader = nil
        titles = []
        delivered = (seconds: 0, since: .now)
        if places.count == 1 {
            _ = try source.reopen(after: reason)
        } else {
            try move(after: reason)
        }
        bytes = HTTPBytes(source)
        hasEnded = mayBeFile && bytes.begins(with: opening)
    }

    /// Goes on with the first of the station's places that answers, the one that was lost at last.
    private func move(after error: HTTPError) throws {
        var options = core.options
        options.reconnectLimit = 0
        let lost = places.firstIndex(of: source.url) ?? 0
        var reason = error
        while true {
            for place in places[(lost + 1)...] + places[...lost] {
                let next = HTTPSource(place, client: source.client, options: options, report: core.hear)
                let answer = Result { () throws(HTTPError) in try next.open() }
                if core.interrupt.isRaised { throw HTTPError(.interrupted) }
                guard case .failure(let error) = answer else {
                    source = next
                    listen()
                    return healing.succeeded()
                }
                reason = error
            }
            // Only one of the places.
            reason.isWatched = false
            try core.waitToRetry(reason, &healing, isLive: true)
        }
    }

    /// While enough is there, what comes in drops is taken in larger ones.
    func note(ahead: PacketQueue.Amount) {
        let bytes = ahead.seconds > Self.ease ? min(Self.gulp, ahead.bytes / 4) : 1
        if source.wakesFrom != bytes { source.wakesFrom = bytes }
    }

    /// Seconds ahead from which on it does not matter when the next bytes come.
    private static let ease = 2.0
    /// About a second of a broadcast; of one with few bits at most a quarter of what is there, so that it does not run
    /// dry meanwhile.
    private static let gulp = 16_384

    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart? {
        reader?.recover()
        try reader?.seek(before: order.sample, zero: order.zero)
        return nil
    }
}

extension Tags {
    /// What a broadcast says is on.
    init(_ metadata: ICYMetadata) {
        self.init()
        set("title", to: metadata.title ?? "")
        if let url = metadata.url { set("icy-streamurl", to: url) }
    }

    /// What a broadcast's server says of it.
    mutating func describe(_ head: HTTPHead) {
        for (name, value) in head.icy where !value.isEmpty {
            switch name {
            case "icy-name", "icy-genre", "icy-description", "icy-url":
                let tag = name == "icy-genre" ? "genre" : name
                if self[tag] == nil { set(tag, to: value) }
            default: break
            }
        }
    }
}
