internal import Alarms
internal import Announcements
internal import AudioSessions
internal import LibraryIndex
package import LineProtocol
internal import MusicDirectories
internal import PlaylistStore
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerPicker
internal import SongFilters
internal import TextPatterns
internal import ValueText
internal import Zones

/// The one place where what went wrong becomes a code that clients know.
package func ackError(for error: any Error) -> AckError {
    switch error {
    case let error as AckError: error
    case let error as ZoneError: ackError(for: error)
    case let error as MusicDirectoryError: ackError(for: error)
    case let error as UnusableSong: AckError(.doesNotExist, error.description)
    case let error as StoredPlaylistError: ackError(for: error)
    case let error as ArtworkError: ackError(for: error)
    case let error as SessionError: AckError(error.code == .badParam ? .badArgument : .system, error.description)
    case let error as ArgumentProblem: badParam(error.description)
    case let error as AlarmStore.Refusal: ackError(for: error)
    case let error as ScheduleStore.Refusal: ackError(for: error)
    case let error as AnnouncementRefusal: AckError(.system, "resourceNotAvailable: \(error)")
    case let error as Subscriptions.Refusal: ackError(for: error)
    case let error as PickerError: ackError(for: error)
    case let error as MediaFilterError: badParam(error.description)
    case let error as SongFilterError: AckError(.badArgument, error.description)
    case let error as PatternError: AckError(.badArgument, error.description)
    case LibraryError.refused(let error): AckError(.badArgument, error.description)
    case LibraryError.nothingThere: AckError(.doesNotExist, "No such directory")
    default: AckError(.system, String(describing: error))
    }
}

/// Looks for something that can only be a song: what is missing then is no directory.
package func asSong<Value: ~Copyable>(_ body: () throws -> Value) throws -> Value {
    do {
        return try body()
    } catch let error as MusicDirectoryError {
        if case .inaccessible = error { throw error }
        throw AckError(.doesNotExist, "No such song")
    }
}

private func ackError(for error: AlarmStore.Refusal) -> AckError {
    switch error {
    case .full: AckError(.system, "resourceNotAvailable: \(error)")
    case .neverRings: badParam(error.description)
    case .unknown, .notRinging: AckError(.doesNotExist, error.description)
    }
}

private func ackError(for error: ScheduleStore.Refusal) -> AckError {
    switch error {
    case .full: AckError(.system, "resourceNotAvailable: \(error)")
    case .neverDue: badParam(error.description)
    case .unknown: AckError(.doesNotExist, error.description)
    }
}

private func ackError(for error: ZoneError) -> AckError {
    let code: AckCode =
        switch error {
        case .badIndex: .badArgument
        case .noSuchSong, .noSuchOption: .doesNotExist
        case .notPlaying: .notPlaying
        case .notSeekable, .refused: .system
        case .queueFull: .queueFull
        case .noMixer: .unknownCommand
        }
    return AckError(code, error.description)
}

private func ackError(for error: PickerError) -> AckError {
    switch error {
    case .noSuchRequest, .noSuchHandle, .isNotChosen, .doesNotMatch, .missingResource, .noFile, .hasChanged,
        .invalidResource, .cannotBeCopied:
        AckError(.doesNotExist, error.description)
    case .tooMany, .tooOften, .libraryIsFull: AckError(.system, "resourceNotAvailable: \(error)")
    case .isBeingAnswered, .isNotTaken, .isOver, .isAnotherClient: AckError(.system, error.description)
    case .overLimit, .nothingIsChosen, .limitOutOfRange, .noVideosAmongPictures, .onlySongsExtend, .notForLibraries,
        .tooManyPreselected,
        .cannotLast, .isNotLimited:
        AckError(.badArgument, error.description)
    }
}

private func ackError(for error: Subscriptions.Refusal) -> AckError {
    switch error {
    case .alreadySubscribed: AckError(.alreadyExists, "already subscribed to this channel")
    case .full: AckError(.alreadyExists, "subscription list is full")
    case .notSubscribed: AckError(.doesNotExist, "not subscribed to this channel")
    }
}

private func ackError(for error: MusicDirectoryError) -> AckError {
    switch error {
    case .doesNotExist, .notPlayable, .malformed, .outside: AckError(.doesNotExist, "No such directory")
    case .inaccessible: AckError(.system, error.description)
    }
}

private func ackError(for error: ArtworkError) -> AckError {
    switch error {
    case .noMusic, .noSuchSong, .otherFile, .noPicture: AckError(.doesNotExist, error.description)
    case .noProgram, .notMade: AckError(.system, error.description)
    }
}

private func ackError(for error: StoredPlaylistError) -> AckError {
    switch error {
    case .badName: AckError(.badArgument, "Bad playlist name")
    case .doesNotExist: AckError(.doesNotExist, "No such playlist")
    case .alreadyExists: AckError(.alreadyExists, "Playlist already exists")
    case .badIndex: AckError(.badArgument, "Bad song index")
    case .badPosition: AckError(.badArgument, "Bad position")
    case .badRange: AckError(.badArgument, "Bad range")
    case .tooLarge: AckError(.queueFull, "Stored playlist is too large")
    case .tooManyBytes(_, let limit): exceeds("max-stored-playlist-size", limit, .queueFull)
    case .tooMany(let limit): exceeds("max-stored-playlists", limit, .system)
    case .inaccessible, .noFolder: AckError(.system, error.description)
    }
}
