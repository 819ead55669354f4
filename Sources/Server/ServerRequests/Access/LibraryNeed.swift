/// The songs that a request tells of: for a client that sees a part of the library only, this decides how it is carried out.
package enum LibraryNeed: Sendable, Equatable {
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
package enum LibraryName: Sendable, Hashable {
    case song(String)
    /// A song, or a folder that leads to some.
    case place(String)
    /// A song, or a stored playlist.
    case playable(String)
    case playlist(String)
}

/// The rule of a command's row: what its requests tell of songs, by their arguments.
package struct LibraryRule: Sendable {
    package let need: @Sendable (_ arguments: [String]) -> LibraryNeed

    package init(_ need: @escaping @Sendable (_ arguments: [String]) -> LibraryNeed) { self.need = need }

    package static let nothing = LibraryRule { _ in .none }
    package static let limited = LibraryRule { _ in .limited }
    /// For what cannot be told in part: stored playlists have no owners, causes are told with names, and grants, schedules
    /// and mounts name parts of the library.
    package static let withheld = LibraryRule { _ in .withheld }
    /// The first argument is a song.
    package static let song = LibraryRule { .named($0.prefix(1).map { .song($0) }) }
    /// The first argument is a song, or a folder that leads to some.
    package static let place = LibraryRule { .named($0.prefix(1).map { .place($0) }) }

    /// Whether clients with a limited library cannot give the command at all.
    package var isWithheld: Bool { need([]) == .withheld }
}
