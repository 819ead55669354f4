internal import Files
internal import LibraryIndex
internal import LineProtocol
internal import MediaCoding
internal import MusicDirectories
internal import PictureValues
internal import PictureWorkers
internal import Records
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import Songs
internal import Threads

/// How clients ask for pictures, and how the owner picks them: segue-picker(7).
let pickerCommands: [Row<MusicServices>] = [
    Row(
        "picker",
        .pick,
        library: .nothing,
        reply: .verbs([
            "open": .pickerRequests.single, "list": .pickerRequests, "wait": .pickerRequests.single, "items": .picked,
            "load": .picture,
        ]),
        .text("open|list|wait|items|load|withdraw"),
        .rest("[REQUEST|HANDLE OFFSET] [KEY VALUE...]")
    ) {
        request,
        verb,
        words in
        switch (verb, words.count) {
        case ("open", _): try request.openPicker(words)
        case ("list", 0): request.listOwnRequests()
        case ("wait", 1): return try request.waitForPick(words[0])
        case ("items", 1): try request.listPicked(words[0])
        case ("load", 2): return try request.loadPicked(words[0], at: parseInteger(words[1], in: 0...Int.max))
        case ("withdraw", 1):
            request.services.picker.withdraw(try request.services.picker.request(words[0], of: request.client.id).id)
        default:
            throw badParam(
                "picker open [KEY VALUE...], picker list, picker wait|items|withdraw REQUEST, or picker load HANDLE OFFSET"
            )
        }
        return .done
    }
    .verbs(
        .verb(
            "open",
            .key("filter"),
            .key("limit", .integer(0...PickerConfiguration.mostItems)),
            .flag("ordered"),
            .key("prompt")
        ),
        .verb("list"),
        .verb("wait", Parameter("request")),
        .verb("items", Parameter("request")),
        .verb("load", Parameter("handle"), Parameter("offset", .integer(0...Int.max))),
        .verb("withdraw", Parameter("request"))
    )
    .notForSchedules(),
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
        case ("take", 1): try request.takeRequest(words[0])
        case ("items", 1...): return try request.listPickable(words[0], Array(words.dropFirst()))
        case ("selection", 1): try request.listSelection(words[0])
        case ("select", 2...): return try request.select(Array(words.dropFirst()), for: words[0])
        case ("deselect", 2...):
            try request.picker.deselect(Array(words.dropFirst()), request.id(words[0]), request.face)
        case ("move", 3):
            let place = try parseInteger(words[2], in: 0...Int(Int32.max))
            try request.picker.move(words[1], to: place, request.id(words[0]), request.face)
        case ("finish", 1): try request.picker.finish(request.id(words[0]), request.face)
        case ("cancel", 1): try request.picker.cancel(request.id(words[0]), request.face)
        case ("release", 1): try request.picker.release(request.id(words[0]), request.face)
        default:
            throw badParam(
                "picking list, picking take|selection|finish|cancel|release REQUEST, picking items REQUEST [URI] [window START:END], "
                    + "picking select|deselect REQUEST URI..., or picking move REQUEST URI TO"
            )
        }
        return .done
    }
    .verbs(
        .verb("list"),
        .verb("take", Parameter("request")),
        .verb("items", Parameter("request"), .optional("uri"), .key("window", .window)),
        .verb("selection", Parameter("request")),
        .verb("select", Parameter("request"), Parameter("uris", .words)),
        .verb("deselect", Parameter("request"), Parameter("uris", .words)),
        .verb("move", Parameter("request"), Parameter("uri"), Parameter("to", .place)),
        .verb("finish", Parameter("request")),
        .verb("cancel", Parameter("request")),
        .verb("release", Parameter("request"))
    )
    .notForSchedules(),
]

extension Request<MusicServices> {
    fileprivate var picker: PickerService { services.picker }
    /// The owner's connection, to which requests are lent.
    fileprivate var face: Int { client.id }

    fileprivate func id(_ word: String) throws(PickerError) -> PickerID { try picker.request(word).id }
}

// MARK: The client

extension Request<MusicServices> {
    fileprivate func openPicker(_ words: [String]) throws {
        let configuration = try PickerConfiguration(words)
        let identity = client.identity
        let party = identity.login.map { PickerRequest.Party.named($0.name) } ?? .place(identity.place)
        let asker = PickerRequest.Asker(connection: client.id, name: identity.name, party: party)
        reply.append(try picker.open(configuration, for: asker), at: hostTime)
    }

    fileprivate func listOwnRequests() {
        for request in picker.requests.all where request.asker.connection == client.id {
            reply.append(request, at: hostTime)
        }
    }

    fileprivate func waitForPick(_ word: String) throws -> Outcome {
        let id = try picker.request(word, of: client.id).id
        func tell() throws -> Outcome {
            reply.append(try picker.request(word, of: client.id), at: hostTime)
            return .done
        }
        guard picker.requests[id]?.isOpen == true else { return try tell() }
        return wait(then: tell) { wake in picker.wait(for: id, wake) }
    }

    fileprivate func listPicked(_ word: String) throws {
        let request = try picker.request(word, of: client.id)
        for (handle, file) in zip(request.handles, request.selection) {
            reply.line("handle", handle.text)
            reply.line("kind", file.medium.kind.rawValue)
            reply.line("type", PictureFormat.jpeg.mimeType)
            reply.line("name", file.suggestedName("jpg"))
            if let size = file.copySize {
                reply.line("width", size.width)
                reply.line("height", size.height)
            }
        }
    }

