private import Files
private import Glibc

/// The facts about the process and its user that decide the default paths.
package struct ProcessEnvironment: Sendable, Hashable {
    /// The environment.
    package var variables: [String: String]
    package var userID: UInt32
    /// The user's home directory; `/` for users without one.
    package var home: String
    package var currentDirectory: String
    /// Whether there is a sound card, and no sign of a sound server.
    package var hasOnlyCards: Bool
    /// The users who are members of the group of the system service's account.
    package var groupMembers: Set<UInt32>

    package init(
        variables: [String: String],
        userID: UInt32,
        home: String,
        currentDirectory: String,
        hasOnlyCards: Bool = false,
        groupMembers: Set<UInt32> = []
    ) {
        self.hasOnlyCards = hasOnlyCards
        self.groupMembers = groupMembers
        self.variables = variables
        self.userID = userID
        self.home = home
        self.currentDirectory = currentDirectory
    }

    /// This process.
    package static var process: ProcessEnvironment {
        var variables: [String: String] = [:]
        var next = unsafe environ
        while let entry = unsafe next.pointee {
            let text = unsafe String(cString: entry)
            if let parts = text.splitFirst("=") { variables[String(parts.first)] = String(parts.last) }
            unsafe next = next.advanced(by: 1)
        }
        return ProcessEnvironment(
            variables: variables,
            userID: getuid(),
            home: variables["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? accountHome() ?? "/",
            currentDirectory: workingDirectory() ?? "/",
            hasOnlyCards: hasCard && !hasSoundServer(variables),
            groupMembers: members(ofGroup: serviceGroup)
        )
    }

    /// The group of the package's account (packaging/sysusers.d).
    private static let serviceGroup = "segue"
    /// Members of the group that are looked up, as each may take a question over the network.
    private static let mostMembers = 256

    private static func members(ofGroup name: String) -> Set<UInt32> {
        guard let group = unsafe getgrnam(name), var next = unsafe group.pointee.gr_mem else { return [] }
        // The next question may overwrite the answer.
        var names: [String] = []
        while let member = unsafe next.pointee, names.count < mostMembers {
            names.append(unsafe String(cString: member))
            unsafe next += 1
        }
        return Set(names.compactMap { unsafe getpwnam($0)?.pointee.pw_uid })
    }

    private static var hasCard: Bool {
        ((try? fileNames(in: "/dev/snd")) ?? []).contains { $0.hasPrefix("pcm") && $0.hasSuffix("p") }
    }

    /// Whether an address of a sound server is given, or one has a socket where libpulse looks for it.
    private static func hasSoundServer(_ variables: [String: String]) -> Bool {
        let folder = variables["XDG_RUNTIME_DIR"] ?? "/run/user/\(getuid())"
        return variables["PULSE_SERVER"]?.isEmpty == false
            || ["\(folder)/pulse/native", "/run/pulse/native"].contains(where: fileExists)
    }

    private static func accountHome() -> String? {
        guard let account = unsafe getpwuid(getuid()), let home = unsafe account.pointee.pw_dir else { return nil }
        return unsafe String(cString: home)
    }

    private static func workingDirectory() -> String? {
        guard let path = unsafe getcwd(nil, 0) else { return nil }
        defer { unsafe free(path) }
        return unsafe String(cString: path)
    }

    /// Whether this process is a system service and not a person's.
    ///
    /// True for root and system accounts (below 1000), and for the accounts that systemd allocates (`DynamicUser=`).
    package var isSystem: Bool { userID < 1000 || (61_184...65_519).contains(userID) }
}
