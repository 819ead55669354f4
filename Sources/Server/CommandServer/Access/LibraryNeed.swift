/// The songs that a request tells of: for a client that sees a part of the library only, this decides how it is carried out.
enum LibraryNeed: Sendable, Equatable {
    /// None: it is carried out as for all others.
    case none
    /// Its handler leaves out what the client does not see.
    case limited
    /// The same, and what it names has to be visible.
    case named([LibraryName])
    /// It is refused.
    case withheld
}

/// Something that a request names.
enum LibraryName: Sendable, Hashable {
    case song(String)
    /// A song, or a folder that leads to some.
    case place(String)
    /// A song, or a stored playlist.
    case playable(String)
    case playlist(String)
}

/// The rule of a command's row: what its requests tell of songs, by their arguments.
struct LibraryRule: Sendable {
    let need: @Sendable (_ arguments: [String]) -> LibraryNeed

    init(_ need: @escaping @Sendable (_ arguments: [String]) -> LibraryNeed) { self.need = need }

    static let nothing = LibraryRule { _ in .none }
    static let limited = LibraryRule { _ in .limited }
    /// For what cannot be told in part: stored playlists have no owners, causes are told with names, and grants, schedules
    /// and mounts name parts of the library.
    static let withheld = LibraryRule { _ in .withheld }
    /// The first argument is a song.
    static let song = LibraryRule { .named($0.prefix(1).map { .song($0) }) }
    /// The first argument is a song, or a folder that leads to some.
    static let place = LibraryRule { .named($0.prefix(1).map { .place($0) }) }

    /// Whether clients with a limited library cannot give the command at all.
    var isWithheld: Bool { need([]) == .withheld }
}
