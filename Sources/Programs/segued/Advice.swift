import MPDImport

/// What to do about addresses that others have, MPD before all; said once, however many they are.
struct TakenAddresses {
    private(set) var advice: [String] = []

    static func describe(_ holder: SocketHolder?) -> String {
        holder.map { "\($0.name) (process \($0.process)) has it" } ?? "another program has it"
    }

    mutating func add(_ holder: SocketHolder?) {
        switch holder?.name {
        case "mpd": add([RunningMPD(process: holder?.process, manager: holder?.manager ?? .none)])
        // systemd waits there for the first client; or we may not look into the process.
        case "systemd", nil: add(RunningMPD.find())
        default: break
        }
    }

    private mutating func add(_ found: [RunningMPD]) {
        for mpd in found where !advice.contains(mpd.advice) { advice.append(mpd.advice) }
    }
}
