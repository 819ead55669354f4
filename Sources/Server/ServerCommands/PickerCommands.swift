internal import Authorization
internal import Files
internal import LibraryIndex
internal import LineProtocol
internal import MediaHeaders
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
internal import SongFilters
internal import Songs
internal import Threads

/// How clients ask the owner for pictures, videos and songs: segue-picker(7).
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
        case ("wait", 1): return try request.waitForPick(words[0], since: nil)
        case ("wait", 3) where words[1] == "since":
            return try request.waitForPick(words[0], since: parseInteger(words[2], in: 0...Int.max))
        case ("items", 1): try request.listPicked(words[0])
        case ("load", 2): return try request.loadPicked(words[0], at: parseInteger(words[1], in: 0...Int.max))
        case ("withdraw", 1):
            request.services.picker.withdraw(try request.ownRequest(words[0]).id)
        default:
            throw badParam(
                "picker open [KEY VALUE...], picker list, picker wait REQUEST [since VERSION], picker items|withdraw REQUEST, or picker load HANDLE OFFSET"
            )
        }
        return .done
    }
    .verbs(
        .verb(
            "open",
            .key("kind", .oneOf(PickerConfiguration.Kind.names)),
            .key("purpose", .oneOf(PickerConfiguration.Purpose.allCases.map(\.rawValue))),
            .key("representation", .oneOf(PickerConfiguration.Representation.allCases.map(\.rawValue))),
            .key("filter"),
            .key("limit", .integer(0...PickerConfiguration.mostItems)),
            .flag("ordered"),
            .flag("lasting"),
            .flag("continuous"),
            .key("preselected", .commas),
            .key("prompt")
        ),
        .verb("list"),
        .verb("wait", Parameter("request"), .key("since", .integer(0...Int.max))),
        .verb("items", Parameter("request")),
        .verb("load", Parameter("handle"), Parameter("offset", .integer(0...Int.max))),
        .verb("withdraw", Parameter("request"))
    )
    .notForSchedules()
]

extension Request<MusicServices> {
    private var picker: PickerService { services.picker }

    fileprivate func openPicker(_ words: [String]) throws {
        let configuration = try PickerConfiguration(words)
        let identity = client.identity
        let asker = PickerRequest.Asker(
            connection: client.id,
            name: identity.name,
            party: identity.login.map { PickerRequest.Party.named($0.name) } ?? .place(identity.place),
            client: identity.id.flatMap { client.grants.rights(ofAbsent: $0) == nil ? nil : $0 },
            isLimited: rights.limits.library != nil
        )
        reply.append(try picker.open(configuration, for: asker), at: hostTime)
    }

    fileprivate func listOwnRequests() {
        for request in picker.requests.all where request.isHeld(by: client.id, of: client.identity.id) {
            reply.append(request, at: hostTime)
        }
    }

    fileprivate func ownRequest(_ word: String) throws(PickerError) -> PickerRequest {
        try picker.request(word, of: client.id, client.identity.id)
    }

    /// - Parameter version: The one that the client knows; without it, the end is waited for.
    fileprivate func waitForPick(_ word: String, since version: Int?) throws -> Outcome {
        let id = try ownRequest(word).id
        func tell() throws -> Outcome {
            reply.append(try ownRequest(word), at: hostTime)
            return .done
        }
        // Nothing would end the wait of a client that is gone before a lasting request does.
        guard let request = picker.requests[id], request.isOpen, !connection.hasSaidAll,
            version == nil || version == request.version
        else { return try tell() }
        return wait(then: tell) { wake in picker.wait(for: id, since: version, at: client.id, wake) }
    }

    fileprivate func listPicked(_ word: String) throws {
        let request = try ownRequest(word)
        if request.state == .cancelled {
            for identifier in request.configuration.preselected { append(identifier, ofKind: "unknown") }
        }
        guard request.isSelectionTold else { return }
        for item in request.selection {
            let handle = request.handle(of: item)
            if handle == nil, request.configuration.purpose == .once {
                append(item.assetIdentifier, ofKind: item.kind)
                continue
            }
            switch item.subject {
            case .picture(let medium): append(medium, item, handle)
            case .file(let medium, _): append(file: medium, item, handle)
            case .song(let song): append(song, item, handle)
            }
        }
    }

    /// An item that the client has already.
    private func append(_ identifier: AssetIdentifier?, ofKind kind: String) {
        reply.line("kind", kind)
        if let identifier { reply.line("identifier", identifier.text) }
    }

    private func append(_ medium: LibraryMedium, _ item: PickedItem, _ handle: PickerHandle?) {
        let copy = PictureCopy(of: medium)
        append(item.assetIdentifier, ofKind: item.kind)
        if let handle { reply.line("handle", handle.text) }
        reply.line("type", item.mimeType)
        reply.line("name", copy.name)
        if let size = copy.size {
            reply.line("width", size.width)
            reply.line("height", size.height)
        }
    }

