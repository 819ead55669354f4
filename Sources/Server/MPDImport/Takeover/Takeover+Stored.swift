internal import LineProtocol
internal import ProtocolClient
internal import Songs

/// Import of playlists and stickers.
extension Takeover {
    func takeOver(_ playlists: [ImportedPlaylist]) throws(RemoteError) {
        let existing = Set(try connection.run("listplaylists").values("playlist").map { ExactText($0) })
        for playlist in playlists where !playlist.uris.isEmpty {
            if existing.contains(ExactText(playlist.name)) {
                let songs = try connection.run("listplaylist", playlist.name).values("file")
                if songs.elementsEqual(playlist.uris, by: isSame) { continue }
                guard choices.replaces else {
                    report.keptPlaylists.append(playlist.name)
                    continue
                }
                try connection.run("rm", playlist.name)
            }
            try add(playlist)
        }
    }

    private func add(_ playlist: ImportedPlaylist) throws(RemoteError) {
        let requests = playlist.uris.map { Request("playlistadd", playlist.name, $0) }
        var isAdded = false
        for (uri, result) in zip(playlist.uris, try runEach(requests, "playlist \(playlist.name)")) {
            switch result {
            case .success: isAdded = true
            case .failure(let refusal) where refusal.known == .doesNotExist: report.miss(uri)
            case .failure(let refusal): report.record(refusal, of: "playlist \(playlist.name)")
            }
        }
        if isAdded { report.playlists += 1 }
    }

    func takeOver(_ stickers: [ImportedSticker]) throws(RemoteError) {
        let existing = try existingStickers(like: stickers)
        var wanted: [ImportedSticker] = []
        for sticker in stickers {
            let value = existing[Place(sticker)]
            if let value, isSame(value, sticker.value) { continue }
            if value != nil, !choices.replaces { report.keptStickers += 1 } else { wanted.append(sticker) }
        }
        let requests = wanted.map { Request("sticker", "set", $0.type, $0.uri, $0.name, $0.value) }
        for (sticker, result) in zip(wanted, try runEach(requests, "stickers")) {
            switch result {
            case .success: report.stickers += 1
            case .failure(let refusal) where refusal.known == .doesNotExist: report.lostStickers.append(sticker)
            case .failure(let refusal): report.record(refusal, of: "sticker \(sticker.name) of \(sticker.uri)")
            }
        }
    }

    /// The object that a sticker is attached to, and the sticker's name.
    private struct Place: Hashable {
        let type: String
        private let exactURI: ExactText
        private let exactName: ExactText

        init(type: String, uri: String, name: String) {
            self.type = type
            exactURI = ExactText(uri)
            exactName = ExactText(name)
        }

        var name: String { exactName.text }

        init(_ sticker: ImportedSticker) { self.init(type: sticker.type, uri: sticker.uri, name: sticker.name) }
    }

    /// The values that the server already has under the same names, with one request for each name.
    private func existingStickers(like stickers: [ImportedSticker]) throws(RemoteError) -> [Place: String] {
        var names: [Place] = []
        for sticker in stickers {
            let name = Place(type: sticker.type, uri: "", name: sticker.name)
            if !names.contains(name) { names.append(name) }
        }
        let requests = names.map { Request("sticker", "find", $0.type, "", $0.name) }
        var found: [Place: String] = [:]
        // The server refuses an unknown type of sticker when it is set, too, and that is reported then.
        for (name, result) in zip(names, try runEach(requests, "stickers")) {
            guard case .success(let reply) = result else { continue }
            for group in reply.groups(startingWith: name.type == "song" ? "file" : name.type) {
                guard let uri = group.pairs.first?.value, let text = group["sticker"],
                    text.utf8.starts(with: (name.name + "=").utf8)
                else { continue }
                let value = String(Substring(text.utf8.dropFirst(name.name.utf8.count + 1)))
                found[Place(type: name.type, uri: uri, name: name.name)] = value
            }
        }
        return found
    }
}
