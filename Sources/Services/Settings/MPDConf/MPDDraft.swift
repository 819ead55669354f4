internal import LineProtocol
internal import ValueText

/// The statements of mpd.conf, before they are interpreted as a whole.
struct MPDDraft {
    var draft: Draft
    var files = MPDFiles()
    var port: UInt16?
    var addresses: [Located<String>] = []
    var defaultPermissions: Permissions?
    /// The format of outputs without a format of their own.
    var outputFormat: OutputFormat?
    /// Names that were already reported as unused.
    var named: Set<String> = []
}

extension Draft {
    /// Reads mpd.conf.
    mutating func read(mpdConf text: String, _ reading: inout Reading) {
        var mpd = MPDDraft(draft: self)
        let main = reading.file
        let parser = MPDConfParser(text, file: main, folder: reading.folder, &reading)
        for statement in parser.statements {
            reading.file = statement.file
            mpd.apply(statement, &reading)
        }
        reading.file = main
        self = mpd.finished(&reading)
    }
}

extension MPDDraft {
    fileprivate mutating func apply(_ statement: MPDStatement, _ reading: inout Reading) {
        switch statement.content {
        case .value(let value):
            if let setting = MPDSettings.settings[statement.name] {
                setting(MPDParameter(line: statement.line, name: statement.name, value: value), &self, &reading)
                return
            }
        case .block(let parameters):
            switch statement.name {
            case "audio_output": return addOutput(parameters, at: statement.line, &reading)
            case "partition": return addZone(parameters, at: statement.line, &reading)
            case "database": return setDatabase(parameters, at: statement.line, &reading)
            default: break
            }
        }
        guard !MPDSettings.needless.contains(statement.name) else { return }
        nameUnused(statement.name, at: statement.line, &reading)
    }

    /// Warns once that Segue does not use a setting.
    mutating func nameUnused(_ name: String, in block: String? = nil, at line: Int, _ reading: inout Reading) {
        let place = block.map { " in \"\($0)\"" } ?? ""
        guard named.insert(name + place).inserted else { return }
        reading.warn(line, "\"\(name)\"\(place) has no effect in Segue")
    }

    private mutating func addZone(_ parameters: [MPDParameter], at line: Int, _ reading: inout Reading) {
        guard let name = parameters.last(where: { $0.name == "name" })?.value, !name.isEmpty else {
            return reading.error(line, "a \"partition\" needs a \"name\"")
        }
        draft.zones.append(Located(line: line, value: ZoneDraft(name: name)))
    }

    private mutating func setDatabase(_ parameters: [MPDParameter], at line: Int, _ reading: inout Reading) {
        guard parameters.last(where: { $0.name == "plugin" })?.value == "simple" else {
            return nameUnused("database", at: line, &reading)
        }
        if let path = parameters.last(where: { $0.name == "path" })?.value { files.databaseFile = reading.path(path) }
    }

    /// Derives the settings that depend on several statements.
    fileprivate consuming func finished(_ reading: inout Reading) -> Draft {
        for index in draft.outputs.indices where draft.outputs[index].value.format == nil {
            draft.outputs[index].value.format = outputFormat
        }
        draft.configuration.mpdFiles = files
        let listeners = mpdListeners(&reading)
        draft.listeners = ownSocket() + listeners
        settleAccess(listeners, &reading)
        return draft
    }

    /// The socket that `segue` looks for, which MPD does not have; only its owner can open it, so it needs no password.
    private func ownSocket() -> [Located<Listener>] {
        guard var socket = draft.configuration.listeners.first else { return [] }
        if case .unix(_, Listener.privateMode) = socket.address, !draft.passwords.isEmpty { socket.permissions = .all }
        return [Located(line: nil, value: socket)]
    }

    /// MPD decides access by passwords; without any password, only the addresses restrict access.
    private mutating func settleAccess(_ listeners: [Located<Listener>], _ reading: inout Reading) {
        let hasPasswords = !draft.passwords.isEmpty
        draft.configuration.access.anonymousPermissions = defaultPermissions ?? (hasPasswords ? [] : .anonymous)
        let open = listeners.first { $0.value.address.isOpenToNetwork }
        if hasPasswords {
            draft.configuration.access.allowAnonymous = .any
        } else if let open {
            draft.configuration.access.allowAnonymous = .lan
            reading.warnOfFile(
                "\(open.value.address) is open to the network and there is no password:"
                    + " clients of the local network are let in (allow-anonymous = \"lan\"), others are not"
            )
        }
    }
}
