internal import Authorization
internal import Files
internal import LibraryIndex
internal import LineProtocol
internal import MediaHeaders
internal import MusicDirectories
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import SongFilters
internal import Songs
internal import Threads

/// How the owner picks what clients ask for: segue-picker(7).
let pickingCommands: [Row<MusicServices>] = [
    Row(
        "picking",
        .owner,
        library: .withheld,
        reply: .verbs([
            "list": .pickerRequests, "take": .pickerRequests.single, "items": .pickable, "selection": .pickable,
        ]),
        .text("list|take|items|selection|select|deselect|move|finish|cancel|release"),
        .rest("[REQUEST] [URI...]")
    ) {
        request,
        verb,
        words in
        switch (verb, words.count) {
        case ("list", 0): request.listOpenRequests()
        case ("take", 1): return try request.takeRequest(words[0])
        case ("items", 1...): return try request.listPickable(words[0], Array(words.dropFirst()))
        case ("selection", 1): try request.listSelection(words[0])
        case ("select", 2...): return try request.select(Array(words.dropFirst()), for: words[0])
        case ("deselect", 2...):
            try request.picker.deselect(Array(words.dropFirst()), request.id(words[0]), request.face)
        case ("move", 3):
            let place = try parseInteger(words[2], in: 0...Int(Int32.max))
            try request.picker.move(words[1], to: place, request.id(words[0]), request.face)
        case ("finish", 1): return try request.finish(words[0])
        case ("cancel", 1): try request.picker.cancel(request.id(words[0]), request.face)
        case ("release", 1): try request.picker.release(request.id(words[0]), request.face)
        default:
            throw badParam(
                "picking list, picking take|selection|finish|cancel|release REQUEST, picking items REQUEST [URI|FILTER] [filter FILTER] [window START:END], "
                    + "picking select|deselect REQUEST URI..., or picking move REQUEST URI TO"
            )
        }
        return .done
    }
    .verbs(
        .verb("list"),
        .verb("take", Parameter("request")),
        .verb("items", Parameter("request"), .optional("uri"), .key("filter"), .key("window", .window)),
        .verb("selection", Parameter("request")),
        .verb("select", Parameter("request"), Parameter("uris", .words)),
        .verb("deselect", Parameter("request"), Parameter("uris", .words)),
        .verb("move", Parameter("request"), Parameter("uri"), Parameter("to", .place)),
        .verb("finish", Parameter("request")),
        .verb("cancel", Parameter("request")),
        .verb("release", Parameter("request"))
    )
    .notForSchedules()
]

extension Request<MusicServices> {
    fileprivate var picker: PickerService { services.picker }
    /// The owner's connection, to which requests are lent.
    fileprivate var face: Int { client.id }

    fileprivate func id(_ word: String) throws(PickerError) -> PickerID { try picker.request(word).id }

    fileprivate func listOpenRequests() {
        for request in picker.requests.open { reply.append(request, at: hostTime, tellsAsker: true) }
    }

    fileprivate func takeRequest(_ word: String) throws -> Outcome {
        let before = try picker.request(word)
        let request = try picker.take(before.id, face)
        // Another connection than before begins anew.
        if request.mayEndEmpty, before.lastFace != request.lastFace { return try preselect(request) }
        reply.append(request, at: hostTime, tellsAsker: true)
        return .done
    }

    fileprivate func listSelection(_ word: String) throws {
        for (place, item) in try picker.request(word).selection.enumerated() {
            switch item.subject {
            case .picture(let medium), .file(let medium, mimeType: _): reply.append(medium)
            case .song(let song): reply.append(song)
            }
            reply.line("selected", place)
        }
    }

    // MARK: Items

    fileprivate func listPickable(_ word: String, _ words: [String]) throws -> Outcome {
        let request = try picker.request(word)
        let selected = Dictionary(request.selection.enumerated().map { ($1.uri, $0) }) { first, _ in first }
        return switch request.configuration.kind {
        case .media: try listMedia(request.configuration, words, selected)
        case .songs(let expression): try listSongs(expression, words, selected)
        }
    }

    private func listMedia(
        _ configuration: PickerConfiguration,
        _ words: [String],
        _ selected: [String: Int]
    ) throws -> Outcome {
        let (library, wanted) = (try library, try MediaRequest(words))
        let filter = MediaFilter.all([configuration.kind.media, wanted.filter])
        return try perform(on: .index) {
            try library.read { try MediaCursor($0, wanted.uri, filter, window: wanted.window) }
        } then: { cursor in
            guard let cursor else { throw AckError(.doesNotExist, "No such directory") }
            return try stream(ListedMedia(library: library, cursor: cursor, selected: selected))
        }
    }

