internal import AudioTypes
internal import Charsets
internal import FFmpegValues
internal import HTTP
internal import Threads

/// A file or a broadcast over HTTP.
final class HTTPMedium: StreamSession {
    private let core: StreamCore
    private let entry: MediaEntry
    /// All its URLs: one, or those of a station.
    private let places: [String]
    private var source: HTTPSource
    private var bytes: HTTPBytes
    /// The retries of all URLs of a station.
    private var healing: Reconnection
    private var reader: PacketReader?
    /// Titles, with the offset in the stream from which they apply.
    private var titles: [(tags: Tags, offset: Int)] = []
    private var hasOpened = false
    /// Whether a presumed broadcast has turned out to be a file, and has ended.
    private var hasEnded = false
    /// Seconds of media received since then.
    private var delivered = (seconds: 0.0, since: HostTime.now)
    private(set) var track: Track?

    /// Takes over an open source, and the bytes read from it.
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
            record(Tags(metadata), at: offset)
        }
        source.lead = { [unowned self] in lead }
    }

    /// Stores a title; of very many only the last are kept.
    private func record(_ tags: Tags, at offset: Int) {
        if titles.count == 64 { titles.removeLast() }
        titles.append((tags: tags, offset: offset))
    }

    /// Seconds of media received beyond the time that has passed.
    private var lead: Double { delivered.seconds - (HostTime.now - delivered.since) }

    var isLive: Bool { source.isLive }

    var throughput: Double? { source.client.throughput }

    func open() throws -> StreamPart {
        core.update { $0.isLive = isLive }
        var failures = 0
        while true {
            do {
                let part = try openReader()
                core.update {
                    $0.connection = .connected
                    $0.isLive = isLive
                }
                hasOpened = true
                return part
            } catch {
                if (error as? MediaError)?.reason == .indexAtEnd { throw error }
                failures += 1
                try waitToOpen(error, failures)
                try comeBack(error)
                if hasEnded { throw error }
            }
        }
    }

    /// A broadcast that repeatedly ends before it has begun is none, or its server needs some time.
    private func waitToOpen(_ error: any Error, _ failures: Int) throws {
        guard isLive, !core.interrupt.isRaised else { throw error }
        if !hasOpened, failures == 3, error.networkFailure?.kind == .closedEarly {
            throw MediaError(location: entry.location, reason: .undecodable)
        }
        try core.sleep(until: .now + min(5, 0.1 * Double(1 << min(failures, 6))))
    }

    /// Reads an MP4 file through whose index stands at the end, if the server sends no ranges.
    private func gatherMovie() throws {
        guard !source.isSeekable else { return }
        while case .unclear(let needed) = MovieOrder(of: bytes.beginning) {
            guard try bytes.look(atLeast: needed).count >= needed else { return }
        }
        guard MovieOrder(of: bytes.beginning) == .mediaFirst else { return }
        guard try source.gather(bytes.beginning, atMost: MovieOrder.longestGathered) else {
            throw MediaError(location: entry.location, reason: .indexAtEnd)
        }
        bytes = HTTPBytes(source)
    }

    private func openReader() throws -> StreamPart {
        reader = nil
        try gatherMovie()
        // Chained Vorbis is handled by libavformat without a break; the comments of other streams are not read.
        let codec = bytes.beginning.dropFirst(28)
        if isLive, codec.starts(with: "OpusHead".utf8) || codec.starts(with: "\u{7f}FLAC".utf8) { bytes.endAtLinks() }
        let input = try InputContext(bytes)
        // Not all broadcasts declare themselves.
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
            ),
            subtitles: core.context.subtitles,
            silence: core.context.playsSilentFilms,
            charset: core.options.charsets[entry.location]
        )
        track = opened.track
        var part = opened.part
        reader = consume opened
        if isLive { part.losePlaces() }
        part.info.tags.describe(source.head)
        part.info.tags.name(stationOf: entry)
        return part
    }

    /// The container, if the server declares one that can be joined anywhere and the data looks like it.
    ///
    /// A broadcast starts in the middle of a frame, and libavformat would need seconds of it to be sure, or take the
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

    /// Starts the next stream of the same broadcast, with a title of its own.
    private func beginLink() throws -> StreamPart {
        bytes.beginLink()
        let part = try open()
        titles.append((tags: part.info.tags, offset: 0))
        return part
    }

    /// The tags that apply from the next packet on, if they have changed.
    private func titleDue(_ packet: borrowing Packet) -> Tags? {
        guard !titles.isEmpty else { return nil }
        let end = packet.byteOffset.map { (bytes.skipped + packet.byteCount).adding(saturating: Int($0)) } ?? .max
        guard let last = titles.lastIndex(where: { $0.offset <= end }) else { return nil }
        defer { titles.removeSubrange(...last) }
        return titles[last].tags
    }

    /// Recovers a broadcast; throws a file's error, and a broadcast's if it cannot be recovered.
    private func comeBack(_ error: any Error) throws {
        guard isLive, !core.interrupt.isRaised else { throw error }
        let reason = error as? HTTPError ?? HTTPError(.closedEarly)
        guard reason.isTemporary else { throw error }
        // Without a length, and not from a declared station: a file may end like this.
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

    /// Continues with the first of the station's URLs that answers, trying the lost one last.
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
            // It is only one of the URLs.
            reason.isWatched = false
            try core.waitToRetry(reason, &healing, isLive: true)
        }
    }

    /// While enough is buffered, a trickle of data is read in larger chunks.
    func record(ahead: PacketQueue.Amount) {
        let bytes = ahead.seconds > Self.ease ? min(Self.gulp, ahead.bytes / 4) : 1
        if source.wakesFrom != bytes { source.wakesFrom = bytes }
    }

    /// Seconds ahead from which on it does not matter when the next bytes arrive.
    private static let ease = 2.0
    /// About a second of a broadcast; at a low bit rate at most a quarter of the buffered data, so that it does not run
    /// dry meanwhile.
    private static let gulp = 16_384

    func seek(_ order: StreamCore.SeekOrder) throws -> StreamPart? {
        reader?.recover()
        try reader?.seek(before: order.sample, zero: order.zero)
        return nil
    }
}

extension Tags {
    /// The tags from a broadcast's metadata.
    init(_ metadata: ICYMetadata) {
        self.init()
        set("title", to: metadata.title ?? "")
        if let url = metadata.url { set("icy-streamurl", to: url) }
    }

    /// Adds the station's name from the list that led to it, where the station itself tells none.
    mutating func name(stationOf entry: MediaEntry) {
        if self["icy-name"] == nil, let name = entry.tags["icy-name"] { set("icy-name", to: name) }
    }

    /// Adds the broadcast's properties from its server.
    mutating func describe(_ head: HTTPHead) {
        for (name, value) in head.icy where !value.isEmpty {
            switch name {
            case "icy-name", "icy-genre", "icy-description", "icy-url", "icy-logo":
                let tag = name == "icy-genre" ? "genre" : name
                if self[tag] == nil { set(tag, to: value) }
            default: break
            }
        }
    }
}
