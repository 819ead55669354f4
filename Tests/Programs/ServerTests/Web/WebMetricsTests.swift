import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// The figures for Prometheus, as its client library for Python reads them.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Tools.missingForPrometheus.isEmpty })
struct WebMetricsTests {
    private static let script = """
        import sys
        from prometheus_client.parser import text_string_to_metric_families
        for family in text_string_to_metric_families(open(sys.argv[1], encoding="utf-8", newline="").read()):
            assert family.documentation and family.samples, family
            for sample in family.samples:
                labels = ",".join(f"{name}={value!r}" for name, value in sorted(sample.labels.items()))
                print(f"{sample.name}{{{labels}}} {family.type} {sample.value}")
        """

    /// The figures by name and labels, such as `segue_clients{protocol='mpd'}`, and the types of their values.
    private func read(
        _ client: WebClient,
        _ fields: [String: String] = [:]
    ) throws -> (values: [String: Double], types: [String: String]) {
        let answer = client.ask("GET", "/metrics", fields)
        #expect(answer.status == 200 && answer.fields["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
        let folder = try TemporaryFolder()
        let output = try ChildProcess.run(Tools.python, ["-c", Self.script, folder.write("metrics", answer.bytes)])
        var (values, types): ([String: Double], [String: String]) = ([:], [:])
        for line in output.outputText.split(separator: "\n") {
            let words = line.split(separator: " ")
            let key = words.dropLast(2).joined(separator: " ")
            #expect(values[key] == nil, "\(key) is told twice")
            values[key] = words.last.flatMap { Double($0) }
            types[key] = String(words[words.count - 2])
        }
        return (values, types)
    }

    @Test("they are told only where the configuration says so")
    func isOff() async throws {
        let client = try await WebStage().connect()
        let answer = client.ask("GET", "/metrics")
        #expect(answer.status == 404 && answer.body.contains("[web] metrics"))
    }

    @Test("they are compressed for those who take that")
    func compressed() async throws {
        let stage = try await WebStage("metrics = true")
        let client = try stage.connect()
        let plain = client.ask("GET", "/metrics")
        #expect(plain.fields["content-encoding"] == nil && plain.fields["vary"] == "Accept-Encoding")
        #expect(client.ask("GET", "/metrics", ["Accept-Encoding": "gzip;q=0"]).fields["content-encoding"] == nil)
        let packed = client.ask("GET", "/metrics", ["Accept-Encoding": "gzip"])
        #expect(packed.fields["content-encoding"] == "gzip" && packed.bytes.count < plain.bytes.count / 2)
        let file = stage.folder.file("metrics.gz")
        try Data(packed.bytes).write(to: URL(filePath: file))
        let text = try await ChildProcess("gzip", ["-dc", file]).wait().outputText
        func names(_ text: String) -> [Substring] { text.split(separator: "\n").map { $0.prefix { $0 != " " } } }
        #expect(names(text) == names(plain.body) && names(text).count > 50)
        // A response to a message may have secrets.
        let message = WebClient.request("commands")
        #expect(client.post(message, ["Accept-Encoding": "gzip"]).fields["content-encoding"] == nil)
    }