    /// - Parameter words: A URI or an expression in parentheses, which may be missing, and a window.
    private func listSongs(
        _ expression: SongExpression?,
        _ words: [String],
        _ selected: [String: Int]
    ) throws -> Outcome {
        let window = words.count >= 2 && words[words.endIndex - 2] == "window" ? Array(words.suffix(2)) : []
        let words = words.dropLast(window.count)
        guard words.count <= 1 else { throw badParam("too many arguments for \"picking items\"") }
        var filters = expression.map { [$0.text] } ?? []
        if let word = words.first, word.hasPrefix("(") {
            filters.append(word)
        } else {
            var uri = words.first ?? ""
            while uri.hasSuffix("/") { uri.removeLast() }
            // All songs are those at and below the root.
            if !uri.isEmpty { filters += ["base", uri] } else if filters.isEmpty { filters = ["(base '')"] }
        }
        let query = try SongQuery(filters + window, .exact)
        return try stream(
            PickableSongs(library: library, query: query, selected: selected),
            on: query.filter.workQueue
        )
    }

    // MARK: Choosing

    fileprivate func select(_ uris: [String], for word: String) throws -> Outcome {
        let request = try picker.request(word)
        let items = try PickableItems(request, library, services.media.requireDirectory())
        // A regular expression may take long, and nothing else waits for it.
        let queue = items.hasPatterns ? WorkQueue.expressions : .files(uris[0])
        return try perform(on: queue) {
            try items.items(uris)
        } then: { items in
            try picker.select(items, request.id, face)
            return .done
        }
    }

    /// Chooses the items that the client has already and asks for again, as far as they are there.
    private func preselect(_ request: PickerRequest) throws -> Outcome {
        let items = try PickableItems(request, library, services.media.requireDirectory())
        return try perform(on: items.hasPatterns ? .expressions : .index) {
            try items.preselected()
        } then: { found in
            try picker.preselect(found, request.id, face)
            reply.append(try picker.request("\(request.id)"), at: hostTime, tellsAsker: true)
            return .done
        }
    }

    fileprivate func finish(_ word: String) throws -> Outcome {
        let request = try picker.request(word)
        guard request.configuration.purpose == .extend else {
            try picker.finish(request.id, face)
            return .done
        }
        let items = request.selection
        return try ask {
            try $0.parts(having: items)
        } then: { parts in
            try picker.finish(request.id, face, extendingBy: parts, client.identity.name)
            return .done
        }
    }
}

extension PickerConfiguration.Kind {
    /// The pictures and videos that the owner is shown.
    fileprivate var media: MediaFilter {
        switch self {
        case .media(let media, let filter): media.filter(filter)
        case .songs: .any([])
        }
    }

    /// The client's filter of songs; `nil` where there is none.
    fileprivate var songFilter: SongFilter? {
        get throws(SongFilterError) {
            guard case .songs(let expression?) = self else { return nil }
            return try SongFilter([expression.text], .exact)
        }
    }
}

/// Makes items of what the owner chooses, by the library and the files; blocks.
private struct PickableItems: Sendable {
    private let configuration: PickerConfiguration
    /// The client, as its identifiers are made.
    private let party: String
    private let library: LibraryView
    private let music: MusicDirectory
    private let filter: SongFilter?

    init(_ request: PickerRequest, _ library: LibraryView, _ music: MusicDirectory) throws {
        (configuration, party) = (request.configuration, "\(request.asker.party)")
        (self.library, self.music) = (library, music)
        filter = try configuration.kind.songFilter
    }

    var hasPatterns: Bool { filter?.hasPatterns == true }

    /// The items with some URIs, each of which has to match what the client asks for.
    func items(_ uris: [String]) throws -> [PickedItem] {
        let identifiers = try library.read { try $0.assetIdentifiers(of: uris, for: party) }
        switch configuration.kind {
        case .media: return try zip(uris, identifiers).map { try medium($0, $1) }
        case .songs: return try songs(uris, identifiers)
        }
    }

    /// The items that are preselected, in their order, without those that are not there, or are not asked for.
    func preselected() throws -> [PickedItem] {
        let wanted = configuration.preselected
        let known = try library.read { try $0.uris(of: Set(wanted), for: party) }
        return try wanted.compactMap { known[$0] }.flatMap { uri in
            do {
                return try items([uri])
            } catch is PickerError {
                return []
            }
        }
    }

    private func medium(_ uri: String, _ identifier: AssetIdentifier) throws -> PickedItem {
        let kind = configuration.kind
        guard var cursor = try library.read({ try MediaCursor($0, uri, kind.media) }),
            let medium = try library.read({ _ in try cursor.nextPage(limit: 1) }).first, medium.uri == uri
        else { throw PickerError.doesNotMatch(uri, kind) }
        let file = try music.fileOfPick(uri, modified: medium.lastModified)
        guard file.size == medium.size else { throw PickerError.hasChanged(uri) }
        let subject = try music.subject(medium, file, configuration.representation)
        return PickedItem(subject, file, assetIdentifier: identifier)
    }

