internal import Files
package import Settings

/// The files and folders of MPD to import from.
package struct ImportSources: Sendable, Hashable {
    package var stateFile: String?
    package var stickerFile: String?
    package var playlistDirectory: String?
    /// Absolute paths in playlists are made relative to this folder.
    package var musicDirectory: String?

    package init(
        stateFile: String? = nil,
        stickerFile: String? = nil,
        playlistDirectory: String? = nil,
        musicDirectory: String? = nil
    ) {
        self.stateFile = stateFile
        self.stickerFile = stickerFile
        self.playlistDirectory = playlistDirectory
        self.musicDirectory = musicDirectory
    }

    /// The places that an mpd.conf names, as read by `Configuration.load`.
    package init(_ configuration: Configuration) {
        stateFile = configuration.mpdFiles?.stateFile
        stickerFile = configuration.mpdFiles?.stickerFile
        playlistDirectory = configuration.mpdFiles == nil ? nil : configuration.playlistDirectory
        musicDirectory = configuration.musicDirectory
    }

    /// The usual places of mpd.conf; the first that exists is used.
    package static func usualConfigurationFiles(in environment: ProcessEnvironment) -> [String] {
        let home = environment.home
        let configuration = environment.variables["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        return [
            (configuration ?? home + "/.config") + "/mpd/mpd.conf", home + "/.mpdconf", home + "/.mpd/mpd.conf",
            systemConfigurationFile,
        ]
    }

    static let systemConfigurationFile = "/etc/mpd.conf"

    /// Reads all sources that exist.
    ///
    /// Missing or damaged sources are named in the result's `problems`; the rest is imported.
    package func read() -> ImportedState {
        var state = ImportedState()
        if let stateFile { readState(stateFile, into: &state) }
        if let playlistDirectory { readPlaylists(in: playlistDirectory, into: &state) }
        if let stickerFile { readStickers(stickerFile, into: &state) }
        return state
    }

    private func readState(_ path: String, into state: inout ImportedState) {
        do {
            StateFileParser.parse(String(decoding: try fileContents(path), as: UTF8.self), into: &state)
            state.hasState = true
        } catch {
            state.problems.append("MPD's state cannot be read from \(path): \(error)")
        }
    }

    private func readPlaylists(in folder: String, into state: inout ImportedState) {
        let names: [String]
        do {
            names = try fileNames(in: folder)
        } catch {
            state.problems.append("MPD's playlists cannot be read from \(folder): \(error)")
            return
        }
        for file in names.sorted() where file.hasSuffix(".m3u") && file.utf8.count > 4 {
            do {
                let text = String(decoding: try fileContents(folder + "/" + file), as: UTF8.self)
                state.playlists.append(ImportedPlaylist(name: String(file.dropLast(4)), uris: uris(in: text)))
            } catch {
                state.problems.append("the playlist \(folder)/\(file) cannot be read: \(error)")
            }
        }
    }

    /// The entries of an MPD playlist: one URI on each line.
    package func uris(in text: String) -> [String] {
        let prefix = musicDirectory.map { $0.hasSuffix("/") ? $0 : $0 + "/" }
        return text.split(whereSeparator: { $0 == "\n" || $0 == "\r\n" }).compactMap { line in
            guard !line.hasPrefix("#") else { return nil }
            if let prefix, line.hasPrefix(prefix) { return String(line.dropFirst(prefix.count)) }
            return String(line)
        }
    }

    private func readStickers(_ path: String, into state: inout ImportedState) {
        do {
            state.stickers = try StickerDatabase.stickers(in: path)
        } catch {
            state.problems.append("MPD's stickers cannot be read from \(path): \(error)")
        }
    }
}
