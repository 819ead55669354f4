private import Files

/// A file or folder that the daemon uses.
package struct PathReport: Sendable, Hashable {
    /// Its purpose, such as `music-directory`.
    package let name: String
    package let path: String
    package let exists: Bool

    init(_ name: String, _ path: String) {
        self.name = name
        self.path = path
        exists = fileExists(path)
    }

    /// - Returns: `nil` for a listener without a file.
    fileprivate init?(_ name: String, _ listener: Listener) {
        guard case .unix(let path, _) = listener.address else { return nil }
        self.init(name, path)
    }
}

extension LoadedConfiguration {
    /// The paths of all files and folders, for users who look for them.
    package func paths(in environment: ProcessEnvironment = .process) -> [PathReport] {
        let usual = StandardPaths(environment).configurationFiles
        let folders = [
            ("music-directory", configuration.musicDirectory),
            ("playlist-directory", configuration.playlistDirectory),
            ("state-directory", configuration.stateDirectory),
            ("cache-directory", configuration.cacheDirectory),
        ]
        let sockets = configuration.listeners.compactMap { PathReport("socket", $0) }
        let webSockets = (configuration.web.listeners ?? []).compactMap { PathReport("web socket", $0) }
        return (file.map { [$0] } ?? usual).map { PathReport("configuration", $0) }
            + folders.map { PathReport($0.0, $0.1) } + sockets + webSockets
    }
}

extension Configuration {
    /// The output of `--paths`: each name, its path, and whether it exists.
    package static func describePaths(
        _ options: DaemonOptions,
        in environment: ProcessEnvironment = .process
    ) throws(ConfigurationFailure) -> String {
        let reports = try load(options, in: environment).paths(in: environment)
        let width = reports.map(\.name.count).max() ?? 0
        return reports.map { report in
            let name = report.name + String(repeating: " ", count: width - report.name.count)
            return "\(name)  \(report.path)\(report.exists ? "" : " (not there)")"
        }
        .joined(separator: "\n")
    }

    /// The output of `--check-config`, a line for each problem, and whether the configuration can be used.
    package static func check(
        _ options: DaemonOptions,
        in environment: ProcessEnvironment = .process
    ) -> (report: String, isUsable: Bool) {
        do {
            let loaded = try load(options, in: environment)
            let verdict = "\(loaded.file ?? "no configuration file, the defaults"): good"
            let warnings =
                loaded.warnings.map(\.description) + [loaded.configuration.musicDirectoryProblem].compactMap(\.self)
            return ((warnings + [verdict]).joined(separator: "\n"), true)
        } catch {
            return (error.description, false)
        }
    }

    /// Why the music directory cannot be read, and a remedy; `nil` when it can.
    ///
    /// Blocks for as long as its file system takes to answer.
    package var musicDirectoryProblem: String? {
        guard (try? FileStatus(of: musicDirectory))?.kind == .folder else {
            return "there is no music directory \(musicDirectory); --music-dir says where it is"
        }
        do throws(SystemError) {
            try checkFolderReadable(musicDirectory)
            return nil
        } catch {
            return "music directory \(musicDirectory): \(error); set it with --music-dir"
        }
    }
}
