// swift-tools-version: 6.2
import PackageDescription

/// One shared list: every target is held to the same rules from the first commit on.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// What is done to every sample is optimised in debug builds too: a change is to be heard before it is too late for it.
let realTime = strict + [.unsafeFlags(["-O"])]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")

/// Layers, lowest first.
///
/// Arrows point up this list only; `ArchitectureTests` holds the imports to it.
var targets: [Target] = [
    // C libraries.
    .systemLibrary(
        name: "CFFmpeg",
        pkgConfig: "libavformat",
        providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswresample-dev"])]
    ),
    .systemLibrary(name: "CPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
    .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPCRE", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),

    // Values: no I/O, no C.
    .target(name: "AudioTypes", swiftSettings: strict),
    // A song as MPD's clients see it.
    .target(name: "Songs", swiftSettings: strict),
    // Playlist formats, and the queue with its order of play.
    .target(name: "Playlists", dependencies: ["AudioTypes", "Songs"], swiftSettings: strict),
    // Regular expressions, as Perl and MPD have them.
    .target(name: "TextPatterns", dependencies: ["CPCRE"], swiftSettings: strict),
    // Which songs a client asks for.
    .target(name: "SongFilters", dependencies: ["Songs", "TextPatterns"], swiftSettings: strict),
    // Names and values that clients attach to songs and playlists.
    .target(name: "Stickers", dependencies: ["Songs"], swiftSettings: strict),
    // Who may be heard on a sink: AVAudioSession's rules.
    .target(name: "AudioSessions", swiftSettings: strict),
    // What is announced, in which order, and when to be quiet.
    .target(name: "Announcements", swiftSettings: strict),
    // Requests and replies as bytes: no commands, no sockets.
    .target(name: "LineProtocol", swiftSettings: strict),
    .target(name: "Mixing", dependencies: ["AudioTypes"], swiftSettings: realTime),

    // The control plane's thread.
    .target(name: "Scheduling", dependencies: ["Mixing"], swiftSettings: strict),

    // What is kept on the disk.
    .target(name: "StateStore", dependencies: ["AudioTypes", "Mixing"], swiftSettings: strict),

    // The edges: files, media, sound.
    // Bytes over the network, from libcurl; blocks.
    .target(name: "HTTP", dependencies: ["AudioTypes", "CCurl"], swiftSettings: realTime),
    .target(name: "MediaFiles", dependencies: ["AudioTypes", "Songs", "Playlists", "HTTP"], swiftSettings: strict),
    // Media in segments: which to fetch when, as one run of bytes for a demuxer; blocks.
    .target(name: "Segments", dependencies: ["AudioTypes", "Playlists", "HTTP"], swiftSettings: strict),
    // The playlists of HTTP Live Streaming, and the manifests of DASH: where segments are.
    .target(name: "HLS", dependencies: ["AudioTypes", "HTTP", "Segments"], swiftSettings: strict),
    .target(name: "DASH", dependencies: ["AudioTypes", "Playlists", "HTTP", "Segments"], swiftSettings: strict),
    .target(
        name: "FFmpeg",
        dependencies: [
            "AudioTypes", "Playlists", "Mixing", "HTTP", "Segments", "HLS", "DASH", "CFFmpeg", "CSonic",
            .product(name: "DequeModule", package: "swift-collections"),
        ],
        swiftSettings: realTime
    ),
    .target(name: "Outputs", dependencies: ["AudioTypes", "Mixing", "CPulse"], swiftSettings: strict),
    .target(name: "Encoding", dependencies: ["AudioTypes", "Mixing", "FFmpeg", "Outputs"], swiftSettings: strict),

    // Several players before one output.
    .target(name: "Mixers", dependencies: ["AudioTypes", "Mixing", "Outputs"], swiftSettings: realTime),
    // Texts spoken into files by another program; blocks.
    .target(name: "Speech", swiftSettings: strict),

    // Several outputs behind one player.
    .target(
        name: "OutputGroups",
        dependencies: ["AudioTypes", "Mixing", "FFmpeg", "Outputs"],
        swiftSettings: strict
    ),
    // What is in media files, read from their headers, and which files there are.
    .target(
        name: "MediaScan",
        dependencies: ["AudioTypes", "Songs", "Mixing", "Playlists", "MediaFiles", "CLinux"],
        swiftSettings: strict
    ),
    // The media library's index: files, tags and their identities, in SQLite.
    .target(
        name: "MediaLibrary",
        dependencies: [
            "AudioTypes", "Songs", "SongFilters", "TextPatterns", "Playlists", "MediaScan",
            .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
        ],
        swiftSettings: strict
    ),
    // The music directory as MPD's protocol shows it.
    .target(
        name: "MusicFiles",
        dependencies: ["AudioTypes", "Songs", "Playlists", "MediaFiles", "MediaScan", "Mixing", "FFmpeg", "HTTP"],
        swiftSettings: strict
    ),

    // The index of a music directory, what keeps it up to date, and a way to ask it; blocks.
    .target(
        name: "MusicLibrary",
        dependencies: ["AudioTypes", "Mixing", "Songs", "MediaScan", "MediaLibrary", "MusicFiles"],
        swiftSettings: strict
    ),

    // The player.
    .target(
        name: "Playback",
        dependencies: ["AudioTypes", "Playlists", "Mixing", "HTTP", "FFmpeg", "Outputs", "Mixers"],
        swiftSettings: strict
    ),

    // A queue with a player: what the server has one of in each place.
    .target(
        name: "Zones",
        dependencies: ["AudioTypes", "Songs", "Playlists", "Playback"],
        swiftSettings: strict
    ),

    // What people see on a terminal: text made fit for it, columns, colours.
    .target(name: "TerminalText", dependencies: ["AudioTypes"], swiftSettings: strict),
    // The client's side of the line protocol: blocking, one connection.
    .target(name: "RemoteControl", dependencies: ["LineProtocol"], swiftSettings: strict),

    // The command line. `segue` links no media library: it hands playing over to `segue-play` beside it.
    .target(name: "Verbs", dependencies: ["AudioTypes", argumentParser], swiftSettings: strict),
    // The daemon's settings, parsed once.
    .target(
        name: "Configuration",
        dependencies: ["Announcements", "AudioTypes", "Songs", "LineProtocol", "Verbs", argumentParser],
        swiftSettings: strict
    ),
    // What a service manager tells the daemon and is told.
    .target(name: "Systemd", dependencies: ["Configuration"], swiftSettings: strict),
    // What MPD leaves behind, as values, and handed to a server.
    .target(
        name: "MPDImport",
        dependencies: ["LineProtocol", "Configuration", "RemoteControl", "Songs", "CSQLite"],
        swiftSettings: strict
    ),
    // The listening side of the daemon: MPD's line protocol over the zones.
    .target(
        name: "CommandServer",
        dependencies: [
            "AudioTypes", "AudioSessions", "Announcements", "Songs", "SongFilters", "TextPatterns", "Stickers",
            "Playlists", "LineProtocol", "Configuration", "HTTP", "MediaFiles", "FFmpeg", "Mixers", "Mixing",
            "MusicFiles",
            "MediaLibrary", "MediaScan", "MusicLibrary", "OutputGroups", "Playback", "Speech", "StateStore",
            "Zones", .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        ],
        swiftSettings: strict
    ),
    // What playing in the foreground decides and shows: keys, lines, events, remembered positions. No I/O.
    .target(
        name: "Foreground",
        dependencies: ["AudioTypes", "Playback", "TerminalText", "Verbs"],
        swiftSettings: strict
    ),
    // The verbs that control a server.
    .target(
        name: "RemoteVerbs",
        dependencies: [
            "AudioTypes", "LineProtocol", "RemoteControl", "Scheduling", "TerminalText", "Verbs", argumentParser,
        ],
        swiftSettings: strict
    ),
    .executableTarget(name: "segue", dependencies: ["Verbs", "RemoteVerbs", argumentParser], swiftSettings: strict),
    .executableTarget(
        name: "segued",
        dependencies: [
            "AudioTypes", "Verbs", "TerminalText", "RemoteControl", "RemoteVerbs", "Scheduling", "Configuration",
            "Systemd", "StateStore", "MPDImport", "MusicFiles",
            "Outputs", "OutputGroups", "Encoding", "Speech", "CommandServer", argumentParser,
            .product(name: "Logging", package: "swift-log"),
            .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOPosix", package: "swift-nio"),
        ],
        swiftSettings: strict
    ),
    .executableTarget(
        name: "segue-play",
        dependencies: [
            "AudioTypes", "Verbs", "TerminalText", "Foreground", "RemoteControl", "Scheduling", "Mixing", "Mixers",
            "Playlists", "HTTP", "MediaFiles", "FFmpeg", "Outputs", "Encoding", "Playback",
            argumentParser,
        ],
        swiftSettings: strict
    ),

    // Tests and measurements.
    .target(
        name: "TestSupport",
        dependencies: ["AudioTypes", "Mixing", "HTTP", "FFmpeg", "Outputs"],
        path: "Tests/TestSupport",
        // Always optimised: it correlates seconds of sound sample by sample.
        swiftSettings: strict + [.unsafeFlags(["-O"])]
    ),
    .executableTarget(
        name: "segue-bench",
        dependencies: ["AudioTypes", "AudioSessions", "TestSupport"],
        path: "Tests/Benchmarks",
        swiftSettings: strict
    ),
    // What it measures the player's own interface with: linked like `segue-play`, not like a test.
    .executableTarget(
        name: "segue-bench-player",
        dependencies: ["AudioTypes", "Mixing", "Scheduling", "Outputs", "Mixers", "Playback"],
        path: "Tests/BenchmarkPlayer",
        swiftSettings: strict
    ),
    // What `StateStoreTests` starts and kills.
    .executableTarget(
        name: "state-writer",
        dependencies: ["StateStore"],
        path: "Tests/StateWriter",
        swiftSettings: strict
    ),
    .testTarget(
        name: "StateStoreTests",
        dependencies: ["StateStore", "TestSupport", "state-writer"],
        swiftSettings: strict
    ),
    .testTarget(name: "AudioTypesTests", dependencies: ["AudioTypes"], swiftSettings: strict),
    .testTarget(
        name: "PlaylistsTests",
        dependencies: ["AudioTypes", "Songs", "Playlists", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "MediaFilesTests",
        dependencies: ["AudioTypes", "Mixing", "Playlists", "MediaFiles"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "MediaScanTests",
        dependencies: ["AudioTypes", "Mixing", "Songs", "MediaScan", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "MusicFilesTests",
        dependencies: [
            "AudioTypes", "Mixing", "Songs", "SongFilters", "FFmpeg", "MediaScan", "MusicFiles", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "MediaLibraryTests",
        dependencies: ["CSQLite", "AudioTypes", "Songs", "SongFilters", "MediaScan", "MediaLibrary"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "SongFiltersTests",
        dependencies: ["Songs", "SongFilters", "TextPatterns"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "LineProtocolTests",
        dependencies: ["LineProtocol", "RemoteControl", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(name: "SongsTests", dependencies: ["Songs"], swiftSettings: strict),
    .testTarget(
        name: "ZonesTests",
        dependencies: ["AudioTypes", "Songs", "Playlists", "Mixing", "Outputs", "Playback", "Zones", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(name: "ServerTests", dependencies: ["TestSupport"], swiftSettings: strict),
    .testTarget(name: "StreamTests", dependencies: ["AudioTypes", "TestSupport"], swiftSettings: strict),
    .testTarget(name: "SessionSoundTests", dependencies: ["AudioTypes", "TestSupport"], swiftSettings: strict),
    .testTarget(
        name: "CommandServerTests",
        dependencies: ["LineProtocol", "CommandServer", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(name: "AudioSessionsTests", dependencies: ["AudioSessions"], swiftSettings: strict),
    .testTarget(name: "StickersTests", dependencies: ["Stickers"], swiftSettings: strict),
    .testTarget(name: "SpeechTests", dependencies: ["Speech"], swiftSettings: strict),
    .testTarget(name: "AnnouncementsTests", dependencies: ["Announcements"], swiftSettings: strict),
    // The control loops take a process over, so the test of them is one of its own.
    .executableTarget(
        name: "control-loop-program",
        dependencies: ["Scheduling"],
        path: "Tests/ControlLoopProgram",
        swiftSettings: strict
    ),
    .testTarget(
        name: "SchedulingTests",
        dependencies: ["TestSupport", "control-loop-program"],
        swiftSettings: strict
    ),
    .testTarget(name: "MixingTests", dependencies: ["AudioTypes", "Mixing"], swiftSettings: strict),
    .testTarget(name: "HTTPTests", dependencies: ["AudioTypes", "HTTP", "TestSupport"], swiftSettings: strict),
    .testTarget(
        name: "HLSTests",
        dependencies: ["AudioTypes", "Playlists", "HTTP", "Segments", "HLS", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "DASHTests",
        dependencies: ["AudioTypes", "Playlists", "HTTP", "Segments", "DASH", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "FFmpegTests",
        dependencies: ["AudioTypes", "Mixing", "HTTP", "FFmpeg", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "OutputsTests",
        dependencies: ["AudioTypes", "Mixing", "Outputs", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "EncodingTests",
        dependencies: ["AudioTypes", "HTTP", "FFmpeg", "Outputs", "Encoding", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "MixersTests",
        dependencies: [
            "AudioTypes", "Mixing", "Outputs", "Encoding", "OutputGroups", "Mixers", "Playback", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "OutputGroupsTests",
        dependencies: [
            "AudioTypes", "Mixing", "FFmpeg", "Outputs", "Encoding", "OutputGroups", "Playback", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "PlaybackTests",
        dependencies: [
            "AudioTypes", "Playlists", "Mixing", "FFmpeg", "Outputs", "Encoding", "Playback", "TestSupport",
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "CommandLineTests",
        dependencies: [
            "AudioTypes", "Playback", "Verbs", "TerminalText", "Foreground", "RemoteControl", "RemoteVerbs",
            "TestSupport",
            argumentParser,
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "ConfigurationTests",
        dependencies: [
            "Announcements", "AudioTypes", "Songs", "LineProtocol", "Verbs", "Configuration", argumentParser,
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "RemoteControlTests",
        dependencies: [
            "LineProtocol", "RemoteControl", "RemoteVerbs", "TerminalText", "Verbs", "TestSupport", argumentParser,
        ],
        swiftSettings: strict
    ),
    .testTarget(
        name: "MPDImportTests",
        dependencies: ["Configuration", "MPDImport", "TestSupport", argumentParser],
        swiftSettings: strict
    ),
    .testTarget(
        name: "DaemonTests",
        dependencies: ["RemoteControl", "TestSupport"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "SystemdTests",
        dependencies: ["Configuration", "LineProtocol", "Systemd"],
        swiftSettings: strict
    ),
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
]

// libFuzzer brings its own `main`, so its targets exist only when asked for (`make soak`).
if Context.environment["SEGUE_FUZZ"] != nil {
    // The fuzzer finds its way by the branches it sees taken, so what is fuzzed is instrumented too.
    let instrumented: Set = [
        "AudioTypes", "Songs", "Playlists", "LineProtocol", "Segments", "HLS", "DASH", "MediaScan",
    ]
    for target in targets where instrumented.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer,address"]))
    }
    for (name, dependencies) in [
        ("Playlists", ["AudioTypes", "Playlists"]), ("Requests", ["LineProtocol", "RemoteControl"]),
        ("HLS", ["Segments", "HLS"]),
        ("DASH", ["AudioTypes", "Segments", "DASH"]),
        ("Headers", ["AudioTypes", "Songs", "MediaScan"]),
    ] {
        targets.append(
            .executableTarget(
                name: "fuzz-\(name.lowercased())",
                dependencies: dependencies.map { .target(name: $0) },
                path: "Tests/Fuzzers/\(name)",
                swiftSettings: strict + [.unsafeFlags(["-parse-as-library", "-sanitize=fuzzer,address"])],
                linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]
            )
        )
    }
}

let package = Package(
    name: "segue",
    products: [
        .executable(name: "segue", targets: ["segue"]),
        .executable(name: "segue-play", targets: ["segue-play"]),
        .executable(name: "segued", targets: ["segued"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
