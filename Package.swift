// swift-tools-version: 6.3
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

/// What is done to every sample is optimised in debug builds too, so that a change is heard in time.
let realTime = strict + [.unsafeFlags(["-O"])]

/// Every target on the floors imports `Numbers` without saying so, so that none escapes its ban on conversions that trap.
let importsNumbers: [SwiftSetting] = [.unsafeFlags(["-Xfrontend", "-import-module", "-Xfrontend", "Numbers"])]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nio: [Target.Dependency] = [nioCore, .product(name: "NIOPosix", package: "swift-nio")]
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioSSL: [Target.Dependency] = [
    .product(name: "NIOSSL", package: "swift-nio-ssl"), .product(name: "NIOTLS", package: "swift-nio"),
]
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")

/// Targets by floor: those of `Basics` lie in `Sources/Basics` and `Tests/Basics`.
///
/// Floors are layers, and so are targets: each imports only what stands above it here. `ArchitectureTests` holds the sources
/// to that, each floor's README.md to its targets, and ARCHITECTURE.md to the order of the floors.
var targets: [Target] = []

/// Adds a floor's library and program targets.
@MainActor
func floor(_ name: String, _ members: Target...) {
    for member in members {
        member.path = "Sources/\(name)/\(member.name)"
        if name == "C" { continue }
        if [.regular, .executable].contains(member.type), member.name != "Numbers" {
            member.dependencies.append("Numbers")
            member.swiftSettings = (member.swiftSettings ?? strict) + importsNumbers
        } else {
            member.swiftSettings = strict
        }
    }
    targets += members
}

/// Adds the tests of a floor's targets.
@MainActor
func tests(_ floor: String, _ members: (name: String, dependencies: [Target.Dependency])...) {
    targets += members.map { name, dependencies in
        .testTarget(name: name, dependencies: dependencies, path: "Tests/\(floor)/\(name)", swiftSettings: strict)
    }
}

