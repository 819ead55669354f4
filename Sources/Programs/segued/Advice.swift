import MPDImport

/// Advice about addresses that other programs use, mostly MPD; given only once.
struct TakenAddresses {
    private(set) var advice: [String] = []

    static func describe(_ holder: SocketHolder?) -> String {
        holder.map { "\($0.name) (process \($0.process)) has it" } ?? "another program has it"
    }

    mutating func add(_ holder: SocketHolder?) {
        switch holder?.name {
        case "mpd": add([RunningMPD(process: holder?.process, manager: holder?.manager ?? .none)])
        // systemd listens there for its first client, or the process cannot be examined.
        case "systemd", nil: add(RunningMPD.find())
        default: break
        }
    }

    private mutating func add(_ found: [RunningMPD]) {
        for mpd in found where !advice.contains(mpd.advice) { advice.append(mpd.advice) }
    }
}
