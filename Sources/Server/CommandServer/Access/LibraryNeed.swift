internal import LineProtocol
internal import ServerTimers
internal import Songs

/// What a request tells of songs, and so what becomes of it for a client that sees a part of the library only.
enum LibraryNeed: Sendable, Equatable {
    /// Nothing: it is carried out as for all others.
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

extension Command {
    /// What a request of this command tells of songs; `nil` for a command that has no row in the table below, which is
    /// refused.
    func libraryNeed(_ arguments: [String]) -> LibraryNeed? { libraryNeeds[name]?(arguments) }

    /// Whether clients with a limited library cannot give the command at all.
    var isWithheld: Bool {
        switch libraryNeed([]) {
        case .withheld?, nil: true
        default: false
        }
    }
}

private typealias Needs = @Sendable ([String]) -> LibraryNeed

/// One row for each command.
private let libraryNeeds: [String: Needs] = {
    var needs: [String: Needs] = [:]
    func put(_ names: String, _ need: @escaping Needs) {
        for name in names.split(separator: " ") { needs[String(name)] = need }
    }
    put(
        """
        addtagid binarylimit channels cleartagid clear clearerror close commands consume crossfade decoders delete \
        deleteid delpartition disableoutput enableoutput getvol idle kill listmounts listpartitions mixrampdb \
        mixrampdelay move moveid moveoutput newpartition next notcommands outputs outputset pair partition password pause \
        ping pitch play playid plchangesposid previous prio prioid protocol random rangeid readmessages repeat \
        replay_gain_mode replay_gain_status route seek seekcur seekid selectmedia sendmessage setvol shuffle single \
        sleep speed stickertypes stop subscribe swap swapid tagtypes toggleoutput unsubscribe urlhandlers volume zone
        """
    ) { _ in .none }
    put(
        """
        announcement buffer count currentsong find findadd identify list listall listallinfo \
        listfiles listplaylist listplaylistinfo listplaylists load lsinfo mediaselection nowplaying playlist \
        playlistfind playlistid playlistinfo playlistlength playlistsearch plchanges search searchadd searchcount \
        searchplaylist stats status
        """
    ) { _ in .limited }
    put("albumart getfingerprint lyrics readcomments readpicture thumbnail") { .named($0.prefix(1).map { .song($0) }) }
    put("add addid rescan update") { .named($0.prefix(1).map { .place($0) }) }
    put("library") { words in
        words.first == "loudness" ? .named(words.dropFirst().prefix(1).map { .song($0) }) : .limited
    }
    put("artwork") { words in
        switch words.first {
        case "song": .named(words.dropFirst().prefix(1).map { .song($0) })
        case "directory": .named(words.dropFirst().prefix(1).map { .place($0) })
        default: .limited
        }
    }
    put("announce") { .named(announcedLocations($0[...]).filter { !$0.isEmpty }.map { .song($0) }) }
    put("alarm") { .named(alarmLocations($0[...]).map { .playable($0) }) }
    put("sticker") { words in
        guard words.count >= 3, words[1] == "song" else { return words.isEmpty ? .limited : .withheld }
        return words[0] == "find" ? .limited : .named([.song(words[2])])
    }
    put("session") { words in
        switch words.first {
        // What happened to sessions is told with the names of announcements, alarms and other programs.
        case "events": .withheld
        default: .limited
        }
    }
    // Stored playlists have no owners, and causes are told with names; grants, schedules and mounts name parts of the
    // library.
    put(
        """
        audit clients config mount pairing playlistadd playlistclear playlistdelete playlistmove rename rm save schedule \
        searchaddpl stickernames stickernamestypes unmount why
        """
    ) { _ in .withheld }
    return needs
}()
