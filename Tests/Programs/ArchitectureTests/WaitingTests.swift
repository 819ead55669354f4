import Foundation
import Testing

/// Where tests sleep and read clocks, and why: each place is one that a busy machine may turn red.
///
/// A new place belongs into the table with its reason, after the rules of CONTRIBUTING.md were tried. What is below
/// `Tests/Tools` waits for servers, plays peers at their pace, or measures, and is not listed.
struct WaitingTests {
    private enum Reason {
        /// Gives up waiting for a condition, which it looks at now and then, after `.patience`.
        case deadline
        /// Expects that something takes at least as long as it should, which a busy machine does not break.
        case atLeast
        /// Has an upper bound many times longer than what is expected, so that only a hang or a wait in vain exceeds it.
        case hang
        /// Expects a latency, in a test with `.timed`, or compares two clocks by what their readings leave open.
        case timed
        /// Reads the clock or sleeps because a clock or a timer is what is tested, or gives times as arguments.
        case subject
        /// Measures processor time.
        case processor
        /// Sleeps, or goes by the clock, to do things at a pace or at random moments; what it expects is not of time.
        case paces
    }

    private struct Use: Equatable {
        /// Lines of code that sleep, and that name a clock.
        let sleeps, clocks: Int
        let reason: Reason

        init(_ sleeps: Int, _ clocks: Int, _ reason: Reason) {
            (self.sleeps, self.clocks, self.reason) = (sleeps, clocks, reason)
        }
    }

