import DBus
import MPRIS
import Testing

/// The interfaces, member by member, as the MPRIS D-Bus Interface Specification 2.2 has them.
struct InterfaceTests {
    private static let published: [(BusInterface, [String])] = [
        (
            MediaPlayerInterfaces.root,
            [
                "Raise()", "Quit()", "CanQuit b", "Fullscreen b rw", "CanSetFullscreen b", "CanRaise b",
                "HasTrackList b", "Identity s", "DesktopEntry s", "SupportedUriSchemes as", "SupportedMimeTypes as",
            ]
        ),
        (
            MediaPlayerInterfaces.player,
            [
                "Next()", "Previous()", "Pause()", "PlayPause()", "Stop()", "Play()", "Seek(x Offset)",
                "SetPosition(o TrackId, x Position)", "OpenUri(s Uri)", "signal Seeked(x Position)",
                "PlaybackStatus s", "LoopStatus s rw", "Rate d rw", "Shuffle b rw", "Metadata a{sv}", "Volume d rw",
                "Position x false", "MinimumRate d", "MaximumRate d", "CanGoNext b", "CanGoPrevious b", "CanPlay b",
                "CanPause b", "CanSeek b", "CanControl b false",
            ]
        ),
        (
            MediaPlayerInterfaces.trackList,
            [
                "GetTracksMetadata(ao TrackIds) aa{sv} Metadata",
                "AddTrack(s Uri, o AfterTrack, b SetAsCurrent)", "RemoveTrack(o TrackId)", "GoTo(o TrackId)",
                "signal TrackListReplaced(ao Tracks, o CurrentTrack)",
                "signal TrackAdded(a{sv} Metadata, o AfterTrack)", "signal TrackRemoved(o TrackId)",
                "signal TrackMetadataChanged(o TrackId, a{sv} Metadata)", "Tracks ao invalidates", "CanEditTracks b",
            ]
        ),
        (
            MediaPlayerInterfaces.playlists,
            [
                "ActivatePlaylist(o PlaylistId)",
                "GetPlaylists(u Index, u MaxCount, s Order, b ReverseOrder) a(oss) Playlists",
                "signal PlaylistChanged((oss) Playlist)", "PlaylistCount u", "Orderings as",
                "ActivePlaylist (b(oss))",
            ]
        ),
    ]

    @Test func membersAreThePublishedOnes() {
        for (interface, members) in Self.published { #expect(Self.members(of: interface) == members) }
    }

    private static func members(of interface: BusInterface) -> [String] {
        let methods = interface.methods.map { method in
            let result = method.outputs.map { " \($0.signature) \($0.name)" }.joined()
            return "\(method.name)(\(list(method.inputs)))\(result)"
        }
        let signals = interface.signals.map { "signal \($0.name)(\(list($0.arguments)))" }
        let properties = interface.properties.map { property in
            let emission = property.emits == .value ? "" : " " + property.emits.rawValue
            return "\(property.name) \(property.signature)\(property.isWritable ? " rw" : "")\(emission)"
        }
        return methods + signals + properties
    }

    private static func list(_ arguments: [BusInterface.Argument]) -> String {
        arguments.map { "\($0.signature) \($0.name)" }.joined(separator: ", ")
    }

    @Test func namesAreValid() {
        #expect(MediaPlayerName.daemon(process: 7)[0] == "org.mpris.MediaPlayer2.segue")
        #expect(
            MediaPlayerName.zone("living-room_2", process: 7)[0] == "org.mpris.MediaPlayer2.segue.zone_living-room_2"
        )
        #expect(MediaPlayerName.zone("Küche 1", process: 7)[0] == "org.mpris.MediaPlayer2.segue.zone_K_c3_bcche_201")
        #expect(MediaPlayerName.instance(process: 7) == ["org.mpris.MediaPlayer2.segue.instance7"])
    }

    @Test(arguments: [("/a b/ü#?.flac", "file:///a%20b/%C3%BC%23%3F.flac"), ("/a-b_c.~", "file:///a-b_c.~")])
    func filesAsURLs(path: String, url: String) {
        #expect(fileURL(path) == url)
        #expect(filePath(url) == path)
        #expect(filePath(url.replacing("file://", with: "file://localhost")) == path)
    }

    @Test(arguments: [
        "file:", "file://host/a", "file:///%0", "file:///%zz", "file:///%00", "file:///%ff", "file:///%+5",
    ])
    func urlsThatAreNoFiles(url: String) { #expect(filePath(url) == nil) }
}
