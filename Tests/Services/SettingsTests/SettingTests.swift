import AudioTypes
import LineProtocol
import Settings
import Songs
import Testing
import ValueText

@Suite struct SettingTests {
    /// Each key alone, and what it changes.
    private static let cases: [(String, @Sendable (inout Configuration) -> Void)] = [
        (#"music-directory = "/m""#, { $0.musicDirectory = "/m" }),
        (#"music-directory = "~/m""#, { $0.musicDirectory = "/nonexistent/ada/m" }),
        (#"music-directory = "m""#, { $0.musicDirectory = "/nonexistent/here/m" }),
        (#"playlist-directory = "/p""#, { $0.playlistDirectory = "/p" }),
        (
            #"state-directory = "/s""#,
            {
                $0.stateDirectory = "/s"
                $0.playlistDirectory = "/s/playlists"
                $0.cacheDirectory = "/s/cache"
            }
        ),
        (#"cache-directory = "/c""#, { $0.cacheDirectory = "/c" }),
        (#"picture-cache-size = "1 GiB""#, { $0.pictureCacheBytes = 1 << 30 }),
        ("follow-inside-symlinks = false", { $0.followsInsideLinks = false }),
        ("follow-outside-symlinks = false", { $0.followsOutsideLinks = false }),
        (#"listen = "tcp::6601""#, { $0.listeners = [Listener(.tcp(host: nil, port: 6601))] }),
        ("listen = []", { $0.listeners = [] }),
        (#"allow-anonymous = "any""#, { $0.access.allowAnonymous = .any }),
        (#"anonymous-permissions = ["read", "add"]"#, { $0.access.anonymousPermissions = [.read, .add, .network] }),
        (#"anonymous-permissions = "none""#, { $0.access.anonymousPermissions = [] }),
        (#"local-permissions = "read, player""#, { $0.access.localPermissions = [.read, .player] }),
        ("[replay-gain]\nmode = \"album\"", { $0.replayGain.mode = .album }),
        ("replay-gain.preamp = -3", { $0.replayGain.preamp = -3 }),
        ("replay-gain = { missing-preamp = -6.5 }", { $0.replayGain.fallback = -6.5 }),
        ("[replay-gain]\nlimit = false", { $0.replayGain.preventsClipping = false }),
        (#"audio-languages = ["deu", "en"]"#, { $0.audioLanguages = ["de", "en"].compactMap { LanguageCode($0) } }),
        ("crossfade = 5", { $0.crossfade = .seconds(5) }),
        (#"crossfade = "2.5s""#, { $0.crossfade = .milliseconds(2_500) }),
        (#"resume-within = "2 m""#, { $0.resumeWithin = .seconds(120) }),
        (#"resume-within = "never""#, { $0.resumeWithin = .zero }),
        (#"resume-within = "always""#, { $0.resumeWithin = nil }),
        ("restore-paused = true", { $0.restoresPaused = true }),
        ("auto-update = true", { $0.updatesAutomatically = true }),
        ("measure-loudness = false", { $0.measuresLoudness = false }),
        ("library-file = \"/l.db\"", { $0.libraryFile = "/l.db" }),
        (#"tags = ["Artist", "title"]"#, { $0.tags = TagMask([.artist, .title]) }),
        (#"tags = "+comment, -Genre""#, { $0.tags = TagMask(TagType.allCases.filter { $0 != .genre }) }),
        ("save-absolute-paths = true", { $0.savesAbsolutePaths = true }),
        ("zeroconf = false", { $0.isOnNetwork = false }),
        ("zeroconf-name = \"Kitchen %h\"", { $0.networkName = "Kitchen %h" }),
        ("mpris = false", { $0.isOnBus = false }),
        ("mpris-zones = false", { $0.areZonesOnBus = false }),
        ("desktop-notifications = false", { $0.showsNotifications = false }),
        ("[limits]\nmax-connections = 5", { $0.limits.maxConnections = 5 }),
        ("limits.connection-timeout = \"never\"", { $0.limits.connectionTimeout = nil }),
        ("limits.connection-timeout = 90", { $0.limits.connectionTimeout = .seconds(90) }),
        ("limits.max-line-size = \"1 MiB\"", { $0.limits.maxLineBytes = 1 << 20 }),
        ("limits.max-command-list-size = 8192", { $0.limits.maxCommandListBytes = 8192 }),
        ("limits.max-output-buffer-size = \"64KiB\"", { $0.limits.maxOutputBufferBytes = 65_536 }),
        ("limits.max-playlist-length = 1_000_000", { $0.limits.maxPlaylistLength = 1_000_000 }),
        ("limits.max-subscriptions = 1", { $0.limits.maxSubscriptions = 1 }),
        ("limits.max-messages = 1", { $0.limits.maxMessages = 1 }),
        ("limits.max-messages-size = 0", { $0.limits.maxMessagesBytes = 0 }),
        ("limits.max-connections-per-address = 3", { $0.limits.maxConnectionsPerAddress = 3 }),
        ("limits.max-local-connections = 3", { $0.limits.maxLocalConnections = 3 }),
        ("limits.max-connections-before-permission = 3", { $0.limits.maxConnectionsBeforePermission = 3 }),
        ("limits.owner-connections = 0", { $0.limits.ownerConnections = 0 }),
        ("limits.max-line-size-before-permission = 300", { $0.limits.maxLineBytesBeforePermission = 300 }),
        (
            "limits.max-command-list-size-before-permission = 300",
            { $0.limits.maxCommandListBytesBeforePermission = 300 }
        ),
        ("limits.max-command-list-length = 3", { $0.limits.maxCommandListLength = 3 }),
        ("limits.max-request-memory = \"1 MiB\"", { $0.limits.maxRequestBytes = 1 << 20 }),
        ("limits.max-uri-size = 300", { $0.limits.maxURIBytes = 300 }),
        ("limits.max-queue-size = \"1 MiB\"", { $0.limits.maxQueueBytes = 1 << 20 }),
        ("limits.max-zones = 3", { $0.limits.maxZones = 3 }),
        ("limits.max-stickers = 3", { $0.limits.maxStickers = 3 }),
        ("limits.max-stickers-size = 3", { $0.limits.maxStickersBytes = 3 }),
        ("limits.max-sticker-size = 3", { $0.limits.maxStickerBytes = 3 }),
        ("limits.max-stored-playlists = 3", { $0.limits.maxStoredPlaylists = 3 }),
        ("limits.max-stored-playlist-size = 3", { $0.limits.maxStoredPlaylistBytes = 3 }),
        ("limits.max-sessions = 3", { $0.limits.maxSessions = 3 }),
        ("limits.max-sessions-per-client = 3", { $0.limits.maxSessionsPerClient = 3 }),
        ("limits.max-foreign-streams = 3", { $0.limits.maxForeignStreams = 3 }),
        ("limits.max-tls-handshakes = 3", { $0.limits.maxHandshakes = 3 }),
        ("limits.max-tls-handshakes-per-address = 3", { $0.limits.maxHandshakesPerAddress = 3 }),
        ("limits.tls-handshake-timeout = 3", { $0.limits.handshakeTimeout = .seconds(3) }),
        (
            "tls.certificate = \"/a.pem\"\ntls.key = \"/b.pem\"",
            {
                $0.tls.certificate = "/a.pem"
                $0.tls.key = "/b.pem"
            }
        ),
        ("tls.client-ca = \"/c.pem\"", { $0.tls.clientAuthority = "/c.pem" }),
        ("tls.oldest-version = \"1.2\"", { $0.tls.oldestVersion = .tls12 }),
        ("tls.required = true", { $0.tls.isRequired = true }),
        ("limits.max-principals = 3", { $0.limits.maxPrincipals = 3 }),
        ("limits.max-scopes-size = 3", { $0.limits.maxScopeBytes = 3 }),
        ("limits.max-announcements-per-client = 3", { $0.limits.maxAnnouncementsPerClient = 3 }),
        (
            #"network.allow = ["10.1.0.0/16", "NAS.home.arpa", "::1"]"#,
            {
                $0.network.ranges = ["10.1.0.0/16", "::1"].compactMap { AddressRange($0) }
                $0.network.hosts = ["nas.home.arpa"]
            }
        ),
        (#"network.protocols = ["rtsp", "listen"]"#, { $0.network.protocols = ["rtsp", "listen"] }),
        ("network.protocols = []", { $0.network.protocols = [] }),
        (#"log-level = "debug""#, { $0.logLevel = .debug }),
        (#"log-format = "json""#, { $0.logFormat = .json }),
        (
            "[[password]]\npassword = \"p\"\npermissions = [\"read\"]\nzone = \"default\"",
            { $0.access.passwords = [Password("p", permissions: .read, zone: "default")] }
        ),
        ("[[password]]\npassword = \"p\"", { $0.access.passwords = [Password("p")] }),
        (
            "[[output]]\nname = \"A\"\ntype = \"null\"",
            { $0.zones = [ZoneSettings(name: "default", outputs: [Output(name: "A", kind: .null, mixer: .software)])] }
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"alsa\"\ndevice = \"hw:1\"\nmixer-control = \"PCM,1\"",
            {
                let card = Output(
                    name: "A",
                    kind: .alsa,
                    device: "hw:1",
                    mixer: .hardware,
                    mixerControl: "PCM,1"
                )
                $0.zones = [ZoneSettings(name: "default", outputs: [card])]
            }
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"pulse\"\nformat = \"follow\"",
            {
                let output = Output(name: "A", kind: .pulse, formatPolicy: .media)
                $0.zones = [ZoneSettings(name: "default", outputs: [output])]
            }
        ),
        (
            "[[output]]\nname = \"A\"\ntype = \"alsa\"\nformat = \"sink\"",
            {
                let output = Output(name: "A", kind: .alsa, formatPolicy: .sink)
                $0.zones = [ZoneSettings(name: "default", outputs: [output])]
            }
        ),
        (
            "[[zone]]\nname = \"default\"\n[[zone.output]]\nname = \"A\"\ntype = \"null:fast\"",
            { $0.zones = [ZoneSettings(name: "default", outputs: [Output(name: "A", kind: .nullFast)])] }
        ),
    ]

    private static let allCases = cases + SessionTests.cases + StreamSettingTests.cases

    @Test(arguments: allCases.indices)
    func aKeyChangesWhatItSays(index: Int) throws {
        let (text, change) = Self.allCases[index]
        var expected = Configuration(defaultsFor: person)
        change(&expected)
        #expect(try parse(text) == expected, "\(text)")
        #expect(expected != Configuration(defaultsFor: person))
    }

    @Test func everyKeyIsInTheTable() {
        let texts =
            Self.allCases.map(\.0).joined(separator: "\n") + OutputTests.everything
            + ListenerTests.everything + WebSettingTests.everything
        for key in Configuration.keys {
            let name = key.split(separator: ".").last ?? ""
            #expect(texts.contains(name), "\(key)")
        }
    }

    @Test func nothingSaidLeavesTheDefaults() throws {
        #expect(try parse("") == Configuration(defaultsFor: person))
        #expect(try parse("# nothing\n", in: service) == Configuration(defaultsFor: service))
    }
}
