import Foundation
import TestSupport
import TestThreads
import Testing

/// ncmpcpp starts, shows the queue and plays on Enter.
@Suite(.blocking, .enabled("ncmpcpp or tmux is not installed") { Tools.missingForNcmpcpp.isEmpty })
struct NcmpcppTests {
    @Test func playsOnEnter() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        for uri in ["Blue", "one.flac"] { try client.order("add \(uri)") }
        let home = try server.folder.makeFolder("home")
        let settings = try server.folder.write(
            "home/config",
            "mpd_host = \(server.socket)\nncmpcpp_directory = \(home)\nmessage_delay_time = 1\n"
        )
        let screen = try await TmuxScreen(server.folder, "ncmpcpp -c \(settings)")
        try await screen.wait(for: "Freddie Freeloader")
        try await screen.wait(for: "3 items")
        try await screen.type("Enter")
        try client.wait("state", "play")
        #expect(try client.values("status")["song"] == "0")
        try await screen.wait(for: "Playing")
        // To the browser.
        try await screen.type("2")
        try await screen.wait(for: "[Blue]")
        try await screen.type("p")
        try client.wait("state", "pause")
        // What others change, it is told.
        try client.order("volume -10")
        try await screen.wait(for: "Volume: 90%")
        try await screen.type("q")
        try await screen.waitForEnd()
    }
}
