internal import AudioTypes
internal import Glibc
internal import Outputs
internal import Playback
internal import Threads

/// The player alone, without a command line: what `segue-bench` measures the player's own interface with.
///
/// Without arguments it ends at once: what it costs to start a program that is linked like a player.
@main
struct BenchmarkPlayer {
    static func main() throws {
        var files = CommandLine.arguments.dropFirst()
        guard let mode = files.popFirst() else { return }
        let output = try PulseOutput.open()
        let entries = files.map { MediaEntry(location: $0) }
        ControlLoop.main {
            let player = Player(output: output)
            await player.append(entries)
            if mode == "--control" { await control(player) } else { await play(player) }
            await player.close()
            exit(0)
        }
    }

    /// Plays to the end.
    private static func play(_ player: Player) async {
        let events = await player.events()
        await player.play()
        for await event in events {
            if case .queueEnded = event { return }
        }
    }

    /// Does what the lines on standard input say, and answers each with its name and when it was begun.
    private static func control(_ player: Player) async {
        let (lines, input) = AsyncStream.makeStream(of: String.self)
        WorkThread.startWhenPossible(named: "bench-input") {
            while let line = readLine() { input.yield(line) }
            input.finish()
        }
        answer("ready \(HostTime.now.nanoseconds)")
        for await line in lines {
            let words = line.split(separator: " ")
            guard let name = words.first else { continue }
            let numbers = words.dropFirst().compactMap { Double($0) }
            answer("\(name) \(await perform(name, numbers, by: player))")
        }
    }

    /// - Returns: When the call was made, in nanoseconds of the monotonic clock, and what else there is to say.
    private static func perform(_ name: Substring, _ numbers: [Double], by player: Player) async -> String {
        let start = HostTime.now
        switch name {
        case "play": await player.play()
        case "pause": await player.pause()
        case "toggle":
            if player.status.timeControlStatus == .paused { await player.play() } else { await player.pause() }
        case "stop": await player.stop()
        case "next": await player.advanceToNextItem()
        case "previous": await player.returnToPreviousItem()
        case "jump": await player.jump(to: Int(numbers.first ?? 0))
        case "rate": try? await player.setSpeed(numbers.first ?? 1)
        case "volume": await player.setVolume(Volume(percent: numbers.first ?? 100))
        case "loop": await player.setLoopMode(.queue)
        case "seek":
            // Its outcome is not waited for: another command may take its place.
            let time = MediaTime(seconds: numbers.first ?? 0)
            Task { await player.seek(to: time) }
        case "position":
            let now = HostTime.now
            let time = player.currentTime()
            let status = player.status
            return "\(now.nanoseconds) \(time.seconds) \(status.currentIndex ?? -1) \(status.timeControlStatus)"
        default: return "\(start.nanoseconds) unknown"
        }
        return "\(start.nanoseconds)"
    }

    private static func answer(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = unsafe write(1, bytes, bytes.count)
    }
}