    /// Sends a piece of a picked picture: a new JPEG, upright, without the file's metadata, such as the place where a photo
    /// was taken.
    fileprivate func loadPicked(_ handle: String, at offset: Int) throws -> Outcome {
        let file = try picker.file(handle, of: client.id)
        let order = PictureOrder(side: file.copySide, quality: PickedFile.copyQuality)
        let place = PicturePlace.small(order, command: "picker")
        if offset > 0, let picture = services.openPictures.take(place, handle) {
            return try send(picture, place, handle, at: offset)
        }
        let finder = try services.artwork.makeFinder()
        return try perform(on: .artwork(file.medium.uri)) { cancellation -> FoundPicture in
            var finder = finder
            finder.cancellation = cancellation
            do {
                let artwork = try finder.artwork(order, ofFile: file.medium.uri, where: file.isSame)
                return FoundPicture(artwork.picture)
            } catch {
                throw PickerError(loading: error) ?? error
            }
        } then: { picture in
            try send(picture, place, handle, at: offset)
        }
    }
}

extension PickerError {
    fileprivate init?(loading error: any Error) {
        switch error as? ArtworkError {
        case .noSuchSong: self = .missingResource
        case .otherFile: self = .invalidResource
        default: return nil
        }
    }
}

extension PickerConfiguration {
    /// - Parameter words: Keys with values: `filter`, `limit`, `ordered`, `prompt`.
    fileprivate init(_ words: [String]) throws {
        var words = words[...]
        var filter = Self.usualFilter
        var (limit, isOrdered, prompt) = (1, false, PickerPrompt())
        func value(of key: String) throws(AckError) -> String {
            guard let value = words.popFirst() else { throw badParam("'\(key)' needs a value") }
            return value
        }
        while let key = words.popFirst() {
            switch key {
            case "filter": filter = try MediaFilter(parsing: value(of: key))
            case "limit": limit = try parseInteger(value(of: key), in: 0...Self.mostItems)
            case "ordered": isOrdered = true
            case "prompt":
                guard let text = PickerPrompt(try value(of: key)) else {
                    throw badParam(
                        "a prompt has at most \(PickerPrompt.longest) bytes, and no characters that change how text is shown"
                    )
                }
                prompt = text
            default: throw badParam("picker open has no '\(key)': filter, limit, ordered, prompt")
            }
        }
        guard let configuration = Self(filter: filter, limit: limit, isOrdered: isOrdered, prompt: prompt) else {
            throw badParam("videos cannot be picked")
        }
        self = configuration
    }
}

// MARK: The owner

extension Request<MusicServices> {
    fileprivate func listOpenRequests() {
        for request in picker.requests.open { reply.append(request, at: hostTime, tellsAsker: true) }
    }

    fileprivate func takeRequest(_ word: String) throws {
        reply.append(try picker.take(id(word), face), at: hostTime, tellsAsker: true)
    }

    fileprivate func listPickable(_ word: String, _ words: [String]) throws -> Outcome {
        let (library, request) = (try library, try picker.request(word))
        let wanted = try MediaRequest(words)
        let (filter, uri) = (MediaFilter.all([request.configuration.choice, wanted.filter]), wanted.uri)
        let selected = Dictionary(request.selection.enumerated().map { ($1.medium.uri, $0) }) { first, _ in first }
        return try perform(on: .index) {
            try library.read { try MediaCursor($0, uri, filter, window: wanted.window) }
        } then: { cursor in
            guard let cursor else { throw AckError(.doesNotExist, "No such directory") }
            return try stream(ListedMedia(library: library, cursor: cursor, selected: selected))
        }
    }

    fileprivate func listSelection(_ word: String) throws {
        for (place, file) in try picker.request(word).selection.enumerated() {
            reply.append(file.medium)
            reply.line("selected", place)
        }
    }

    fileprivate func select(_ uris: [String], for word: String) throws -> Outcome {
        let (library, music) = (try library, try services.media.requireDirectory())
        let request = try picker.request(word)
        let (id, filter) = (request.id, request.configuration.choice)
        return try perform(on: .files(uris[0])) {
            try uris.map { uri in
                guard var cursor = try library.read({ try MediaCursor($0, uri, filter) }),
                    let medium = try library.read({ _ in try cursor.nextPage(limit: 1) }).first, medium.uri == uri
                else { throw PickerError.doesNotMatch(uri) }
                return PickedFile(medium, try music.stateOfPick(uri))
            }
        } then: { files in
            try picker.select(files, id, face)
            return .done
        }
    }
}

extension MusicDirectory {
    /// The status of a file that the owner chooses from a list; the file may be gone by now.
    fileprivate func stateOfPick(_ uri: String) throws -> FileStatus {
        let status: FileStatus
        do throws(MusicDirectoryError) {
            status = try state(of: uri)
        } catch {
            if case .inaccessible = error { throw error }
            throw PickerError.missingResource
        }
        guard status.kind == .file else { throw PickerError.missingResource }
        return status
    }
}

extension Reply {
    fileprivate mutating func append(_ request: PickerRequest, at now: Double, tellsAsker: Bool = false) {
        line("request", "\(request.id)")
        line("state", request.state.name)
        if tellsAsker { line("from", request.asker.name) }
        if !request.configuration.prompt.text.isEmpty { line("prompt", request.configuration.prompt.text) }
        line("filter", "\(request.configuration.filter)")
        line("limit", request.configuration.limit)
        if tellsAsker { line("chosen", request.selection.count) }
        if request.configuration.isOrdered { line("ordered", true) }
        line("expires", Int(saturating: max(0, request.ends - now)))
    }
}