    private func append(file medium: LibraryMedium, _ item: PickedItem, _ handle: PickerHandle?) {
        append(item.assetIdentifier, ofKind: item.kind)
        if let handle { reply.line("handle", handle.text) }
        reply.line("type", item.mimeType)
        reply.line("name", item.name)
        if let size = item.size { reply.line("size", size) }
        if let size = medium.dimensions {
            reply.line("width", size.width)
            reply.line("height", size.height)
        }
        if let duration = medium.duration { reply.line("duration", seconds: duration) }
    }

    private func append(_ song: PickableSong, _ item: PickedItem, _ handle: PickerHandle?) {
        if let handle {
            append(item.assetIdentifier, ofKind: item.kind)
            reply.line("handle", handle.text)
            reply.line("type", item.mimeType)
            reply.line("name", item.name)
            if let size = item.size { reply.line("size", size) }
        } else {
            // It belongs to what the client sees.
            reply.line("kind", item.kind)
            reply.line("file", song.uri)
        }
        reply.appendFacts(of: song)
    }

    fileprivate func loadPicked(_ handle: String, at offset: Int) throws -> Outcome {
        let item = try picker.item(handle, of: client.id, client.identity.id)
        return switch item.subject {
        case .picture(let medium): try loadPicture(medium, item, handle, at: offset)
        case .file: try loadFile(item, handle, at: offset)
        case .song: try loadSong(item, at: offset)
        }
    }

    /// Sends a piece of a picked picture: a new JPEG, upright, without the file's metadata, such as the place where a photo
    /// was taken.
    private func loadPicture(
        _ medium: LibraryMedium,
        _ item: PickedItem,
        _ handle: String,
        at offset: Int
    ) throws -> Outcome {
        let order = PictureOrder(side: PictureCopy(of: medium).side, quality: PictureCopy.quality)
        let place = PicturePlace.small(order, command: "picker")
        if offset > 0, let picture = services.openPictures.take(place, handle) {
            return try send(picture, place, handle, at: offset)
        }
        let finder = try services.artwork.makeFinder()
        return try perform(on: .artwork(medium.uri)) { cancellation -> FoundPicture in
            var finder = finder
            finder.cancellation = cancellation
            do {
                let artwork = try finder.artwork(order, ofFile: medium.uri, where: item.isSame)
                return FoundPicture(artwork.picture)
            } catch {
                throw PickerError(loading: error) ?? error
            }
        } then: { picture in
            try send(picture, place, handle, at: offset)
        }
    }

    /// Sends a piece of a picked song's file.
    private func loadSong(_ item: PickedItem, at offset: Int) throws -> Outcome {
        let (music, limit) = (try services.media.requireDirectory(), client.binaryLimit)
        return try perform(on: .files(item.uri)) {
            try music.piece(of: item, at: offset, count: limit)
        } then: { piece in
            try send(piece, piece.bytes, of: item, at: offset)
        }
    }

    /// Sends a piece of a picked file: of a copy without what it tells beside its pictures and sound, such as the place where it
    /// was taken.
    private func loadFile(_ item: PickedItem, _ handle: String, at offset: Int) throws -> Outcome {
        let (music, limit) = (try services.media.requireDirectory(), client.binaryLimit)
        let known = picker.copy(handle)
        return try perform(on: .files(item.uri)) { () -> (FilePiece, [UInt8], MediaCopy) in
            let copy = try known ?? music.copy(of: item)
            let piece = try music.piece(of: item, at: offset, count: limit)
            var bytes = piece.bytes
            copy.apply(to: &bytes, at: offset)
            return (piece, bytes, copy)
        } then: { piece, bytes, copy in
            if known == nil { picker.keep(copy, for: handle) }
            return try send(piece, bytes, of: item, at: offset)
        }
    }

    private func send(_ piece: FilePiece, _ bytes: [UInt8], of item: PickedItem, at offset: Int) throws -> Outcome {
        guard offset <= piece.size else { throw AckError(.badArgument, "Offset too large") }
        reply.line("size", piece.size)
        reply.line("type", item.mimeType)
        return send(bytes[...])
    }
}

extension MusicDirectory {
    /// Reads a piece of a picked file, if that is still there.
    fileprivate func piece(of item: PickedItem, at offset: Int, count: Int) throws -> FilePiece {
        let found: FilePiece?
        do throws(MusicDirectoryError) {
            found = try piece(of: item.uri, at: offset, count: count, where: item.isSame)
        } catch {
            throw PickerError(loading: error) ?? error
        }
        guard let found else { throw PickerError.invalidResource }
        return found
    }

    /// Reads what a copy of a picked video takes, if its file is still there.
    fileprivate func copy(of item: PickedItem) throws -> MediaCopy {
        let found: MediaCopy?
        do {
            found = try mediaCopy(of: item.uri, where: item.isSame)
        } catch {
            throw PickerError(loading: error) ?? error
        }
        guard let found else { throw PickerError.invalidResource }
        return found
    }
}

