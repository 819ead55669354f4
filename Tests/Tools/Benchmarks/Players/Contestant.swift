import TestSupport

/// A program that plays files to their end.
enum Contestant: String, CaseIterable, Sendable {
    /// `segue play` where it is built, else the player without a command line.
    case segue
    /// The daemon, through the protocol.
    case segued
    case paplay
    case mpg123
    case mpd
    case mpv

    /// The player without a command line, which is told what to do on standard input.
    static let benchmarkPlayer = "\(Bench.folder)/segue-bench-player"

    /// `segue`, if it can play.
    static let commandLine: String? = {
        let path = "\(Bench.folder)/segue"
        // The version is what the program beside it says, which plays.
        guard (try? ChildProcess.run(path, ["--version"], within: .seconds(5)).outputText)?.isEmpty == false,
            let help = try? ChildProcess.run(path, ["play", "--help"], within: .seconds(5)).outputText
        else { return nil }
        return help.contains("--quiet") ? path : nil
    }()

    var isInstalled: Bool { self == .segue || self == .segued || ChildProcess.find(rawValue) != nil }

    /// What starts it; `nil` for what is not started with files, and for what is not installed.
    func words(_ files: [String]) -> [String]? {
        guard isInstalled else { return nil }
        switch self {
        case .segue:
            if let program = Self.commandLine { return [program, "play", "--quiet"] + files }
            return [Self.benchmarkPlayer, "--play"] + files
        case .paplay: return files.count == 1 ? ["paplay"] + files : nil
        case .mpg123: return ["mpg123", "-q", "-o", "pulse"] + files
        case .mpd, .segued: return nil
        case .mpv: return ["mpv"] + MPV.options + files
        }
    }

    /// Starts it on a server.
    func start(
        _ files: [String],
        on server: some SoundServer,
        outlivesNothing: Bool = true
    ) throws -> ChildProcess? {
        guard let words = words(files) else { return nil }
        return try ChildProcess(
            words[0],
            Array(words.dropFirst()),
            environment: server.clientEnvironment,
            outlivesNothing: outlivesNothing
        )
    }
}

/// Does something for several at the same time.
///
/// - Returns: The results in the order of `items`.
func concurrently<Item: Sendable, Value: Sendable>(
    _ items: [Item],
    _ body: @escaping @Sendable (Item) async throws -> Value
) async throws -> [Value] {
    try await withThrowingTaskGroup(of: (Int, Value).self) { group in
        for (index, item) in items.enumerated() {
            group.addTask { (index, try await body(item)) }
        }
        var results: [Int: Value] = [:]
        for try await (index, value) in group { results[index] = value }
        return items.indices.compactMap { results[$0] }
    }
}