floor(
    "C",
    .systemLibrary(
        name: "CFFmpeg",
        pkgConfig: "libavformat",
        providers: [.apt(["libavformat-dev", "libavcodec-dev", "libavutil-dev", "libswresample-dev"])]
    ),
    .systemLibrary(name: "CPulse", pkgConfig: "libpulse", providers: [.apt(["libpulse-dev"])]),
    .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CSonic", providers: [.apt(["libsonic-dev"])]),
    .systemLibrary(name: "CEBUR128", pkgConfig: "libebur128", providers: [.apt(["libebur128-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-gnutls-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CPCRE", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSwScale", pkgConfig: "libswscale", providers: [.apt(["libswscale-dev"])]),
    .systemLibrary(name: "CWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
    .systemLibrary(name: "CHEIF", pkgConfig: "libheif", providers: [.apt(["libheif-dev"])]),
    .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(name: "CSeccomp", pkgConfig: "libseccomp", providers: [.apt(["libseccomp-dev"])]),
    .systemLibrary(name: "CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
    .systemLibrary(name: "CGnuTLS", pkgConfig: "gnutls", providers: [.apt(["libgnutls28-dev"])]),
    .systemLibrary(name: "CChafa", pkgConfig: "chafa", providers: [.apt(["libchafa-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(name: "CPictures"),
    .target(name: "CICUData")
)

floor(
    "Basics",
    .target(name: "Numbers"),
    .target(name: "Caching"),
    .target(name: "TextEncodings", swiftSettings: realTime),
    .target(name: "CivilTime", dependencies: ["TextEncodings"]),
    .target(name: "Charsets", dependencies: ["CLinux"]),
    .target(name: "AudioTypes", dependencies: ["TextEncodings", "Charsets"]),
    .target(name: "ValueText", dependencies: ["TextEncodings", "CivilTime", "AudioTypes"]),
    .target(name: "Songs", dependencies: ["TextEncodings", "CivilTime", "AudioTypes"]),
    .target(name: "Cryptography", dependencies: ["TextEncodings", "CGnuTLS"]),
    .target(name: "TextPatterns", dependencies: ["CPCRE"]),
    .target(name: "ChildPrograms", dependencies: ["CLinux"]),
    .target(name: "Mixing", dependencies: ["AudioTypes"], swiftSettings: realTime),
    .target(name: "Threads", dependencies: ["AudioTypes", "CLinux"]),
    .target(name: "Files", dependencies: ["AudioTypes", "CLinux"])
)
tests(
    "Basics",
    ("NumbersTests", ["Numbers"]),
    ("CachingTests", ["Caching"]),
    ("TextEncodingsTests", ["TestSupport", "TestThreads", "TextEncodings"]),
    ("CivilTimeTests", ["CivilTime"]),
    ("ChildProgramsTests", ["ChildPrograms"]),
    ("AudioTypesTests", ["AudioTypes"]),
    ("CharsetsTests", ["Charsets"]),
    ("CryptographyTests", ["Cryptography"]),
    ("SongsTests", ["Songs"]),
    ("MixingTests", ["AudioTypes", "Threads", "Mixing"]),
    ("ThreadsTests", ["Threads", "TestSupport", "control-loop-program"]),
    ("FilesTests", ["AudioTypes", "Files", "TestSupport"])
)

floor(
    "Wire",
    .target(name: "LineProtocol"),
    .target(name: "Records", dependencies: ["TextEncodings"]),
    .target(name: "JSONRPC", dependencies: ["TextEncodings"]),
    .target(name: "Sockets", dependencies: [nio[0]]),
    .target(name: "ProtocolClient", dependencies: ["TextEncodings", "Files", "LineProtocol"]),
    .target(name: "DBus", dependencies: ["Files", "TextEncodings", "AudioTypes", "Threads", "CSystemd"]),
    .target(name: "MPRIS", dependencies: ["TextEncodings", "AudioTypes", "DBus"]),
    .target(name: "Logind", dependencies: ["DBus"]),
    .target(name: "DesktopNotifications", dependencies: ["DBus"]),
    .target(name: "Zeroconf", dependencies: ["AudioTypes", "DBus"])
)
tests(
    "Wire",
    ("DBusTests", ["AudioTypes", "DBus", "TestSupport", "TestThreads"]),
    ("MPRISTests", ["AudioTypes", "DBus", "MPRIS"]),
    ("DesktopNotificationsTests", ["DBus", "DesktopNotifications", "TestSupport", "TestThreads"]),
    ("ZeroconfTests", ["AudioTypes", "DBus", "Zeroconf"]),
    ("LineProtocolTests", ["LineProtocol", "ProtocolClient", "TestSupport"]),
    ("RecordsTests", ["Records", "TextEncodings"]),
    ("JSONRPCTests", ["JSONRPC", "TextEncodings"]),
    (
        "ClientVerbsTests",
        [
            "LineProtocol", "ProtocolClient", "ClientVerbs", "TerminalText", "ValueText", "CommandOptions",
            "TestSupport",
            "TestThreads", argumentParser, "TestTiming",
        ]
    )
)

floor(
    "Media",
    .target(name: "Playlists", dependencies: ["TextEncodings", "AudioTypes", "Charsets", "Songs"]),
    .target(name: "TimedText", dependencies: ["AudioTypes", "Charsets", "Playlists"]),
    .target(
        name: "HTTP",
        dependencies: ["CivilTime", "AudioTypes", "Charsets", "Files", "Threads", "CCurl"],
        swiftSettings: realTime
    ),
    .target(
        name: "MediaExpansion",
        dependencies: ["AudioTypes", "Charsets", "Files", "Threads", "Songs", "Playlists", "HTTP"]
    ),
    .target(name: "Segments", dependencies: ["CivilTime", "AudioTypes", "Playlists", "HTTP"]),
    .target(name: "HLS", dependencies: ["TextEncodings", "AudioTypes", "HTTP", "Segments"]),
    .target(name: "DASH", dependencies: ["TextEncodings", "CivilTime", "AudioTypes", "Playlists", "HTTP", "Segments"]),
    .target(name: "PictureValues", dependencies: ["CivilTime", "TextEncodings"], swiftSettings: realTime),
    .target(
        name: "MediaHeaders",
        dependencies: [
            "AudioTypes", "CZlib", "Charsets", "PictureValues", "Playlists", "Songs", "TextEncodings", "TimedText",
        ]
    ),
    .target(name: "FFmpegValues", dependencies: ["CFFmpeg"], swiftSettings: realTime),
    .target(
        name: "PictureDecoding",
        dependencies: [
            "Files", "MediaHeaders", "FFmpegValues", "PictureValues", "CLinux", "CFFmpeg", "CPictures", "CSwScale",
            "CWebP",
            "CHEIF", "CLCMS", "CChafa", "CZlib",
        ],
        swiftSettings: realTime
    ),
    .target(
        name: "PictureWorkers",
        dependencies: [
            "Caching", "AudioTypes", "TextEncodings", "CLinux", "ChildPrograms", "Threads", "Files", "PictureValues",
        ]
    ),
    .target(
        name: "MediaCoding",
        dependencies: [
            "TextEncodings", "CivilTime", "AudioTypes", "Charsets", "Threads", "Files", "Playlists", "HTTP", "Segments",
            "HLS", "DASH",
            "MediaHeaders", "FFmpegValues",
            "PictureValues", "CFFmpeg", "CSonic", "TimedText", deque,
        ],
        swiftSettings: realTime
    ),
    .target(
        name: "LoudnessMeasuring",
        dependencies: ["AudioTypes", "Threads", "MediaCoding", "CEBUR128"],
        swiftSettings: realTime
    )
)
tests(
    "Media",
    ("PlaylistsTests", ["AudioTypes", "Charsets", "Songs", "Playlists", "TestSupport"]),
    ("TimedTextTests", ["AudioTypes", "Charsets", "TimedText"]),
    ("HTTPTests", ["AudioTypes", "Charsets", "Threads", "HTTP", "TestSupport", "TestThreads", "TestTiming"]),
    ("MediaExpansionTests", ["AudioTypes", "Threads", "Playlists", "MediaExpansion"]),
    (
        "HLSTests",
        ["AudioTypes", "Threads", "Playlists", "HTTP", "Segments", "HLS", "TestSupport", "TestThreads", "TestTiming"]
    ),
    (
        "DASHTests",
        ["AudioTypes", "Threads", "Playlists", "HTTP", "Segments", "DASH", "TestSupport", "TestThreads", "TestTiming"]
    ),
    (
        "MediaHeadersTests",
        [
            "AudioTypes", "Charsets", "Songs", "TextEncodings", "TimedText", "MediaHeaders", "PictureValues",
            "TestSupport",
            "TestTiming",
        ]
    ),
    (
        "MediaCodingTests",
        [
            "AudioTypes", "Threads", "HTTP", "FFmpegValues", "MediaCoding", "MediaHeaders", "TestSupport",
            "media-fuzzer",
            "TimedText",
        ]
    ),
    ("LoudnessMeasuringTests", ["AudioTypes", "Threads", "LoudnessMeasuring", "TestSupport", "TestThreads"]),
    ("PictureValuesTests", ["PictureValues"]),
    ("PictureWorkersTests", ["PictureValues", "PictureWorkers", "TestTiming"]),
    (
        "PictureDecodingTests",
        ["Files", "PictureValues", "PictureDecoding", "PictureWorkers", "TestSupport", "TestThreads", "media-fuzzer"]
    ),
)

floor(
    "Player",
    .target(name: "Outputs", dependencies: ["AudioTypes", "Threads", "Files", "Mixing", "CPulse", "CALSA"]),
    .target(
        name: "Encoding",
        dependencies: ["AudioTypes", "FFmpegValues", "MediaCoding", "LoudnessMeasuring", "Outputs"]
    ),
    .target(
        name: "Broadcasting",
        dependencies: [
            "TextEncodings", "CivilTime", "AudioTypes", "Threads", "Files", "Sockets", "Mixing", "PictureValues",
            "MediaCoding",
            "Outputs", deque,
        ] + nio
    ),
    .target(name: "OutputGroups", dependencies: ["AudioTypes", "Threads", "Mixing", "MediaCoding", "Outputs"]),
    .target(name: "Mixers", dependencies: ["AudioTypes", "Threads", "Mixing", "Outputs"], swiftSettings: realTime),
    .target(
        name: "Playback",
        dependencies: [
            "TextEncodings", "CivilTime", "AudioTypes", "Threads", "Mixing", "HTTP", "FFmpegValues", "MediaCoding",
            "Outputs",
            "Mixers",
        ]
    ),
    .target(name: "Zones", dependencies: ["AudioTypes", "Songs", "Playlists", "Playback"])
)
tests(
    "Player",
    ("OutputsTests", ["AudioTypes", "Mixing", "Numbers", "Outputs", "TestSupport", "TestTiming"]),
    ("EncodingTests", ["AudioTypes", "Threads", "HTTP", "MediaCoding", "Outputs", "Encoding", "TestSupport"]),
    (
        "BroadcastingTests",
        [
            "AudioTypes", "HTTP", "Outputs", "OutputGroups", "Playback", "Broadcasting", "TestSupport", "TestThreads",
            "TestTiming", "TextEncodings",
        ]
            + nio
    ),
    (
        "OutputGroupsTests",
        [
            "AudioTypes", "MediaCoding", "Mixing", "Outputs", "Encoding", "OutputGroups", "Playback", "TestSupport",
            "TestThreads", "Threads", "TestTiming",
        ]
    ),
    (
        "MixersTests",
        [
            "AudioTypes", "Mixing", "Outputs", "Encoding", "OutputGroups", "Mixers", "Playback", "TestSupport",
            "TestTiming",
        ]
    ),
    (
        "PlaybackTests",
        [
            "AudioTypes", "Playlists", "Mixing", "MediaCoding", "Outputs", "Encoding", "Mixers", "Playback",
            "TestSupport", "TestThreads", "TestTiming", "Threads",
        ]
    ),
    ("ZonesTests", ["AudioTypes", "Songs", "Playlists", "Mixing", "Outputs", "Playback", "Zones", "TestSupport"])
)

floor(
    "Library",
    .target(name: "SongFilters", dependencies: ["CivilTime", "Songs", "TextPatterns"]),
    .target(name: "Stickers", dependencies: ["Songs"]),
    .target(
        name: "LibraryScan",
        dependencies: [
            "TextEncodings", "AudioTypes", "Charsets", "Files", "Threads", "Songs", "MediaExpansion", "MediaHeaders",
            "PictureValues",
            "CLinux",
        ]
    ),
    .target(
        name: "LibraryIndex",
        dependencies: [
            "TextEncodings", "CivilTime", "AudioTypes", "Charsets", "Cryptography", "Files", "Songs", "SongFilters",
            "TextPatterns", "Playlists", "MediaHeaders", "PictureValues", "LibraryScan",
            grdb,
            grdbSQLite,
        ]
    ),
    .target(
        name: "MusicDirectories",
        dependencies: [
            "Caching", "TextEncodings", "CivilTime", "AudioTypes", "Charsets", "Files", "Threads", "Songs", "Playlists",
            "TimedText", "HTTP", "MediaExpansion",
            "MediaHeaders", "FFmpegValues", "MediaCoding", "PictureValues",
            "LibraryScan",
        ]
    ),
    .target(name: "PlaylistStore", dependencies: ["AudioTypes", "Files", "Songs", "Playlists", "MusicDirectories"]),
    .target(
        name: "LibraryService",
        dependencies: [
            "AudioTypes", "Files", "Threads", "Songs", "MediaHeaders", "LoudnessMeasuring", "LibraryScan",
            "LibraryIndex",
            "MusicDirectories",
        ]
    )
)
tests(
    "Library",
    ("SongFiltersTests", ["Songs", "SongFilters", "TextPatterns", "TestTiming"]),
    ("StickersTests", ["Stickers", "TestTiming"]),
    ("LibraryScanTests", ["AudioTypes", "Charsets", "Threads", "Songs", "MediaHeaders", "LibraryScan", "TestSupport"]),
    (
        "LibraryIndexTests",
        [
            "Threads", "CSQLite", "AudioTypes", "Charsets", "Songs", "SongFilters", "MediaHeaders", "PictureValues",
            "LibraryScan",
            "LibraryIndex",
            grdb,
        ]
    ),
    (
        "MusicDirectoriesTests",
        [
            "AudioTypes", "Threads", "Songs", "SongFilters", "MediaCoding", "MediaHeaders", "LibraryScan",
            "MusicDirectories", "PictureValues", "TestSupport",
        ]
    ),
    ("PlaylistStoreTests", ["AudioTypes", "Threads", "Songs", "MusicDirectories", "PlaylistStore", "TestSupport"])
)

floor(
    "Sessions",
    .target(name: "AudioSessions"),
    .target(name: "Announcements", dependencies: ["TextEncodings", "ValueText"]),
    .target(name: "Alarms", dependencies: ["CivilTime", "AudioTypes", "ValueText"]),
    .target(name: "NowPlaying"),
    .target(name: "Speech", dependencies: ["AudioTypes", "ChildPrograms", "Files"])
)
tests(
    "Sessions",
    ("AudioSessionsTests", ["AudioSessions", "TestTiming"]),
    ("AnnouncementsTests", ["Announcements"]),
    ("AlarmsTests", ["CivilTime", "Alarms", "ValueText"]),
    ("NowPlayingTests", ["NowPlaying"]),
    ("SpeechTests", ["Speech"])
)

floor(
    "Services",
    .target(name: "StateStore", dependencies: ["TextEncodings", "AudioTypes", "CLinux", "Threads", "Files"]),
    .target(
        name: "Authorization",
        dependencies: [
            "TextEncodings", "Announcements", "AudioSessions", "AudioTypes", "CCrypt", "Cryptography", "LineProtocol",
        ]
    ),
    .target(
        name: "Settings",
        dependencies: [
            "Announcements", "AudioTypes", "Charsets", "Files", "Songs", "LineProtocol", "ValueText", argumentParser,
        ]
    ),
    .target(
        name: "ServerBasics",
        dependencies: ["AudioTypes", "CivilTime", "Files", "LineProtocol", "Settings", "Threads", nio[0]]
    ),
    .target(
        name: "ServerRights",
        dependencies: [
            "AudioSessions", "AudioTypes", "Authorization", "Cryptography", "HTTP", "LineProtocol", "ServerBasics",
            "Settings",
            "StateStore", "TextEncodings", nio[0],
        ]
    ),
    .target(
        name: "ServerRooms",
        dependencies: [
            "AudioTypes", "Mixers", "NowPlaying", "OutputGroups", "Outputs", "Playback", "Playlists", "ServerBasics",
            "Settings", "Songs", "TextEncodings", "Zones",
        ]
    ),
    .target(
        name: "ServerSessions",
        dependencies: [
            "Announcements", "AudioSessions", "AudioTypes", "DBus", "Logind", "Mixers", "NowPlaying", "OutputGroups",
            "Outputs", "Playback", "Playlists", "ServerBasics", "ServerRooms", "Settings", "Songs", "StateStore",
            "Zones", nio[0],
        ]
    ),
    .target(
        name: "ForeignAudio",
        dependencies: [
            "AudioSessions", "DBus", "Files", "MPRIS", "Outputs", "ServerBasics", "ServerRooms", "ServerSessions",
            "Settings", "Songs", "StateStore", "Threads", "Zones", nio[0],
        ]
    ),
    .target(
        name: "ServerPersistence",
        dependencies: [
            "AudioTypes", "Files", "LineProtocol", "OutputGroups", "Outputs", "Playlists", "ServerBasics",
            "ServerRooms",
            "ServerSessions", "Settings", "Songs", "StateStore", "Stickers", "Threads", "Zones", nio[0],
        ]
    ),
    .target(
        name: "ServerMusic",
        dependencies: [
            "AudioTypes", "MediaCoding", "Files", "LibraryIndex", "LibraryScan", "LibraryService", "LineProtocol",
            "MediaExpansion", "MusicDirectories", "PlaylistStore", "Playlists", "ServerBasics", "ServerPersistence",
            "ServerRooms",
            "Settings", "Songs", "Stickers", "Threads", "Zones", nio[0],
        ]
    ),
    .target(
        name: "ServerArtwork",
        dependencies: [
            "AudioTypes", "Cryptography", "MediaCoding", "Files", "LibraryService", "MediaExpansion",
            "MusicDirectories", "PictureWorkers", "PictureValues", "Playlists", "ServerBasics", "ServerMusic",
            "ServerRooms",
            "Settings", "Songs", "Threads", "Zones", nio[0],
        ]
    ),
    .target(
        name: "ServerPicker",
        dependencies: [
            "AudioTypes", "Authorization", "Caching", "Cryptography", "DesktopNotifications", "Files", "LibraryIndex",
            "MediaHeaders", "PictureValues", "ServerBasics", "ServerRights", "Settings", "SongFilters", "Songs",
            "TextEncodings",
            nio[0],
        ]
    ),
    .target(
        name: "ServerNowPlaying",
        dependencies: [
            "AudioSessions", "AudioTypes", "DBus", "MediaCoding", "Files", "MPRIS", "MediaExpansion",
            "NowPlaying", "PictureWorkers", "PictureValues", "Playback", "PlaylistStore", "Playlists", "ServerArtwork",
            "ServerBasics", "ServerMusic", "ServerRooms", "ServerSessions", "Settings", "Songs", "TextEncodings",
            "Threads", "Zones",
            nio[0],
        ]
    ),
    .target(
        name: "ServerNetwork",
        dependencies: [
            "AudioTypes", "Cryptography", "DBus", "Files", "ServerBasics", "ServerRights", "Settings",
            "Threads", "Zeroconf", nio[0], nioSSL[0],
        ]
    ),
    .target(
        name: "ServerZones",
        dependencies: [
            "AudioTypes", "Authorization", "LineProtocol", "Mixers", "OutputGroups", "Outputs", "Playback", "Playlists",
            "ServerBasics", "ServerPersistence", "ServerRooms", "ServerSessions", "Settings", "Songs", "Threads",
            "Zones", nio[0],
        ]
    ),
    .target(
        name: "ServerTimers",
        dependencies: [
            "CivilTime", "Alarms", "AudioSessions", "AudioTypes", "Files", "Mixers", "Playback", "Playlists",
            "ServerBasics",
            "ServerRooms", "ServerSessions", "Settings", "Songs", "StateStore", "Threads", "ValueText", "Zones", nio[0],
        ]
    ),
    .target(
        name: "ServerAnnouncements",
        dependencies: [
            "Announcements", "AudioSessions", "AudioTypes", "LineProtocol", "Mixers", "OutputGroups", "Playlists",
            "ServerBasics",
            "ServerRooms", "ServerSessions", "Settings", "Songs", "Speech", "Threads", "Zones", nio[0],
        ]
    )
)
tests(
    "Services",
    (
        "AuthorizationTests",
        ["Announcements", "AudioSessions", "AudioTypes", "Authorization", "Cryptography", "LineProtocol"]
    ),
    ("StateStoreTests", ["Files", "StateStore", "TestSupport", "Threads", "state-writer"]),
    (
        "SettingsTests",
        ["Announcements", "AudioTypes", "Charsets", "Songs", "LineProtocol", "ValueText", "Settings", argumentParser]
    ),
    ("ServerBasicsTests", ["LineProtocol", "ServerBasics", "ServiceTestSupport", "TestSupport", "Threads"] + nio),
    (
        "ServerRightsTests",
        [
            "AudioSessions", "AudioTypes", "Authorization", "Cryptography", "LineProtocol", "ServerBasics",
            "ServerRights",
            "ServiceTestSupport", "Settings", "StateStore", "TestSupport", nio[0],
        ]
    ),
    (
        "ServerPickerTests",
        [
            "Authorization", "DesktopNotifications", "Files", "LibraryIndex", "PictureValues", "ServerBasics",
            "ServerPicker", "ServerRights", "ServiceTestSupport", "Settings", "SongFilters", "Songs", "TestSupport",
            nio[0],
        ]
    ),
    (
        "ServerRoomsTests",
        ["AudioTypes", "OutputGroups", "Playlists", "ServiceTestSupport", "Settings", "Songs", "ServerRooms", "Zones"]
    ),
    (
        "ServerSessionsTests",
        [
            "AudioSessions", "Logind", "OutputGroups", "Outputs", "ServerRooms", "ServerSessions",
            "ServiceTestSupport", "Settings", "Songs", "StateStore", "TestSupport", "Zones",
        ] + nio
    ),
    (
        "ForeignAudioTests",
        [
            "AudioSessions", "ForeignAudio", "MPRIS", "Outputs", "ServerBasics", "ServerRooms", "ServerSessions",
            "ServiceTestSupport", "Settings", "StateStore", "TestSupport", "Threads", "Zones", nio[0],
        ]
    ),
    (
        "ServerPersistenceTests",
        [
            "AudioSessions", "AudioTypes", "LineProtocol", "OutputGroups", "Outputs", "Playlists", "ServerBasics",
            "ServerPersistence", "ServerRooms", "ServerSessions", "ServiceTestSupport", "Settings", "Songs",
            "StateStore", "Stickers", "TestSupport", "Threads", "Zones", nio[0],
        ]
    ),
    (
        "ServerNowPlayingTests",
        [
            "AudioSessions", "AudioTypes", "DBus", "LibraryService", "MPRIS", "MusicDirectories", "NowPlaying",
            "PictureWorkers", "ServerArtwork", "ServerBasics", "ServerMusic", "ServerNowPlaying", "ServerPersistence",
            "ServerRooms", "Settings",
            "ServerSessions", "ServiceTestSupport", "Songs", "TestSupport", "Threads", "Zones", nio[0],
        ]
    ),
    (
        "ServerArtworkTests",
        [
            "AudioTypes", "MediaCoding", "MusicDirectories", "PictureWorkers", "PictureValues", "Playlists",
            "ServerArtwork",
            "ServerBasics", "ServerRooms", "ServerSessions", "ServiceTestSupport", "Songs", "TestSupport",
            "TestThreads", "Threads", "Zones", nio[0],
        ]
    ),
    (
        "ServerNetworkTests",
        [
            "DBus", "ServerBasics", "ServerNetwork", "ServerRights", "ServerRooms", "ServerZones",
            "ServiceTestSupport", "Settings", "TestSupport", nio[0],
        ]
    ),
    (
        "ServerMusicTests",
        [
            "AudioTypes", "LibraryIndex", "LibraryService", "LineProtocol", "MusicDirectories", "PlaylistStore",
            "Playlists", "ServerBasics", "ServerMusic", "ServerPersistence", "ServerRooms", "ServiceTestSupport",
            "Settings", "Songs", "Stickers", "TestSupport", "TestThreads", "Threads", "Zones", nio[0],
        ]
    ),
    (
        "ServerZonesTests",
        [
            "AudioSessions", "AudioTypes", "Authorization", "LineProtocol", "OutputGroups", "Outputs", "Playback",
            "Playlists",
            "ServerBasics", "ServerPersistence", "ServerRooms", "ServerSessions", "ServerZones", "ServiceTestSupport",
            "Settings", "Songs", "TestSupport", "Threads", "Zones", nio[0],
        ]
    ),
    (
        "ServerTimersTests",
        [
            "Alarms", "AudioSessions", "AudioTypes", "Mixers", "Playback", "Playlists", "ServerBasics", "ServerRooms",
            "ServerSessions", "ServerTimers", "ServiceTestSupport", "Settings", "Songs", "StateStore", "TestSupport",
            "Threads", "ValueText", "Zones",
        ]
    ),
    (
        "ServerAnnouncementsTests",
        [
            "Announcements", "AudioSessions", "AudioTypes", "ServerAnnouncements", "ServerBasics", "ServerRooms",
            "ServerSessions", "ServiceTestSupport", "Settings", "TestSupport", "Zones", nio[0],
        ]
    )
)

floor(
    "Server",
    .target(name: "Systemd", dependencies: ["AudioTypes", "Settings"]),
    .target(name: "Setup", dependencies: ["TextEncodings", "AudioTypes", "Files", "Settings", "StateStore"]),
    .target(
        name: "MPDImport",
        dependencies: ["Files", "LineProtocol", "Settings", "ProtocolClient", "Songs", "CSQLite"]
    ),
    .target(
        name: "ServerRequests",
        dependencies: [
            "Alarms", "Announcements", "AudioSessions", "AudioTypes", "Authorization", "ForeignAudio", "JSONRPC",
            "LibraryIndex",
            "LineProtocol", "MediaCoding", "MusicDirectories", "OutputGroups", "Outputs", "PictureWorkers",
            "PlaylistStore", "Playlists", "Records", "ServerAnnouncements", "ServerArtwork", "ServerBasics",
            "ServerMusic", "ServerNetwork", "ServerNowPlaying", "ServerPersistence", "ServerPicker", "ServerRights",
            "ServerRooms",
            "ServerSessions", "ServerTimers", "ServerZones", "Settings", "SongFilters", "Songs", "TextPatterns",
            "TextEncodings", "Threads", "ValueText", "Zones",
        ] + [nioCore]
    ),
    .target(
        name: "ServerCommands",
        dependencies: [
            "Alarms", "Announcements", "AudioSessions", "AudioTypes", "Authorization", "CivilTime", "Cryptography",
            "Files", "ForeignAudio", "HTTP", "LibraryIndex", "LibraryScan", "LibraryService", "LineProtocol", "MPRIS",
            "MediaCoding", "MediaExpansion", "MediaHeaders", "MusicDirectories", "NowPlaying", "OutputGroups",
            "Outputs",
            "PictureValues", "PictureWorkers", "Playback", "PlaylistStore", "Playlists", "Records",
            "ServerAnnouncements", "ServerArtwork", "ServerBasics", "ServerMusic", "ServerNetwork", "ServerNowPlaying",
            "ServerPersistence", "ServerPicker", "ServerRequests", "ServerRights", "ServerRooms", "ServerSessions",
            "ServerTimers",
            "ServerZones", "Settings", "SongFilters", "Songs", "Stickers", "TextEncodings", "Threads", "TimedText",
            "ValueText", "Zones",
        ] + [nioCore]
    ),
    .target(
        name: "WebPage",
        dependencies: ["TextEncodings"],
        exclude: ["Page"],
        plugins: [.plugin(name: "PackPage")]
    ),
    .target(
        name: "WebRequests",
        dependencies: [
            "AudioTypes", "Authorization", "CZlib", "CivilTime", "Cryptography", "Settings", "TextEncodings", "WebPage",
            nioHTTP1,
        ]
    ),
    .target(
        name: "CommandServer",
        dependencies: [
            "Alarms", "Announcements", "AudioSessions", "AudioTypes", "Authorization", "Caching", "Cryptography",
            "DBus", "DesktopNotifications", "ForeignAudio", "HTTP", "JSONRPC", "LibraryIndex", "LibraryService",
            "LineProtocol", "MPRIS",
            "MediaExpansion",
            "Mixers", "MusicDirectories", "OutputGroups", "Outputs", "PictureWorkers", "Playback", "PlaylistStore",
            "Playlists", "ProtocolClient", "Records", "ServerAnnouncements", "ServerArtwork", "ServerBasics",
            "ServerCommands", "ServerMusic",
            "ServerNetwork", "ServerNowPlaying", "ServerPersistence", "ServerPicker", "ServerRequests", "ServerRights",
            "ServerRooms",
            "ServerSessions", "ServerTimers", "ServerZones", "Settings", "Sockets", "SongFilters", "Songs",
            "StateStore", "Stickers", "TextEncodings", "Threads", "WebPage", "WebRequests", "Zones", deque, nioHTTP1,
            nioWebSocket,
        ] + nio + nioSSL
    )
)
tests(
    "Server",
    ("SystemdTests", ["Settings", "LineProtocol", "Systemd"]),
    ("WebRequestsTests", ["AudioTypes", "Authorization", "Settings", "WebRequests", nioHTTP1]),
    ("SetupTests", ["AudioTypes", "Files", "Settings", "Setup", "TestSupport"]),
    ("MPDImportTests", ["Settings", "MPDImport", "TestSupport", argumentParser]),
    (
        "ServerRequestsTests",
        [
            "AudioTypes", "LineProtocol", "ServerBasics", "ServerRequests", "ServerRights", "ServerRooms",
            "ServiceTestSupport", "Settings", "TestSupport", "TextEncodings", "Zones",
        ] + nio
    ),
    (
        "ServerCommandsTests",
        [
            "AudioTypes", "Authorization", "JSONRPC", "LineProtocol", "ServerBasics", "ServerCommands",
            "ServerPersistence", "ServerRequests", "Settings", "TestSupport", "TextEncodings",
        ]
    ),
    (
        "CommandServerTests",
        [
            "Announcements", "AudioSessions", "AudioTypes", "CommandServer", "LineProtocol", "Playlists",
            "ServerAnnouncements", "ServerBasics", "ServerRequests", "ServerRooms", "ServerSessions",
            "ServiceTestSupport", "Settings", "Songs", "TestSupport", "Zones",
        ] + nio
    )
)

floor(
    "CommandLine",
    .target(name: "TerminalText", dependencies: ["TextEncodings", "AudioTypes"]),
    .target(name: "CommandOptions", dependencies: ["AudioTypes", "Charsets", "ValueText", argumentParser]),
    .target(
        name: "Foreground",
        dependencies: [
            "TextEncodings", "AudioTypes", "PictureValues", "Playback", "TerminalText", "CommandOptions", "TimedText",
        ]
    ),
    .target(
        name: "Thumbnails",
        dependencies: [
            "TextEncodings", "CommandOptions", "TerminalText", "Threads", "Files", "PictureValues", "PictureWorkers",
            argumentParser,
        ]
    ),
    .target(
        name: "TerminalPictures",
        dependencies: [
            "AudioTypes", "CommandOptions", "TerminalText", "Threads", "Files", "PictureValues", "PictureWorkers",
        ]
    ),
    .target(
        name: "TerminalGrid",
        dependencies: ["AudioTypes", "PictureValues", "PictureWorkers", "TerminalText", "Threads"]
    ),
    .target(
        name: "ClientVerbs",
        dependencies: [
            "TextEncodings", "CivilTime", "AudioTypes", "ChildPrograms", "LineProtocol", "Records", "ProtocolClient",
            "Files",
            "Threads", "TerminalText",
            "TerminalGrid", "TerminalPictures", "PictureValues", "PictureWorkers", "Songs", "ValueText",
            "CommandOptions", "Caching", argumentParser,
        ]
    )
)
tests(
    "CommandLine",
    (
        "CommandLineTests",
        [
            "AudioTypes", "PictureValues", "Playback", "CommandOptions", "TerminalText", "Foreground", "ProtocolClient",
            "ClientVerbs",
            "TestSupport", "TextEncodings", "ValueText", "LineProtocol", "TimedText", argumentParser,
        ]
    ),
    (
        "TerminalGridTests",
        [
            "AudioTypes", "Files", "PictureValues", "PictureWorkers", "TerminalGrid", "TerminalText", "TestSupport",
            "TestThreads", "Threads",
        ]
    ),
    (
        "TerminalPicturesTests",
        [
            "AudioTypes", "Files", "PictureValues", "PictureDecoding", "PictureWorkers", "TerminalPictures", "Threads",
            "TestSupport",
            "TestThreads",
        ]
    )
)

floor(
    "Programs",
    .executableTarget(
        name: "segue",
        dependencies: ["Files", "CommandOptions", "ClientVerbs", "Thumbnails", argumentParser]
    ),
    .executableTarget(
        name: "segue-play",
        dependencies: [
            "TextEncodings", "AudioTypes", "Charsets", "CommandOptions", "TerminalText", "TerminalPictures",
            "Foreground",
            "ProtocolClient",
            "Threads",
            "Files", "MediaHeaders", "PictureValues", "PictureWorkers", "Playlists", "HTTP", "MediaExpansion",
            "MediaCoding",
            "Outputs", "Encoding", "Playback", "ValueText", "TimedText", "DBus", "Logind", "MPRIS",
            "Zeroconf", argumentParser,
        ]
    ),
    .executableTarget(
        name: "segue-pictures",
        dependencies: ["Files", "PictureValues", "PictureDecoding", "PictureWorkers", "CSeccomp"]
    ),
    .executableTarget(
        name: "segued",
        dependencies: [
            "TextEncodings", "CivilTime", "AudioTypes", "CommandOptions", "TerminalText", "ProtocolClient",
            "ClientVerbs",
            "Threads",
            "Files",
            "Settings",
            "PictureWorkers", "Systemd", "StateStore", "MPDImport", "LibraryScan", "MusicDirectories", "PlaylistStore",
            "Outputs", "OutputGroups", "Broadcasting", "Encoding", "Speech", "CommandServer", "ServerCommands",
            "ServerRequests", "DBus", "ValueText",
            "CICUData", "ChildPrograms", "Setup",
            argumentParser, "ServerRooms",
        ] + nio
    )
)
tests(
    "Programs",
    ("ArchitectureTests", []),
    ("TestRunnerTests", ["segue-test", "TestSupport", "TestTiming"]),
    ("DaemonTests", ["DBus", "MPRIS", "ProtocolClient", "TestSupport", "TestThreads", "TestTiming"]),
    (
        "PictureProgramTests",
        [
            "Threads", "Files", "PictureValues", "PictureDecoding", "PictureWorkers", "TestSupport", "TestThreads",
            "CSeccomp",
            "TestTiming",
        ]
    ),
    (
        "ServerTests",
        [
            "Cryptography", "LineProtocol", "Records", "ServerCommands", "ServerRequests", "Settings", "TestSupport",
            "TestThreads",
            "TestTiming", "TextEncodings",
        ]
    ),
    ("SessionSoundTests", ["AudioTypes", "TestSupport", "TestThreads", "TestTiming"]),
    ("StreamTests", ["AudioTypes", "TestSupport", "TestThreads", "TestTiming"])
)

// The build puts the page into the server with these.
targets += [
    .plugin(name: "PackPage", capability: .buildTool(), dependencies: ["page-packer"], path: "Plugins/PackPage"),
    .executableTarget(
        name: "page-packer",
        dependencies: ["CZlib"],
        path: "Plugins/page-packer",
        swiftSettings: strict
    ),
]

// What tests share, and the programs that they start; measurements.
targets += [
    .target(
        name: "TestSupport",
        dependencies: [
            "AudioTypes", "Threads", "HTTP", "MediaHeaders", "PictureValues", "MediaCoding", "Outputs", "CLinux",
            "CTestSupport", "CZlib",
        ],
        path: "Tests/Tools/TestSupport",
        // Always optimised: it correlates seconds of sound sample by sample.
        swiftSettings: realTime
    ),
    // For tests of services: an event loop whose time a test advances, rooms on null outputs, a session service, an announcer.
    .target(
        name: "ServiceTestSupport",
        dependencies: [
            "Announcements", "AudioSessions", "AudioTypes", "Mixers", "OutputGroups", "Outputs", "Playback",
            "Playlists", "ServerBasics",
            "ServerAnnouncements", "ServerRooms", "ServerSessions", "Settings", "Songs", "StateStore", "TestSupport",
            "Threads", "Zones",
        ] + nio,
        path: "Tests/Tools/ServiceTestSupport",
        swiftSettings: strict
    ),
    .target(name: "TestThreads", path: "Tests/Tools/TestThreads", swiftSettings: strict),
    .systemLibrary(name: "CTestSupport", path: "Tests/Tools/CTestSupport"),
    .target(
        name: "TestTiming",
        dependencies: ["Threads", "CTestSupport"],
        path: "Tests/Tools/TestTiming",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "segue-test",
        dependencies: ["TestSupport", argumentParser],
        path: "Tests/Tools/TestRunner",
        swiftSettings: strict
    ),
    .executableTarget(
        name: "segue-bench",
        dependencies: ["AudioTypes", "AudioSessions", "DBus", "TestSupport", nioHTTP1] + nio,
        path: "Tests/Tools/Benchmarks",
        swiftSettings: strict
    ),
    // What it measures the player's own interface with: linked like `segue-play`, not like a test.
    .executableTarget(
        name: "segue-bench-player",
        dependencies: ["AudioTypes", "Threads", "Outputs", "Playback"],
        path: "Tests/Tools/BenchmarkPlayer",
        swiftSettings: strict
    ),
    // What `StateStoreTests` starts and kills.
    .executableTarget(
        name: "state-writer",
        dependencies: ["StateStore"],
        path: "Tests/Tools/StateWriter",
        swiftSettings: strict
    ),
    // The control loops take a process over, so the test of them starts one of its own.
    .executableTarget(
        name: "control-loop-program",
        dependencies: ["Threads"],
        path: "Tests/Tools/ControlLoopProgram",
        swiftSettings: strict
    ),
    // What `MediaFuzzTests` starts: damaged files may end it.
    .executableTarget(
        name: "media-fuzzer",
        dependencies: [
            "AudioTypes", "Threads", "Files", "Songs", "HTTP", "MediaCoding", "MediaHeaders", "PictureValues",
            "PictureDecoding",
            "TestSupport",
        ],
        path: "Tests/Tools/MediaFuzzer",
        swiftSettings: strict
    ),
]

// libFuzzer brings its own `main`, so its targets exist only when asked for (`make soak`).
if Context.environment["SEGUE_FUZZ"] != nil {
    // The fuzzer finds its way by the branches it sees taken, so what is fuzzed is instrumented too.
    let instrumented: Set = [
        "AudioTypes", "Songs", "Playlists", "LineProtocol", "Segments", "HLS", "DASH", "TimedText", "MediaHeaders",
        "PictureValues", "Charsets",
    ]
    for target in targets where instrumented.contains(target.name) {
        target.swiftSettings?.append(.unsafeFlags(["-sanitize=fuzzer,address"]))
    }
    let fuzzers: [(name: String, dependencies: [String])] = [
        ("Playlists", ["AudioTypes", "Playlists"]),
        ("Requests", ["LineProtocol", "ProtocolClient"]),
        ("HLS", ["Segments", "HLS"]),
        ("DASH", ["AudioTypes", "Segments", "DASH"]),
        ("Headers", ["AudioTypes", "Songs", "TimedText", "MediaHeaders", "PictureValues"]),
        ("TimedText", ["AudioTypes", "TimedText"]),
    ]
    for (name, dependencies) in fuzzers {
        targets.append(
            .executableTarget(
                name: "fuzz-\(name.lowercased())",
                dependencies: dependencies.map { .target(name: $0) },
                path: "Tests/Tools/Fuzzers/\(name)",
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
        .executable(name: "segue-pictures", targets: ["segue-pictures"]),
        .executable(name: "segued", targets: ["segued"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    ],
    targets: targets,
    swiftLanguageModes: [.v6]
)
