internal import LineProtocol
internal import ProtocolClient

/// Import of the queue and its settings.
extension Takeover {
    func takeOverQueue(_ state: ImportedState) throws(RemoteError) {
        let status = ServerStatus(try connection.run("status"))
        guard status.queueLength == 0 || choices.replaces else {
            report.keptQueue = status.queueLength
            return
        }
        if status.queueLength > 0 { try connection.run("clear") }
        let ids = try add(state.queue)
        let settings = settings(state)
        try runNoting(settings, "options") { place in settings[place].command }
        try switchOutputs(state.outputs)
        if let current = state.current, let id = ids[current] {
            try restoreEntry(id, state.queue[current], state)
        }
    }

    /// - Returns: The server's id for each entry; `nil` for one that it refused.
    private func add(_ entries: [ImportedEntry]) throws(RemoteError) -> [String?] {
        var ids: [String?] = []
        for (entry, result) in zip(entries, try runEach(entries.map { Request("addid", $0.uri) }, "queue")) {
            switch result {
            case .success(let reply): ids.append(reply["Id"])
            case .failure(let refusal):
                ids.append(nil)
                if refusal.known == .doesNotExist {
                    report.miss(entry.uri)
                } else {
                    report.record(refusal, of: entry.uri)
                }
            }
        }
        report.songs = ids.count { $0 != nil }
        var requests: [Request] = []
        var subjects: [String] = []
        for case (let entry, let id?) in zip(entries, ids) {
            let details = entry.details(id)
            requests += details
            subjects += details.map { _ in entry.uri }
        }
        try runNoting(requests, "priorities, ranges and tags") { subjects[$0] }
        return ids
    }

    private func settings(_ state: ImportedState) -> [Request] {
        let options = state.options
        let requests = [
            Request("repeat", options.repeats ? "1" : "0"), Request("random", options.random ? "1" : "0"),
            Request("single", options.single.word), Request("consume", options.consume.word),
            Request("crossfade", String(Int(saturating: options.crossfade.rounded()).clamped(to: 0...60))),
            Request("mixrampdb", "\(options.mixRampThreshold.clamped(to: -200...200))"),
            Request("mixrampdelay", options.mixRampDelay.map { "\(min($0, 60))" } ?? "nan"),
        ]
        return requests + (state.volume.map { [Request("setvol", String($0))] } ?? [])
    }

    private func switchOutputs(_ outputs: [ImportedOutput]) throws(RemoteError) {
        guard !outputs.isEmpty else { return }
        let wanted = Dictionary(outputs.map { ($0.name, $0.isEnabled) }, uniquingKeysWith: { $1 })
        var requests: [Request] = []
        for output in try connection.run("outputs").groups(startingWith: "outputid") {
            guard let id = output["outputid"], let name = output["outputname"], let isEnabled = wanted[name],
                isEnabled != (output["outputenabled"] == "1")
            else { continue }
            requests.append(Request(isEnabled ? "enableoutput" : "disableoutput", id))
        }
        try runNoting(requests, "outputs") { requests[$0].command }
    }

    /// Makes an entry the current one, at its position.
    ///
    /// Sent as one command list, so that no other client acts between the seek, which starts playback, and the command
    /// that ends it.
    private func restoreEntry(_ id: String, _ entry: ImportedEntry, _ state: ImportedState) throws(RemoteError) {
        let plays = state.playback == .playing && choices.mayPlay
        let isStream = entry.uri.contains("://")
        var requests = isStream ? [Request("playid", id)] : [Request("seekid", id, "\(state.elapsed)")]
        if !plays {
            requests.append(Request("pause", "1"))
            // A stream has no position to wait at, and would be fetched meanwhile.
            if isStream || state.playback == .stopped { requests.append(Request("stop")) }
        }
        do {
            try connection.run(requests)
        } catch .refused(let refusal) {
            report.record(refusal, of: entry.uri)
        }
    }
}

extension ImportedEntry {
    /// The requests that set its priority, range and tags once it is in the queue under `id`.
    fileprivate func details(_ id: String) -> [Request] {
        var requests: [Request] = []
        if priority > 0 { requests.append(Request("prioid", String(priority), id)) }
        if start != nil || end != nil {
            requests.append(Request("rangeid", id, "\(start.map { "\($0)" } ?? ""):\(end.map { "\($0)" } ?? "")"))
        }
        return requests + tags.map { Request("addtagid", id, $0.name, $0.value) }
    }
}

extension ImportedOptions.Switch {
    fileprivate var word: String {
        switch self {
        case .off: "0"
        case .on: "1"
        case .oneshot: "oneshot"
        }
    }
}
