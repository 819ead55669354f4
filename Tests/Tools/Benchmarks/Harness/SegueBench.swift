private import Foundation
private import Glibc

/// Measures Segue beside other players and prints one line of JSON per figure.
@main
struct SegueBench {
    private static let usage = """
        usage: segue-bench [--list] [--quick] [--soak] [--seed N] [FIGURE...]

          --list    name the figures
          --quick   shorter runs and fewer of them: a first look, not a figure to quote
          --soak    the soak lasts ten minutes
          --seed N  what the soak does is drawn from N

        Without FIGURE all are measured. A player that is not installed is null.
        """

    private static let measurements: [Measurement] = [
        .processorTime, .steady, .start, .remoteStart, .latencies, .joints, .identity, .outages, .soak,
        .commands, .playerReads, .idleClients, .largeQueue, .library, .pictures, .artwork, .thumbnails, .films,
        .stalledMusic,
        .daemonPlaying, .daemonSinks, .listeners,
        .statusFlood, .revocation, .picker, .pickerScreen,
        .webRequests, .webSockets, .page,
        .announcements, .ducking, .arbiter,
        .firstSound, .streamProcessorTime, .httpOutages, .radioOutages, .twoThirds, .sideBySide,
        .streamSeeks, .streamSoak,
    ]

    static func main() async {
        var bench = Bench()
        var wanted: [Substring] = []
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--quick": bench.isQuick = true
            case "--soak": bench.soakSeconds = 600
            case "--seed": bench.seed = arguments.popFirst().flatMap { UInt64($0) } ?? bench.seed
            case "--list":
                for measurement in measurements {
                    print(measurement.figures.joined(separator: " "), "-", measurement.summary)
                }
                return
            case let name where !name.hasPrefix("-"): wanted.append(name[...])
            default:
                print(usage)
                exit(argument == "--help" || argument == "-h" ? 0 : 64)
            }
        }
        let known = measurements.flatMap(\.figures)
        for name in wanted where !known.contains(where: { $0.hasPrefix(name) }) {
            print("There is no figure \(name); --list names them.")
            exit(64)
        }
        guard await measure(wanted, bench) else { exit(1) }
    }

    /// Takes the measurements one after the other; one that fails does not keep the others from being taken.
    private static func measure(_ wanted: [Substring], _ bench: Bench) async -> Bool {
        var isComplete = true
        for measurement in measurements {
            let isWanted = { (figure: String) in wanted.isEmpty || wanted.contains { figure.hasPrefix($0) } }
            guard measurement.figures.contains(where: isWanted) else { continue }
            do {
                try await measurement.run(bench) { figure in
                    if isWanted(figure.name) { figure.report() }
                }
            } catch {
                isComplete = false
                var figure = Figure(measurement.figures[0])
                figure.set("error", "\(error)")
                figure.report()
            }
        }
        return isComplete
    }
}

/// Figures that come out of the same runs.
struct Measurement: Sendable {
    var figures: [String]
    var summary: String
    /// Takes the measurement and hands over its figures as they come.
    var run: @Sendable (_ bench: Bench, _ report: (Figure) -> Void) async throws -> Void
}

/// What all measurements go by.
struct Bench: Sendable {
    var isQuick = false
    var soakSeconds = 20.0
    var seed: UInt64 = 1

    /// How often something short is repeated; medians are told.
    var repetitions: Int { isQuick ? 5 : 15 }

    /// The folder of the programs that were built with this one.
    static let folder: String = {
        let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return ((path ?? CommandLine.arguments[0]) as NSString).deletingLastPathComponent
    }()
}