extension PickerError {
    fileprivate init?(loading error: any Error) {
        switch error {
        case ArtworkError.noSuchSong, MusicDirectoryError.doesNotExist: self = .missingResource
        case ArtworkError.otherFile: self = .invalidResource
        // The words of the first have the path.
        case is MusicDirectoryError, is MediaCopyError: self = .invalidResource
        default: return nil
        }
    }
}

extension PickerConfiguration {
    /// - Parameter words: Keys with values: `kind`, `purpose`, `representation`, `filter`, `limit`, `ordered`, `lasting`,
    ///   `continuous`, `preselected`, `prompt`.
    fileprivate init(_ words: [String]) throws {
        var words = words[...]
        /// `nil` for songs.
        var media: Media? = .pictures
        var filter: String?
        var (purpose, representation, limit) = (Purpose.once, Representation.compatible, 1)
        var (isOrdered, isLasting, isContinuous) = (false, false, false)
        var (prompt, preselected) = (PickerPrompt(), [AssetIdentifier]())
        func value(of key: String) throws(AckError) -> String {
            guard let value = words.popFirst() else { throw badParam("'\(key)' needs a value") }
            return value
        }
        while let key = words.popFirst() {
            switch key {
            case "kind":
                let word = try value(of: key)
                media = Media(rawValue: word)
                guard media != nil || word == "songs" else {
                    throw badParam("'\(word)' is no kind of what can be picked: \(Kind.names.joined(separator: ", "))")
                }
            case "purpose":
                let word = try value(of: key)
                guard let known = Purpose(rawValue: word) else {
                    throw badParam("'\(word)' is no purpose: once, extend")
                }
                purpose = known
            case "representation":
                let word = try value(of: key)
                guard let known = Representation(rawValue: word) else {
                    throw badParam("'\(word)' is no representation: compatible, current")
                }
                representation = known
            case "filter": filter = try value(of: key)
            case "limit": limit = try parseInteger(value(of: key), in: 0...Self.mostItems)
            case "ordered": isOrdered = true
            case "lasting": isLasting = true
            case "continuous": isContinuous = true
            case "preselected":
                preselected = try value(of: key).split(separator: ",").map { word in
                    guard let identifier = AssetIdentifier(String(word)) else {
                        throw badParam("'\(word)' is no identifier of something that was picked")
                    }
                    return identifier
                }
            case "prompt":
                guard let text = PickerPrompt(try value(of: key)) else {
                    throw badParam(
                        "a prompt has at most \(PickerPrompt.longest) bytes, and no characters that change how text is shown"
                    )
                }
                prompt = text
            default:
                throw badParam(
                    "picker open has no '\(key)': kind, purpose, representation, filter, limit, ordered, lasting, continuous, preselected, prompt"
                )
            }
        }
        let kind: Kind =
            if let media {
                .media(media, try filter.map { text throws(MediaFilterError) in try MediaFilter(parsing: text) })
            } else {
                .songs(try filter.map { text throws(SongFilterError) in try SongExpression(text) })
            }
        try self.init(
            kind,
            purpose,
            representation,
            limit: limit,
            isOrdered: isOrdered,
            isLasting: isLasting,
            isContinuous: isContinuous,
            preselected: preselected,
            prompt: prompt
        )
    }
}

extension Reply {
    /// - Parameter tellsAsker: For the owner, who gets to know who asks.
    mutating func append(_ request: PickerRequest, at now: Double, tellsAsker: Bool = false) {
        let configuration = request.configuration
        line("request", "\(request.id)")
        line("state", request.state.name)
        if tellsAsker { line("from", request.asker.name) }
        if !configuration.prompt.text.isEmpty { line("prompt", configuration.prompt.text) }
        line("kind", configuration.kind.name)
        if configuration.purpose != .once { line("purpose", configuration.purpose.rawValue) }
        if configuration.representation != .compatible {
            line("representation", configuration.representation.rawValue)
        }
        switch configuration.kind {
        case .media(_, let filter): if let filter { line("filter", "\(filter)") }
        case .songs(let expression): if let expression { line("filter", expression.text) }
        }
        line("limit", configuration.limit)
        if tellsAsker || configuration.isContinuous { line("chosen", request.selection.count) }
        if tellsAsker, request.mayEndEmpty { line("preselected", configuration.preselected.count) }
        if !tellsAsker { line("version", request.version) }
        if configuration.isOrdered { line("ordered", true) }
        if configuration.isLasting { line("lasting", true) }
        if configuration.isContinuous { line("continuous", true) }
        line("expires", Int(saturating: max(0, request.ends - now)))
    }

    /// Title, artist, album and duration, as far as they are known.
    mutating func appendFacts(of song: PickableSong) {
        if let title = song.title { line("Title", title) }
        if let artist = song.artist { line("Artist", artist) }
        if let album = song.album { line("Album", album) }
        if let duration = song.duration { line("duration", seconds: duration) }
    }
}
