package import DBus

/// MPRIS's interfaces (D-Bus Interface Specification 2.2), member by member.
package enum MediaPlayerInterfaces {
    package static let path = ObjectPath(known: "/org/mpris/MediaPlayer2")

    package static let root = BusInterface(
        "org.mpris.MediaPlayer2",
        methods: [.init("Raise"), .init("Quit")],
        properties: [
            .init("CanQuit", "b"), .init("Fullscreen", "b", writable: true), .init("CanSetFullscreen", "b"),
            .init("CanRaise", "b"), .init("HasTrackList", "b"), .init("Identity", "s"), .init("DesktopEntry", "s"),
            .init("SupportedUriSchemes", "as"), .init("SupportedMimeTypes", "as"),
        ]
    )

    package static let player = BusInterface(
        "org.mpris.MediaPlayer2.Player",
        methods: [
            .init("Next"), .init("Previous"), .init("Pause"), .init("PlayPause"), .init("Stop"), .init("Play"),
            .init("Seek", [.init("Offset", "x")]),
            .init("SetPosition", [.init("TrackId", "o"), .init("Position", "x")]),
            .init("OpenUri", [.init("Uri", "s")]),
        ],
        signals: [.init("Seeked", [.init("Position", "x")])],
        properties: [
            .init("PlaybackStatus", "s"), .init("LoopStatus", "s", writable: true), .init("Rate", "d", writable: true),
            .init("Shuffle", "b", writable: true), .init("Metadata", "a{sv}"), .init("Volume", "d", writable: true),
            .init("Position", "x", emits: .nothing), .init("MinimumRate", "d"), .init("MaximumRate", "d"),
            .init("CanGoNext", "b"), .init("CanGoPrevious", "b"), .init("CanPlay", "b"), .init("CanPause", "b"),
            .init("CanSeek", "b"), .init("CanControl", "b", emits: .nothing),
        ]
    )

    package static let trackList = BusInterface(
        "org.mpris.MediaPlayer2.TrackList",
        methods: [
            .init("GetTracksMetadata", [.init("TrackIds", "ao")], returns: [.init("Metadata", "aa{sv}")]),
            .init("AddTrack", [.init("Uri", "s"), .init("AfterTrack", "o"), .init("SetAsCurrent", "b")]),
            .init("RemoveTrack", [.init("TrackId", "o")]), .init("GoTo", [.init("TrackId", "o")]),
        ],
        signals: [
            .init("TrackListReplaced", [.init("Tracks", "ao"), .init("CurrentTrack", "o")]),
            .init("TrackAdded", [.init("Metadata", "a{sv}"), .init("AfterTrack", "o")]),
            .init("TrackRemoved", [.init("TrackId", "o")]),
            .init("TrackMetadataChanged", [.init("TrackId", "o"), .init("Metadata", "a{sv}")]),
        ],
        properties: [.init("Tracks", "ao", emits: .invalidates), .init("CanEditTracks", "b")]
    )

    package static let playlists = BusInterface(
        "org.mpris.MediaPlayer2.Playlists",
        methods: [
            .init("ActivatePlaylist", [.init("PlaylistId", "o")]),
            .init(
                "GetPlaylists",
                [.init("Index", "u"), .init("MaxCount", "u"), .init("Order", "s"), .init("ReverseOrder", "b")],
                returns: [.init("Playlists", "a(oss)")]
            ),
        ],
        signals: [.init("PlaylistChanged", [.init("Playlist", "(oss)")])],
        properties: [
            .init("PlaylistCount", "u"), .init("Orderings", "as"), .init("ActivePlaylist", "(b(oss))"),
        ]
    )
}