    @Test func everySleepAndClockHasAReason() throws {
        let sleep = try Regex(#"(^|[^A-Za-z])(usleep|sleep)\("#)
        let clock = try Regex(#"ContinuousClock|SuspendingClock|HostTime\.now|\bDate\(\)|clock_gettime"#)
        let folder = root.appending(path: "Tests")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path)).compactMap { $0 as? String }
        var known = Set(Self.known.keys)
        for file in files where file.hasSuffix(".swift") && !Self.isLeftOut(file) {
            let lines = try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n")
                .filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            let sleeps = lines.count { $0.contains(sleep) }
            let clocks = lines.count { $0.contains(clock) }
            let use = Self.known[file]
            #expect(
                (use?.sleeps ?? 0, use?.clocks ?? 0) == (sleeps, clocks),
                "\(file) has \(sleeps) lines that sleep and \(clocks) that name a clock"
            )
            known.remove(file)
        }
        #expect(known.isEmpty, "these files are gone")
    }

    private static func isLeftOut(_ file: String) -> Bool {
        file.hasPrefix("Tools/") || file.hasPrefix("Programs/ArchitectureTests/")
    }

    private static let known: [String: Use] = [
        "Basics/AudioTypesTests/TimeBoundsTests.swift": Use(0, 2, .subject),
        "Basics/AudioTypesTests/UnitTests.swift": Use(0, 2, .subject),
        "Basics/FilesTests/ReadinessTests.swift": Use(0, 2, .subject),
        "Basics/ThreadsTests/DoorbellTests.swift": Use(0, 4, .subject),
        "Basics/ThreadsTests/WallClockTimerTests.swift": Use(0, 1, .subject),
        "CommandLine/CommandLineTests/TerminalTests.swift": Use(0, 4, .deadline),
        "CommandLine/TerminalPicturesTests/FilmTests.swift": Use(0, 2, .subject),
        "CommandLine/TerminalPicturesTests/PlayTests.swift": Use(0, 2, .atLeast),
        "Library/LibraryIndexTests/DamageTests.swift": Use(1, 0, .deadline),
        "Library/LibraryIndexTests/LibraryFigures.swift": Use(0, 1, .processor),
        "Library/LibraryScanTests/ScannerFaultTests.swift": Use(1, 0, .deadline),
        "Library/LibraryScanTests/WatcherTests.swift": Use(2, 4, .deadline),
        "Library/MusicDirectoriesTests/SongExaminerTests.swift": Use(0, 2, .atLeast),
        "Library/PlaylistStoreTests/StoredPlaylistTests.swift": Use(0, 1, .subject),
        "Media/DASHTests/SourceTests.swift": Use(0, 4, .deadline),
        "Media/MediaCodingTests/SubtitleTests.swift": Use(0, 1, .subject),
        "Media/HLSTests/Session/LiveTests.swift": Use(1, 0, .paces),
        "Media/HLSTests/Session/SideBySideTests.swift": Use(0, 2, .hang),
        "Media/HTTPTests/ClientTests.swift": Use(0, 1, .subject),
        "Media/HTTPTests/InterruptTests.swift": Use(0, 4, .hang),
        "Media/HTTPTests/SourceTests.swift": Use(0, 5, .hang),
        "Media/HTTPTests/Support/Harness.swift": Use(1, 0, .deadline),
        "Media/MediaExpansionTests/NamedPlaylistTests.swift": Use(1, 0, .deadline),
        "Media/PictureWorkersTests/PictureRequestsTests.swift": Use(0, 2, .subject),
        "Media/PlaylistsTests/Queue/MPDReference.swift": Use(2, 4, .deadline),
        "Player/BroadcastingTests/AttackTests.swift": Use(2, 0, .paces),
        "Player/BroadcastingTests/HTTPStreamTests.swift": Use(0, 4, .hang),
        "Player/MixersTests/DuckTests.swift": Use(1, 4, .timed),
        "Player/MixersTests/FadeTests.swift": Use(0, 1, .timed),
        "Player/MixersTests/OtherOutputTests.swift": Use(0, 2, .timed),
        "Player/MixersTests/VoiceTests.swift": Use(0, 3, .timed),
        "Player/OutputGroupsTests/ClockTests.swift": Use(1, 0, .timed),
        "Player/OutputGroupsTests/FollowerTests.swift": Use(0, 10, .timed),
        "Player/OutputGroupsTests/SoundServerGroupTests.swift": Use(0, 7, .timed),
        "Player/OutputsTests/ALSAOutputTests.swift": Use(0, 9, .timed),
        "Player/OutputsTests/NullOutputTests.swift": Use(9, 4, .subject),
        "Player/OutputsTests/PulseRewritingTests.swift": Use(0, 1, .timed),
        "Player/OutputsTests/SinkOutputTests.swift": Use(4, 0, .deadline),
        "Player/OutputsTests/SoundServerTests.swift": Use(0, 1, .timed),
        "Player/PlaybackTests/ClosingTests.swift": Use(1, 2, .deadline),
        "Player/PlaybackTests/Decoding/DroughtTests.swift": Use(3, 0, .subject),
        "Player/PlaybackTests/Pulse/OutageTests.swift": Use(1, 2, .timed),
        "Player/PlaybackTests/Pulse/PipeWireTests.swift": Use(0, 3, .timed),
        "Player/PlaybackTests/Pulse/PulseSoundTests.swift": Use(0, 1, .timed),
        "Player/PlaybackTests/Pulse/PulseTests.swift": Use(0, 1, .timed),
        "Player/PlaybackTests/Pulse/RewriteTests.swift": Use(2, 2, .deadline),
        "Player/PlaybackTests/Pulse/RouteTests.swift": Use(0, 4, .timed),
        "Player/PlaybackTests/Streaming/RadioTests.swift": Use(0, 2, .atLeast),
        "Player/PlaybackTests/Streaming/StreamQueueTests.swift": Use(0, 6, .hang),
        "Player/PlaybackTests/Streaming/StreamSoundTests.swift": Use(1, 1, .paces),
        "Player/PlaybackTests/Streaming/StreamStressTests.swift": Use(1, 0, .paces),
        "Player/PlaybackTests/Streaming/StreamTests.swift": Use(1, 6, .deadline),
        "Player/ZonesTests/SleepFadeTests.swift": Use(0, 1, .subject),
        "Player/ZonesTests/Stage.swift": Use(0, 2, .deadline),
        "Programs/DaemonTests/AlarmTests.swift": Use(1, 0, .subject),
        "Programs/DaemonTests/BackgroundTests.swift": Use(0, 1, .timed),
        "Programs/DaemonTests/ServiceTests.swift": Use(0, 2, .atLeast),
        "Programs/DaemonTests/Support/Segued.swift": Use(1, 2, .deadline),
        "Programs/DaemonTests/Support/Timers.swift": Use(0, 1, .subject),
        "Programs/DaemonTests/ZeroconfTests.swift": Use(0, 2, .deadline),
        "Programs/PictureProgramTests/PictureStoreTests.swift": Use(0, 3, .timed),
        "Programs/ServerTests/Clients/MpcTests.swift": Use(1, 0, .deadline),
        "Programs/ServerTests/Clients/PythonTests.swift": Use(1, 0, .paces),
        "Programs/ServerTests/Clients/RoughEdgeTests.swift": Use(0, 2, .hang),
        "Programs/ServerTests/Library/LibraryFaultTests.swift": Use(1, 2, .deadline),
        "Programs/ServerTests/Library/LibraryKillTests.swift": Use(1, 0, .paces),
        "Programs/ServerTests/Library/LoudnessTests.swift": Use(3, 0, .paces),
        "Programs/ServerTests/Library/MeasuringTests.swift": Use(0, 2, .deadline),
        "Programs/ServerTests/Library/MovedSongTests.swift": Use(0, 1, .deadline),
        "Programs/ServerTests/Library/StoredSongTests.swift": Use(0, 2, .deadline),
        "Programs/ServerTests/Network/EncryptionTests.swift": Use(1, 0, .paces),
        "Programs/ServerTests/Network/StreamStateTests.swift": Use(1, 2, .deadline),
        "Programs/ServerTests/Robustness/CrowdTests.swift": Use(2, 4, .paces),
        "Programs/ServerTests/Robustness/FullLogTests.swift": Use(0, 1, .hang),
        "Programs/ServerTests/Robustness/Fuzzing/CommandFuzzTests.swift": Use(0, 3, .paces),
        "Programs/ServerTests/Robustness/Fuzzing/JSONFuzzTests.swift": Use(0, 2, .paces),
        "Programs/ServerTests/Robustness/GrantTests.swift": Use(0, 3, .hang),
        "Programs/ServerTests/Robustness/GuestWalkTests.swift": Use(0, 2, .timed),
        "Programs/ServerTests/Robustness/GuestZoneTests.swift": Use(0, 2, .timed),
        "Programs/ServerTests/Robustness/PairingTests.swift": Use(0, 2, .atLeast),
        "Programs/ServerTests/Robustness/PrincipalTests.swift": Use(0, 2, .atLeast),
        "Programs/ServerTests/Robustness/ScheduleRightsTests.swift": Use(0, 2, .timed),
        "Programs/ServerTests/Robustness/StalledMusicTests.swift": Use(1, 2, .hang),
        "Programs/ServerTests/Robustness/StalledStateTests.swift": Use(0, 1, .hang),
        "Programs/ServerTests/Robustness/StoppedSoundServerTests.swift": Use(0, 2, .hang),
        "Programs/ServerTests/Robustness/ThreadLimitTests.swift": Use(2, 2, .deadline),
        "Programs/ServerTests/State/KillTests.swift": Use(0, 4, .paces),
        "Programs/ServerTests/State/StateTests.swift": Use(2, 2, .subject),
        "Programs/ServerTests/State/ZoneFilesTests.swift": Use(2, 0, .paces),
        "Programs/ServerTests/Support/TmuxScreen.swift": Use(0, 4, .deadline),
        "Programs/ServerTests/Web/WebPictureTests.swift": Use(0, 3, .timed),
        "Programs/SessionSoundTests/ALSASoundTests.swift": Use(1, 2, .timed),
        "Programs/SessionSoundTests/AnnouncementSoundTests.swift": Use(0, 2, .timed),
        "Programs/SessionSoundTests/ForeignSoundTests.swift": Use(0, 1, .timed),
        "Programs/SessionSoundTests/InterruptionSoundTests.swift": Use(0, 2, .timed),
        "Programs/SessionSoundTests/Support/Clients.swift": Use(1, 3, .deadline),
        "Programs/SessionSoundTests/Support/ScriptedPlayer.swift": Use(1, 0, .paces),
        "Programs/StreamTests/ControlTests.swift": Use(0, 4, .paces),
        "Programs/StreamTests/DASHLiveTests.swift": Use(0, 1, .timed),
        "Programs/StreamTests/EndlessBodyTests.swift": Use(0, 3, .paces),
        "Programs/StreamTests/LiveTests.swift": Use(0, 1, .timed),
        "Programs/StreamTests/OutageTests.swift": Use(0, 4, .timed),
        "Programs/StreamTests/RadioTests.swift": Use(0, 4, .hang),
        "Programs/StreamTests/SenderTests.swift": Use(1, 2, .hang),
        "Programs/StreamTests/Support/Programs.swift": Use(0, 2, .paces),
        "Programs/StreamTests/Support/StreamPlayer.swift": Use(0, 4, .deadline),
        "Programs/StreamTests/TimeShiftTests.swift": Use(0, 2, .deadline),
        "Programs/TestRunnerTests/TimedTests.swift": Use(0, 4, .subject),
        "Services/ServerBasicsTests/ClientJobsTests.swift": Use(0, 2, .atLeast),
        "Services/StateStoreTests/JournalTests.swift": Use(1, 2, .atLeast),
        "Services/StateStoreTests/PositionFileTests.swift": Use(2, 0, .atLeast),
        "Sessions/SpeechTests/FailureTests.swift": Use(0, 2, .hang),
        "Sessions/SpeechTests/Support.swift": Use(2, 0, .deadline),
        "Wire/ClientVerbsTests/ProgramRunTests.swift": Use(1, 2, .deadline),
    ]
}
