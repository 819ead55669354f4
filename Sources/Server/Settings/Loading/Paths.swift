/// A file or folder of the daemon's.
package struct PathReport: Sendable, Hashable {
    /// What it is for, such as `music-directory`.
    package let name: String
    package let path: String
    package let exists: Bool

    init(_ name: String, _ path: String) {
        self.name = name
        self.path = path
        exists = fileExists(path)
    }
}

extension LoadedConfiguration {
    /// Where everything is kept, for people who look for it.
    package func paths(in surroundings: Surroundings = .process) -> [PathReport] {
        let usual = StandardPaths(surroundings).configurationFiles
        let folders = [
            ("music-directory", configuration.musicDirectory),
            ("playlist-directory", configuration.playlistDirectory),
            ("state-directory", configuration.stateDirectory),
            ("cache-directory", configuration.cacheDirectory),
        ]
        let sockets = configuration.listeners.compactMap { listener -> PathReport? in
            guard case .unix(let path, _) = listener.address else { return nil }
            return PathReport("socket", path)
        }
        return (file.map { [$0] } ?? usual).map { PathReport("configuration", $0) }
            + folders.map { PathReport($0.0, $0.1) } + sockets
    }
}

extension Configuration {
    /// What `--paths` says: what there is, where, and whether it is there.
    package static func describePaths(
        _ options: DaemonOptions,
        in surroundings: Surroundings = .process
    ) throws(ConfigurationFailure) -> String {
        let reports = try load(options, in: surroundings).paths(in: surroundings)
        let width = reports.map(\.name.count).max() ?? 0
        return reports.map { report in
            let name = report.name + String(repeating: " ", count: width - report.name.count)
            return "\(name)  \(report.path)\(report.exists ? "" : " (not there)")"
        }
        .joined(separator: "\n")
    }

    /// What `--check-config` says, a line for each problem, and whether the configuration can be used.
    package static func check(
        _ options: DaemonOptions,
        in surroundings: Surroundings = .process
    ) -> (report: String, isUsable: Bool) {
        do {
            let loaded = try load(options, in: surroundings)
            let verdict = "\(loaded.file ?? "no configuration file, the defaults"): good"
            return ((loaded.warnings.map(\.description) + [verdict]).joined(separator: "\n"), true)
        } catch {
            return (error.description, false)
        }
    }
}
