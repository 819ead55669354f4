internal import AudioTypes
internal import LineProtocol
internal import Songs
internal import ValueText

/// The settings of mpd.conf that Segue supports, and the effect of each.
enum MPDSettings {
    typealias Setting = @Sendable (MPDParameter, inout MPDDraft, inout Reading) -> Void

    static let settings = [folders, access, limits, sound, others].reduce(into: [String: Setting]()) { all, group in
        all.merge(group) { $1 }
    }

    /// Settings that are ignored without a warning, since Segue does without them.
    static let needless: Set<String> = [
        "input", "decoder", "resampler", "archive_plugin", "playlist_plugin", "input_cache", "pid_file",
        "state_file_interval", "audio_buffer_size", "buffer_before_play", "samplerate_converter", "id3v1_encoding",
    ]

    private static let folders: [String: Setting] = [
        "music_directory": { parameter, mpd, reading in
            guard !parameter.value.contains("://") else {
                return reading.error(parameter.line, "\"music_directory\" must be a folder of this machine")
            }
            mpd.draft.configuration.musicDirectory = reading.path(parameter.value)
        },
        "playlist_directory": path(\.draft.playlistDirectory),
        "state_file": path(\.files.stateFile),
        "sticker_file": path(\.files.stickerFile),
        "db_file": path(\.files.databaseFile),
        "follow_inside_symlinks": truth(\.draft.configuration.followsInsideLinks),
        "follow_outside_symlinks": truth(\.draft.configuration.followsOutsideLinks),
    ]

    private static let access: [String: Setting] = [
        "bind_to_address": { parameter, mpd, _ in
            mpd.addresses.append(Located(line: parameter.line, value: parameter.value))
        },
        "port": { parameter, mpd, reading in
            if let port = number(parameter, 1...65_535, &reading) { mpd.port = UInt16(port) }
        },
        "default_permissions": { parameter, mpd, reading in
            mpd.defaultPermissions = permissions(parameter.value, parameter, &reading) ?? mpd.defaultPermissions
        },
        "local_permissions": { parameter, mpd, reading in
            mpd.draft.configuration.access.localPermissions = permissions(parameter.value, parameter, &reading)
        },
        "host_permissions": { parameter, mpd, reading in
            let parts = parameter.value.trimmed.splitFirst(" ")
            guard let parts, let addresses = AddressRange(parts.first) else {
                return reading.error(parameter.line, "\"host_permissions\" must be an address and permissions")
            }
            guard let value = permissions(String(parts.last), parameter, &reading) else { return }
            mpd.draft.hosts.append(Located(line: parameter.line, value: HostRule(addresses, permissions: value)))
        },
        "password": { parameter, mpd, reading in
            guard let parts = parameter.value.splitFirst("@"), !parts.first.isEmpty else {
                return reading.error(parameter.line, "\"password\" must be a password, \"@\", and permissions")
            }
            guard let value = permissions(String(parts.last), parameter, &reading) else { return }
            mpd.draft.passwords.append(
                Located(line: parameter.line, value: Password(String(parts.first), permissions: value))
            )
        },
    ]

    private static let limits: [String: Setting] = [
        "max_connections": count(\.draft.configuration.limits.maxConnections, 1...1_000_000),
        "max_playlist_length": count(\.draft.configuration.limits.maxPlaylistLength, 1...1_000_000_000),
        "max_command_list_size": count(\.draft.configuration.limits.maxCommandListBytes, 1...1 << 20, times: 1024),
        "max_output_buffer_size": count(\.draft.configuration.limits.maxOutputBufferBytes, 1...1 << 20, times: 1024),
        "connection_timeout": { parameter, mpd, reading in
            guard let seconds = number(parameter, 1...1_000_000, &reading) else { return }
            mpd.draft.configuration.limits.connectionTimeout = .seconds(seconds)
        },
    ]

    private static let sound: [String: Setting] = [
        "replaygain": { parameter, mpd, reading in
            guard let mode = ReplayGainMode(rawValue: parameter.value) else {
                return reading.error(parameter.line, "\"replaygain\" must be off, track, album or auto")
            }
            mpd.draft.configuration.replayGain.mode = mode
        },
        "replaygain_preamp": decibels(\.draft.configuration.replayGain.preamp),
        "replaygain_missing_preamp": decibels(\.draft.configuration.replayGain.fallback),
        "replaygain_limit": truth(\.draft.configuration.replayGain.preventsClipping),
        "audio_output_format": { parameter, mpd, reading in
            mpd.outputFormat = format(parameter, &reading) ?? mpd.outputFormat
        },
        "volume_normalization": unlessSaid(
            "no",
            "Segue evens out loudness by tags and by measurement instead; see replay-gain and measure-loudness"
        ),
        "gapless_mp3_playback": unlessSaid("yes", "Segue always plays without gaps"),
        "restore_paused": truth(\.draft.configuration.restoresPaused),
    ]

