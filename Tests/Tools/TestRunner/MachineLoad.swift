import Foundation
import Synchronization

/// How many threads wanted to compute, by `/proc/loadavg`, recorded once a second.
final class MachineLoad: Sendable {
    private let samples = Mutex<[(time: Double, load: Double)]>([])

    init() {
        Task { [self] in
            while !Task.isCancelled {
                let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
                let load = text.split(separator: " ").first.flatMap { Double($0) } ?? 0
                samples.withLock { $0.append((Date().timeIntervalSince1970, load)) }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// The highest load between two times, in seconds since 1970.
    func highest(from start: Double, to end: Double) -> Double {
        samples.withLock { samples in
            samples.filter { $0.time >= start - 1 && $0.time <= end + 1 }.map(\.load).max() ?? 0
        }
    }
}