    @Test("they are those of the server, and its commands are counted")
    func values() async throws {
        let stage = try await WebStage("metrics = true")
        let (client, lines) = (try stage.connect(), try stage.server.connect())
        for command in ["add one.flac", "add two.flac", "play", "setvol 31"] { try lines.order(command) }
        #expect(
            lines.ask("setvol x").last?.hasPrefix("ACK") == true && lines.ask("nonsense").last?.hasPrefix("ACK") == true
        )
        let socket = try stage.connect()
        try socket.openSocket()
        let json = try stage.server.connectJSON()
        _ = try json.result("status")
        let (values, types) = try read(client)
        let stats = try lines.values("stats")
        func figure(_ key: String) -> Double { stats[key].flatMap { Double($0) } ?? -1 }
        for (key, value) in [
            ("segue_zone_state{state='play',zone='default'}", 1), ("segue_zone_state{state='stop',zone='default'}", 0),
            ("segue_zone_state{state='stop',zone='kitchen'}", 1), ("segue_zone_queue_songs{zone='default'}", 2),
            ("segue_zone_volume_ratio{zone='default'}", 0.31),
            ("segue_output_enabled{output='kitchen',type='null',zone='kitchen'}", 1),
            ("segue_output_failing{output='null',type='null',zone='default'}", 0),
            ("segue_zone_stream_outages_total{zone='default'}", 0), ("segue_clients{protocol='mpd'}", 1),
            ("segue_clients{protocol='json'}", 1), ("segue_clients{protocol='http'}", 1),
            ("segue_clients{protocol='websocket'}", 1), ("segue_clients{protocol='events'}", 0),
            ("segue_commands_total{command='setvol'}", 2), ("segue_command_errors_total{command='setvol'}", 1),
            ("segue_command_errors_total{command='play'}", 0), ("segue_commands_total{command='stats'}", 1),
            ("segue_library_songs{}", figure("songs")),
            ("segue_library_duration_seconds{}", figure("db_playtime")),
            ("segue_library_updated_timestamp_seconds{}", figure("db_update")),
            ("segue_library_updating{}", 0),
        ] { #expect(values[key] == value, "\(key)") }
        // Names that are no command's are not counted, so clients cannot make more figures.
        #expect(!values.keys.contains { $0.contains("nonsense") })
        #expect(types["segue_commands_total{command='play'}"] == "counter")
        #expect(types["segue_library_songs{}"] == "gauge")
        #expect(values["process_resident_memory_bytes{}"].map { $0 > 1e6 } == true)
        let start = try #require(values["process_start_time_seconds{}"])
        #expect(abs(Date.now.timeIntervalSince1970 - start) < 600)
        let later = try read(client).values
        #expect(later["segue_commands_total{command='stats'}"] == 3)
        let time = "process_cpu_seconds_total{}"
        #expect(try #require(later[time]) >= #require(values[time]))
    }

    @Test("a client is told of what it may read")
    func rights() async throws {
        let stage = try await WebStage("metrics = true", "anonymous-permissions = \"none\"")
        let client = try stage.connect()
        let stranger = client.ask("GET", "/metrics")
        #expect(stranger.status == 401 && stranger.fields["www-authenticate"] == "Bearer")
        let player = try stage.makeClient("player", "permissions player")
        #expect(client.ask("GET", "/metrics", ["Authorization": player]).status == 403)
        let cook = try stage.makeClient("cook", "permissions read zone kitchen")
        let values = try read(client, ["Authorization": cook]).values
        #expect(values["segue_zone_queue_songs{zone='kitchen'}"] == 0)
        #expect(!values.keys.contains { $0.contains("default") || $0.contains("output='null'") })
        let guest = try stage.makeClient("guest", "permissions read library none folder nowhere")
        #expect(try read(client, ["Authorization": guest]).values["segue_library_songs{}"] == 0)
    }

    @Test(
        "listeners and outages are counted",
        .enabled("nginx or ffmpeg is not installed") { WebServer.missing.isEmpty }
    )
    func streams() async throws {
        let web = try await WebServer.start(.slow("slow/", rate: 40_000, after: 60_000))
        let sound = try await MediaFixtures.audio("network-long", .mp3) {
            Signal.tone(440, seconds: 60, sampleRate: 44_100)
        }
        try web.publish(sound, as: "long.mp3")
        let port = try steadyPort()
        let radio = "[[output]]\ntype = \"httpd\"\nname = \"radio\"\nport = \(port)\nencoder = \"mp3\"\n"
        let stage = try await WebStage("metrics = true", "stream.buffer = 2", tables: radio)
        let (client, lines) = (try stage.connect(), try stage.server.connect())
        try lines.order("add \(web.url("slow/long.mp3"))")
        try lines.order("play")
        let (outages, lost) = (
            "segue_zone_stream_outages_total{zone='default'}", "segue_zone_stream_lost{zone='default'}"
        )
        let listener = try LineClient(descriptor: SocketAddress.ipv4(port).connect(), of: stage)
        listener.send("GET / HTTP/1.1\r\nHost: radio\r\n\r\n")
        #expect(listener.line().hasPrefix("HTTP/1.1 200"))
        func expect(_ what: String, _ isTrue: ([String: Double]) -> Bool) throws {
            try wait(for: what) { isTrue(try read(client).values) }
        }
        try expect("a listener") { $0["segue_output_listeners{output='radio',type='httpd',zone='default'}"] == 1 }
        try wait(for: "the stream") { try lines.values("buffer")["connection"] == "connected" }
        web.stop()
        try expect("an outage") { $0[outages] == 1 && $0[lost] == 1 }
        try await web.start()
        try expect("its end") { $0[outages] == 1 && $0[lost] == 0 }
    }
}