    private static let others: [String: Setting] = [
        "auto_update": truth(\.draft.configuration.updatesAutomatically),
        "save_absolute_paths_in_playlists": truth(\.draft.configuration.savesAbsolutePaths),
        "metadata_to_use": { parameter, mpd, reading in
            do {
                mpd.draft.configuration.tags = try TagMask(configured: parameter.value.split(separator: ","))
            } catch {
                reading.error(parameter.line, "\"metadata_to_use\" cannot be \(quoted(parameter.value)): \(error)")
            }
        },
        "zeroconf_enabled": truth(\.draft.configuration.isOnNetwork),
        "zeroconf_name": { parameter, mpd, reading in
            guard SettingType.isServiceName(parameter.value) else {
                return reading.error(parameter.line, "\"zeroconf_name\" must be a name of 1 to 63 bytes")
            }
            mpd.draft.configuration.networkName = parameter.value
        },
        "filesystem_charset": unlessSaid("UTF-8", "Segue takes names of files as they are"),
        "log_level": { parameter, mpd, reading in
            guard let level = logLevels[parameter.value] else {
                return reading.error(parameter.line, "\"log_level\" cannot be \(quoted(parameter.value))")
            }
            mpd.draft.configuration.logLevel = level
        },
        "log_file": { parameter, _, reading in
            reading.warn(parameter.line, "\"log_file\" has no effect in Segue, which logs to standard error")
        },
        "user": { parameter, _, reading in
            reading.warn(parameter.line, "\"user\" has no effect in Segue, which stays the user that starts it")
        },
    ]

    /// MPD's levels, and the two older names from before version 0.19.
    private static let logLevels: [String: LogLevel] = [
        "error": .error, "warning": .warning, "notice": .notice, "default": .notice, "info": .info, "secure": .info,
        "verbose": .debug,
    ]
}

/// Parsing of values.
extension MPDSettings {
    typealias Place<Value> = any WritableKeyPath<MPDDraft, Value> & Sendable

    private static func path(_ place: Place<String?>) -> Setting {
        { parameter, mpd, reading in mpd[keyPath: place] = reading.path(parameter.value) }
    }

    private static func truth(_ place: Place<Bool>) -> Setting {
        { parameter, mpd, reading in
            if let truth = truth(parameter, &reading) { mpd[keyPath: place] = truth }
        }
    }

    static func truth(_ parameter: MPDParameter, _ reading: inout Reading) -> Bool? {
        switch parameter.value {
        case "yes", "true", "1": return true
        case "no", "false", "0": return false
        default:
            reading.error(parameter.line, "\"\(parameter.name)\" must be yes or no, not \(quoted(parameter.value))")
            return nil
        }
    }

    private static func count(_ place: Place<Int>, _ range: ClosedRange<Int>, times unit: Int = 1) -> Setting {
        { parameter, mpd, reading in
            if let number = number(parameter, range, &reading) { mpd[keyPath: place] = number * unit }
        }
    }

    private static func number(
        _ parameter: MPDParameter,
        _ range: ClosedRange<Int>,
        _ reading: inout Reading
    ) -> Int? {
        if let number = Int(parameter.value.trimmed), range.contains(number) { return number }
        reading.error(
            parameter.line,
            "\"\(parameter.name)\" must be a whole number from \(range.lowerBound) to \(range.upperBound),"
                + " not \(quoted(parameter.value))"
        )
        return nil
    }

    private static func decibels(_ place: Place<Double>) -> Setting {
        { parameter, mpd, reading in
            guard let number = Double(parameter.value), (-60.0...30).contains(number) else {
                return reading.error(parameter.line, "\"\(parameter.name)\" must be a number of dB from -60 to 30")
            }
            mpd[keyPath: place] = number
        }
    }

    /// A setting that gets a warning only if it asks for a feature that Segue lacks.
    private static func unlessSaid(_ usual: String, _ remark: String) -> Setting {
        { parameter, _, reading in
            guard parameter.value.lowercased() != usual.lowercased() else { return }
            reading.warn(parameter.line, "\"\(parameter.name)\" has no effect in Segue: \(remark)")
        }
    }

    static func format(_ parameter: MPDParameter, _ reading: inout Reading) -> OutputFormat? {
        if ["*", "*:*", "*:*:*"].contains(parameter.value) { return nil }
        if let format = try? OutputFormat(anySpelling: parameter.value) { return format }
        reading.warn(parameter.line, "Segue has no format \(quoted(parameter.value)); the output chooses its own")
        return nil
    }

    private static func permissions(
        _ text: String,
        _ parameter: MPDParameter,
        _ reading: inout Reading
    ) -> Permissions? {
        guard var permissions = Permissions(parsing: text) else {
            let known = Permissions.all.names.joined(separator: ", ")
            reading.error(parameter.line, "\"\(parameter.name)\" takes the permissions \(known), not \(quoted(text))")
            return nil
        }
        // Before version 0.22 there was no "player" permission; "control" included playback.
        if permissions.contains(.control) { permissions.insert(.player) }
        return permissions
    }
}
