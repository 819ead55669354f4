internal import AudioTypes
internal import ValueText

extension Draft {
    /// Combines the lists, and makes the checks that need the whole configuration.
    consuming func finished(_ reading: inout Reading) -> Configuration {
        settleFolders()
        reading.refuseRepeated(allListeners, "the listener") { "\($0.address)" }
        if let listeners { configuration.listeners = listeners.map(\.value) }
        configuration.web = web.settings
        configuration.web.listeners = web.listeners?.map(\.value)
        reading.refuseRepeated(passwords, "a password", isSecret: true) { $0.text }
        reading.refuseRepeated(hosts, "the host") { "\($0.addresses)" }
        configuration.access.passwords += passwords.map(\.value)
        configuration.access.hosts += hosts.map(\.value)
        configuration.announcementRules += announcementRules.map(\.value)
        configuration.foreignRules += foreignRules.map(\.value)
        stream.apply(to: &configuration.stream)
        configuration.stream.charsets = configuration.charsets
        gatherZones(&reading)
        addNamedZones(&reading)
        warnOfUselessListeners(&reading)
        warnOfUnknownPairingZone(&reading)
        return configuration
    }

    private var allListeners: [Located<Listener>] { (listeners ?? []) + (web.listeners ?? []) }

    /// Puts files and folders without paths of their own into the configured state directory.
    private mutating func settleFolders() {
        if let stateDirectory {
            configuration.stateDirectory = stateDirectory
            configuration.playlistDirectory = stateDirectory + "/playlists"
            configuration.cacheDirectory = stateDirectory + "/cache"
        }
        if let playlistDirectory { configuration.playlistDirectory = playlistDirectory }
        if let cacheDirectory { configuration.cacheDirectory = cacheDirectory }
    }

    private mutating func gatherZones(_ reading: inout Reading) {
        reading.refuseRepeated(zones, "the zone") { $0.name ?? "" }
        // Clients name an output to move it to another zone, so names are unique across all zones.
        reading.refuseRepeated(outputs + zones.flatMap(\.value.outputs), "the output") { $0.name }
        var defaultZone = ZoneSettings(
            name: ZoneSettings.defaultName,
            outputs: outputs.map(\.value),
            stream: configuration.stream
        )
        session.apply(to: &defaultZone.session)
        var others: [ZoneSettings] = []
        for zone in zones {
            guard let name = zone.value.name, isUsable(name, zone.line, &reading) else { continue }
            let outputs = zone.value.outputs.map(\.value)
            if name == ZoneSettings.defaultName {
                defaultZone.outputs += outputs
                zone.value.session.apply(to: &defaultZone.session)
                zone.value.stream.apply(to: &defaultZone.stream)
            } else {
                var other = ZoneSettings(name: name, outputs: outputs, stream: configuration.stream)
                zone.value.session.apply(to: &other.session)
                zone.value.stream.apply(to: &other.stream)
                others.append(other)
                if outputs.isEmpty {
                    reading.warn(zone.line, "the zone \(quoted(name)) has no output and will be silent")
                }
            }
        }
        if defaultZone.outputs.isEmpty { defaultZone.outputs = [.soundServer] }
        configuration.zones = [defaultZone] + others
    }

    /// Refuses a zone whose queue could not be kept: the file has the zone's name.
    private func isUsable(_ name: String, _ line: Int?, _ reading: inout Reading) -> Bool {
        if !name.contains("/") { return true }
        reading.error(line, "the name of the zone \(quoted(name)) has a \"/\"")
        return false
    }

    /// Adds zones that are only named by a listener, a password or a rule.
    private mutating func addNamedZones(_ reading: inout Reading) {
        let named =
            allListeners.map { Located(line: $0.line, value: $0.value.zone) }
            + passwords.map { Located(line: $0.line, value: $0.value.zone) }
            + announcementRules.filter { $0.value.zone != AnnouncementRule.everywhere }
            .map { Located(line: $0.line, value: $0.value.zone) }
        for zone in named {
            let known = configuration.zones.map(\.name)
            guard let name = zone.value, !known.contains(name), isUsable(name, zone.line, &reading) else { continue }
            let hint = NearestWord.best(for: name, among: known).map { "; did you mean \(quoted($0))?" } ?? ""
            reading.warn(zone.line, "no [[zone]] is named \(quoted(name)), so it has no output yet\(hint)")
            configuration.zones.append(ZoneSettings(name: name, stream: configuration.stream))
        }
    }

    /// Warns when pairing requests are to be announced in a zone that does not exist.
    private func warnOfUnknownPairingZone(_ reading: inout Reading) {
        let known = configuration.zones.map(\.name)
        guard let name = configuration.announcements.pairingZone, name != AnnouncementRule.everywhere,
            !known.contains(name)
        else { return }
        let hint = NearestWord.best(for: name, among: known).map { "; did you mean \(quoted($0))?" } ?? ""
        reading.warn(nil, "announcements.pairing-zone is \(quoted(name)), which is not a zone\(hint)")
    }

    /// Warns about network listeners whose clients would have no permissions.
    private func warnOfUselessListeners(_ reading: inout Reading) {
        let access = configuration.access
        guard access.allowAnonymous == .loopback, access.passwords.isEmpty, access.hosts.isEmpty else { return }
        for listener in allListeners where listener.value.address.isOpenToNetwork {
            guard listener.value.permissions == nil else { continue }
            reading.warn(
                listener.line,
                "clients of other machines may do nothing at \(listener.value.address): give them a [[password]],"
                    + " grant single ones something by 'segue clients set', or set allow-anonymous = \"lan\""
            )
        }
    }
}

extension Reading {
    fileprivate mutating func refuseRepeated<Value>(
        _ values: [Located<Value>],
        _ what: String,
        isSecret: Bool = false,
        key: (Value) -> String
    ) {
        var seen: Set<String> = []
        for value in values where !seen.insert(key(value.value)).inserted {
            let name = isSecret ? "" : " " + quoted(key(value.value))
            error(value.line, "\(what)\(name) is given twice")
        }
    }
}