    private func songs(_ uris: [String], _ identifiers: [AssetIdentifier]) throws -> [PickedItem] {
        let matcher = filter?.matcher()
        let songs = try zip(uris, library.read { try $0.songs(uris: uris) }).map { uri, song in
            guard let song, matcher?.matches(song) != false else {
                throw PickerError.doesNotMatch(uri, configuration.kind)
            }
            return song
        }
        try matcher?.check()
        let found = try library.read { try $0.identify(uris) }
        return try zip(songs, zip(found, identifiers)).map { song, names in
            let identifier: String? = if case .one(uri: _, let identifier) = names.0 { identifier } else { nil }
            let isLoaded = configuration.purpose == .once
            let file = isLoaded ? try music.fileOfPick(song.uri, modified: song.lastModified) : nil
            return PickedItem(
                .song(PickableSong(song)),
                file,
                identifier: identifier,
                assetIdentifier: isLoaded ? names.1 : nil
            )
        }
    }
}

extension LibraryReader {
    /// Parts of a library that have the songs that were chosen, and no others.
    ///
    /// An item is a sound, and follows it wherever its file is moved; a song of which there are copies is named by its URI.
    ///
    /// - Throws: ``PickerError/hasChanged(_:)`` for a song that is gone, or that another one has taken the place of.
    fileprivate func parts(having items: [PickedItem]) throws -> [LibraryScope.Part] {
        let found = try identify(items.map { $0.identifier ?? "" })
        let songs = try songs(uris: items.map(\.uri))
        return try zip(items, zip(found, songs)).map { item, now in
            switch (item.identifier, now.0) {
            case (let identifier?, .one): .item(identifier)
            case (_?, .several(_, let uris)) where uris.contains(item.uri): .folder(item.uri)
            case (nil, _) where now.1 != nil: .folder(item.uri)
            default: throw PickerError.hasChanged(item.uri)
            }
        }
    }
}

extension MusicDirectory {
    /// The status of the file that the owner chooses from a list; it may be gone by now, or another one.
    ///
    /// - Parameter modified: When the file was, as the library knows it, in seconds since 1970; `nil` when unknown.
    fileprivate func fileOfPick(_ uri: String, modified: Int?) throws -> FileStatus {
        let status: FileStatus
        do throws(MusicDirectoryError) {
            status = try state(of: uri)
        } catch {
            if case .inaccessible = error { throw error }
            throw PickerError.noFile(uri)
        }
        guard status.kind == .file else { throw PickerError.noFile(uri) }
        guard modified == nil || modified == status.lastModified else { throw PickerError.hasChanged(uri) }
        return status
    }
}

extension MusicDirectory {
    /// A picture, or a video of which there can be a copy for the client.
    fileprivate func subject(
        _ medium: LibraryMedium,
        _ file: FileStatus,
        _ representation: PickerConfiguration.Representation
    ) throws -> PickedItem.Subject {
        guard medium.kind == .video || representation == .current else { return .picture(medium) }
        do {
            guard let copy = try mediaCopy(of: medium.uri, where: { $0 == file }) else {
                throw PickerError.hasChanged(medium.uri)
            }
            return .file(medium, mimeType: copy.mimeType)
        } catch let error as MediaCopyError {
            if medium.kind == .image { return .picture(medium) }
            throw PickerError.cannotBeCopied(medium.uri, error)
        }
    }
}

/// The songs of the library that the owner can choose.
private struct PickableSongs: PageMaker {
    let library: LibraryView
    let query: SongQuery
    /// The places of those that are chosen, by their URIs.
    let selected: [String: Int]
    private var numbers: [Int]?
    private var place = 0

    private static let pageSize = 512

    init(library: LibraryView, query: SongQuery, selected: [String: Int]) {
        (self.library, self.query, self.selected) = (library, query, selected)
    }

    mutating func makePage(_ bytes: inout [UInt8], _ cancellation: Cancellation) throws -> Bool {
        let query = query.cancelled { cancellation.isCancelled }
        let found = try numbers ?? library.read { try $0.find(query) }
        numbers = found
        let end = min(found.count, place + Self.pageSize)
        let page = found[place..<end]
        var reply = Reply()
        for song in try library.read({ try $0.songs(page) }) {
            reply.append(PickableSong(song))
            if let place = selected[song.uri] { reply.line("selected", place) }
        }
        bytes += reply.bytes
        place = end
        return place < found.count
    }
}

extension Reply {
    fileprivate mutating func append(_ song: PickableSong) {
        line("file", song.uri)
        line("kind", "song")
        appendFacts(of: song)
    }
}
