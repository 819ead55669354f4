import ArgumentParser
import ClientVerbs
import CommandOptions
import Glibc
import MPDImport
import Settings

/// The paths of MPD's files.
struct ImportPlaces {
    var sources: ImportSources
    /// Notes about them for the user.
    var notes: [String] = []

    /// Finds MPD's files: those given by options, and otherwise those in mpd.conf.
    ///
    /// Files in mpd.conf need not exist: MPD creates them when it first writes.
    ///
    /// - Throws: When there is nothing to import.
    static func find(_ options: ImportOptions) throws -> ImportPlaces {
        let named = [options.stateFile, options.stickerFile, options.playlistDir].compactMap { $0 }
        for path in named where !isThere(path) { throw failure("\(path): \(reason(errno))") }
        var places = ImportPlaces(sources: ImportSources())
        if let file = try configurationFile(options, isNeeded: named.isEmpty) { places = try inConfiguration(file) }
        places.sources.stateFile = options.stateFile ?? places.sources.stateFile
        places.sources.stickerFile = options.stickerFile ?? places.sources.stickerFile
        places.sources.playlistDirectory = options.playlistDir ?? places.sources.playlistDirectory
        let sources = places.sources
        guard sources.stateFile != nil || sources.stickerFile != nil || sources.playlistDirectory != nil else {
            throw failure(
                (places.notes + [
                    "there is nothing to import; use --state-file, --sticker-file and --playlist-dir"
                ])
                .joined(separator: "; ")
            )
        }
        return places
    }

    /// - Parameter isNeeded: Whether to look in the default places if it is not given.
    private static func configurationFile(_ options: ImportOptions, isNeeded: Bool) throws -> String? {
        if let file = options.mpdConf { return file }
        guard isNeeded else { return nil }
        let usual = ImportSources.usualConfigurationFiles(in: .process)
        if let file = usual.first(where: { unsafe access($0, R_OK) == 0 }) { return file }
        throw failure("there is no mpd.conf at \(usual.joined(separator: ", ")); give another with --mpd-conf")
    }

    private static func inConfiguration(_ file: String) throws -> ImportPlaces {
        let configuration: Configuration
        do {
            configuration = try Configuration.load(mpdConf: file).configuration
        } catch {
            throw failure("\(error)")
        }
        var places = ImportPlaces(sources: ImportSources(configuration))
        places.keepWhatIsThere(\.stateFile, "state file", in: file)
        places.keepWhatIsThere(\.stickerFile, "sticker database", in: file)
        places.keepWhatIsThere(\.playlistDirectory, "folder of playlists", in: file)
        return places
    }

    private mutating func keepWhatIsThere(
        _ place: WritableKeyPath<ImportSources, String?>,
        _ what: String,
        in file: String
    ) {
        guard let path = sources[keyPath: place] else {
            notes.append("\(file) has no \(what)")
            return
        }
        guard !Self.isThere(path), errno == ENOENT else { return }
        notes.append("there is no \(what) at \(path)")
        sources[keyPath: place] = nil
    }

    private static func isThere(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

    private static func reason(_ code: Int32) -> String { unsafe String(cString: strerror(code)) }

    private static func failure(_ text: String) -> ExitCode {
        writeError("segue: \(text)")
        return ExitStatus.someFailed.exitCode
    }
}
