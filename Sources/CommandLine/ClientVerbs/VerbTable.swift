package import ArgumentParser
internal import ValueText

/// The verbs that control a server.
package enum VerbTable {
    /// In the order of `segue --help`.
    package static var groups: [CommandGroup] {
        [
            CommandGroup(
                name: "Playing",
                subcommands: [
                    StatusVerb.self, CurrentVerb.self, QueuedVerb.self, JumpVerb.self, PauseVerb.self,
                    PauseIfPlayingVerb.self, ToggleVerb.self, StopVerb.self, NextVerb.self, PreviousVerb.self,
                    DiscPreviousVerb.self, SeekVerb.self, VolumeVerb.self, SpeedVerb.self, ClearErrorVerb.self,
                    WatchVerb.self, AudioVerb.self, LyricsVerb.self, BufferVerb.self,
                ]
            ),
            CommandGroup(
                name: "Queue",
                subcommands: [
                    QueueVerb.self, AddVerb.self, InsertVerb.self, ClearVerb.self, DeleteVerb.self, CropVerb.self,
                    MoveVerb.self, ShuffleVerb.self, PriorityVerb.self, SearchPlayVerb.self,
                ]
            ),
            CommandGroup(
                name: "How it plays",
                subcommands: [
                    RepeatVerb.self, RandomVerb.self, SingleVerb.self, ConsumeVerb.self, CrossfadeVerb.self,
                    MixRampDecibelsVerb.self, MixRampDelayVerb.self, ReplayGainVerb.self,
                ]
            ),
            CommandGroup(
                name: "Library and playlists",
                subcommands: [
                    PlaylistVerb.self, ListFolderVerb.self, ListAllVerb.self, FindVerb.self, SearchVerb.self,
                    FindAddVerb.self, SearchAddVerb.self, ListTagVerb.self, CountVerb.self, StatisticsVerb.self,
                    StickerVerb.self, AlbumArtVerb.self, ReadPictureVerb.self, ArtworkVerb.self, ShowVerb.self,
                    UpdateVerb.self, RescanVerb.self, LibraryVerb.self, PickVerb.self,
                ]
            ),
            CommandGroup(
                name: "Outputs and zones",
                subcommands: [
                    OutputsVerb.self, EnableVerb.self, DisableVerb.self, ToggleOutputVerb.self, OutputSetVerb.self,
                    MoveOutputVerb.self, RouteVerb.self, ZoneVerb.self,
                ]
            ),
            CommandGroup(
                name: "Announcements and audio sessions",
                subcommands: [
                    AnnounceVerb.self, AnnouncementVerb.self, InterruptVerb.self, ExecVerb.self, SilenceVerb.self,
                    WhyVerb.self, NowPlayingVerb.self, SessionVerb.self,
                ]
            ),
            CommandGroup(
                name: "Timers",
                subcommands: [SleepVerb.self, AlarmVerb.self, ScheduleVerb.self]
            ),
            CommandGroup(
                name: "Server",
                subcommands: [
                    DoctorVerb.self, VersionVerb.self, IdleVerb.self, IdleLoopVerb.self, ChannelsVerb.self,
                    SubscribeVerb.self, WaitMessageVerb.self, SendMessageVerb.self, RawVerb.self, JSONVerb.self,
                    ClientsVerb.self,
                    ProxyVerb.self, PairVerb.self,
                ]
            ),
        ]
    }

    /// The names and aliases of all of them, and mpc's spellings.
    package static var names: Set<String> {
        let verbs = groups.flatMap { $0.subcommands.map { $0.configuration } }
        return Set(verbs.compactMap(\.commandName) + verbs.flatMap(\.aliases)).union(CommandWords.spellings.keys)
    }

    /// The verb of a name or alias.
    package static func verb(_ name: String) -> (any ParsableCommand.Type)? {
        for group in groups {
            for verb in group.subcommands
            where verb.configuration.commandName == name || verb.configuration.aliases.contains(name) {
                return verb
            }
        }
        return nil
    }

    /// The error message for an unknown verb.
    package static func problem(withUnknown word: String) -> String {
        if word.contains("/") || word.contains(".") { return "to play a file: segue play '\(word)'" }
        let near = NearestWord.find(
            word,
            in: names.union(["play", "probe", "devices", "import-mpd", "setup", "config", "help", "playlist"])
        )
        return "there is no verb '\(word)'"
            + ((near.isEmpty
                ? "; segue --help lists them" : "; did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?"))
    }

    /// Runs the server's `play`, and ends the process if that fails.
    ///
    /// - Parameter words: The words after `play`.
    package static func play(_ words: [String]) { PlayVerb.main(words) }
}
