import ArgumentParser
import AudioTypes
import ChildPrograms
import ClientVerbs
import Files
import Glibc
import MPDImport
import Outputs
import Settings
import Setup
import TerminalText

/// The machine that a server is set up on: what it has, and what is chosen for it.
struct SetupMachine {
    let environment = ProcessEnvironment.process
    private let file: String

    init(_ options: SetupOptions) {
        let usual = StandardPaths(environment).configurationFiles
        file = options.config ?? (environment.isSystem ? StandardPaths.systemConfiguration : usual[0])
    }

    var isSystem: Bool { environment.isSystem }
    var recordPath: String { SetupRecord.path(besides: file) }
    var run: SetupRun { SetupRun(recordPath: recordPath, runs: Self.run) }

    /// The configuration that is there; the defaults, without one, or where it has errors, which the plan tells.
    private var current: Configuration {
        let text = contents ?? ""
        let loaded = try? Configuration.parse(text, file: file, in: environment)
        return loaded?.configuration ?? Configuration(defaultsFor: environment)
    }

    private var contents: String? {
        (try? fileContents(file, atMost: 4 << 20)).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Choices

    /// The choices of the options, and the answers to those that they leave open.
    ///
    /// - Parameter questions: `nil` when nothing is asked.
    func choices(_ options: SetupOptions, _ questions: SetupQuestions?) throws -> SetupChoices {
        var choices = SetupChoices()
        choices.service = try service(options)
        let music = options.music ?? questions?.ask("Where is your music?", byDefault: usualMusic)
        choices.music = try music.map(absolute)
        choices.sound = try sound(options.sound ?? askForSound(questions))
        if options.service == nil, options.config == nil, hasSystemd,
            questions?.agrees("Start the server \(isSystem ? "with the machine" : "when you log in")?", byDefault: true)
                == false
        {
            choices.service = .none
        }
        choices.lingers = options.linger
        if choices.service == .user, !options.linger, hasSystemd, !isLingering {
            choices.lingers = questions?.agrees("Let it run while you are not logged in?", byDefault: true) ?? false
        }
        choices.network = try network(options.network ?? askForNetwork(questions), questions)
        let name =
            options.homeAssistant ?? questions?.ask("Home Assistant's name or address (Enter: none)?", byDefault: "")
        choices.homeAssistant = try name.flatMap { $0.isEmpty ? nil : try homeAssistant($0) }
        choices.replacesMPD = options.replaceMpd
        if !options.replaceMpd, mpd != nil {
            choices.replacesMPD =
                questions?.agrees("mpd is here. Stop it for good, and import its queue?", byDefault: true) ?? false
        }
        return choices
    }

    private func service(_ options: SetupOptions) throws -> SetupChoices.Service {
        if options.config != nil {
            guard options.service == nil || options.service == "none" else {
                throw ValidationError("a service reads the usual file, so --config goes with --service none only")
            }
            return .none
        }
        guard let word = options.service else { return isSystem ? .system : .user }
        guard let service = SetupChoices.Service(rawValue: word) else {
            throw ValidationError("--service is user, system or none, not '\(word)'")
        }
        if service == .system, !isSystem { throw ValidationError("the system's service takes root: sudo segue setup") }
        if service == .user, isSystem { throw ValidationError("root has no service of its own: run it as yourself") }
        return service
    }

    /// The folder that is configured, or else the first usual one that is there.
    private var usualMusic: String {
        let configured = current.musicDirectory
        guard !fileExists(configured) else { return configured }
        let others = [mpdMusic, isSystem ? "/srv/music" : nil, isSystem ? "/var/lib/mpd/music" : nil]
        return others.compactMap(\.self).first(where: fileExists) ?? configured
    }

    private func absolute(_ path: String) throws -> String {
        var path = path
        if path == "~" || path.hasPrefix("~/") { path = environment.home + path.dropFirst() }
        if !path.hasPrefix("/") { path = environment.currentDirectory + "/" + path }
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        guard path.utf8.count <= 4_000, path.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else {
            throw ValidationError("a folder's path has at most 4000 bytes, on one line")
        }
        return path
    }

    private func askForSound(_ questions: SetupQuestions?) -> String? {
        guard let questions else { return nil }
        let cards = ALSACard.all()
        guard !cards.isEmpty else { return nil }
        let server = SetupReport.soundServer(environment)
        print("\nSound: \(server ?? "no sound server") and \(cards.count == 1 ? "a device" : "these devices") of ALSA:")
        for card in cards { print(DisplayText.harmless("  alsa:\(card.device)  \(card.description)")) }
        return questions.ask("Play where (auto: \(server ?? "the first card"))?", byDefault: "auto")
    }

    private func sound(_ word: String?) throws -> SetupChoices.Sound {
        switch word {
        case nil, "auto": return .automatic
        case "pulse": return .soundServer
        case let word?:
            guard word.hasPrefix("alsa:"), case let device = String(word.dropFirst(5)), !device.isEmpty,
                device.utf8.count <= 200, device.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
            else { throw ValidationError("--sound is auto, pulse or alsa:DEVICE (segue devices), not '\(word)'") }
            return .device(device)
        }
    }

    private func askForNetwork(_ questions: SetupQuestions?) -> String? {
        guard let questions else { return nil }
        print(
            """

            Phones and other machines can control the server, if it lets them:
              off       only this machine
              lan       everybody on the local network
              password  whoever knows a password
            """
        )
        let listensToOthers = current.listeners.contains(where: \.address.isOpenToNetwork)
        let word = questions.ask("Who may connect?", byDefault: listensToOthers ? "as it is" : "lan")
        return word == "as it is" ? nil : word
    }

    private func network(_ word: String?, _ questions: SetupQuestions?) throws -> SetupChoices.Network? {
        switch word {
        case nil: return nil
        case "off": return .thisMachine
        case "lan": return .local
        case "password":
            let answer = questions?.ask("The password (Enter: one is made)?", byDefault: "") ?? ""
            return .password(answer.isEmpty ? SetupReport.randomPassword() : answer)
        case let word?: throw ValidationError("--network is off, lan or password, not '\(word)'")
        }
    }

    private func homeAssistant(_ text: String) throws -> HomeAssistant {
        guard let place = HomeAssistant.parse(text) else {
            throw ValidationError("--home-assistant takes a name or an address, perhaps with a port, not '\(text)'")
        }
        guard let address = IPAddress(place.name) ?? Self.address(of: place.name) else {
            throw ValidationError("there is no address of \(place.name); give Home Assistant's address")
        }
        return HomeAssistant(name: place.name, port: place.port, address: address)
    }

    /// The first address of a name; blocks.
    private static func address(of name: String) -> IPAddress? {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(name, nil, &hints, &list) == 0, let first = unsafe list else { return nil }
        defer { unsafe freeaddrinfo(first) }
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let (address, length) = unsafe (first.pointee.ai_addr, first.pointee.ai_addrlen)
        guard unsafe getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
            return nil
        }
        return IPAddress(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    // MARK: Findings

    func findings(for choices: SetupChoices) -> SetupFindings {
        var found = SetupFindings(file: file, text: contents, environment: environment)
        found.hasSystemd = hasSystemd
        if hasSystemd, choices.service != .none {
            let manager = choices.service == .user ? ["--user"] : []
            found.isEnabled =
                (try? Self.run(["systemctl"] + manager + ["--quiet", "is-enabled", "segued"], isSilent: true)) ?? false
        }
        found.isLingering = isLingering
        found.mpd = mpd
        found.mpdConf = mpdConf
        found.program = siblingProgram("segue") ?? "segue"
        if let person = environment.variables["SUDO_USER"], person != "root",
            person.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), !person.hasPrefix("-")
        {
            found.person = person
        }
        return found
    }

    /// As sd_booted(3) finds out.
    private var hasSystemd: Bool { fileExists("/run/systemd/system") }

    private var isLingering: Bool {
        environment.variables["USER"].map { !$0.contains("/") && fileExists("/var/lib/systemd/linger/\($0)") } ?? false
    }

    private var mpd: SetupFindings.MPD? {
        guard let found = RunningMPD.find(in: environment).first else { return nil }
        let units = ["mpd.socket", "mpd.service"]
        switch found.manager {
        case .userUnit:
            return .init(
                stop: ["systemctl", "--user", "disable", "--now"] + units,
                start: ["systemctl", "--user", "enable", "--now"] + units
            )
        case .systemUnit:
            let command = (isSystem ? [] : ["sudo"]) + ["systemctl"]
            return .init(stop: command + ["disable", "--now"] + units, start: command + ["enable", "--now"] + units)
        case .none: return found.process.map { .init(stop: ["kill", "\($0)"], start: nil) }
        }
    }

    private var mpdConf: String? {
        ImportSources.usualConfigurationFiles(in: environment).first { unsafe access($0, R_OK) == 0 }
    }

    private var mpdMusic: String? {
        mpdConf.flatMap { try? Configuration.load(mpdConf: $0, in: environment).configuration.musicDirectory }
    }

    // MARK: Commands

    /// Runs a command to its end; it gets this process's terminal, at which `sudo` asks for a password.
    private static func run(_ words: [String]) throws -> Bool { try run(words, isSilent: false) }

    private static func run(_ words: [String], isSilent: Bool) throws -> Bool {
        var program = ProgramStart(words)
        program.environment = .whole
        guard isSilent else { return try finish(program) }
        let nowhere = try Descriptor("/dev/null", .appending)
        defer { _ = nowhere.number }
        program.streams = .init(input: nowhere.number, output: nowhere.number, errors: nowhere.number)
        return try finish(program)
    }

    private static func finish(_ program: ProgramStart) throws -> Bool {
        let process: RunningProgram
        do throws(ProgramStart.Failure) {
            process = try program.run()
        } catch {
            let reason = unsafe String(cString: strerror(error.number))
            throw SetupPlan.Failure(description: "\(program.words[0]): \(reason)")
        }
        let hasTerminal = tcgetpgrp(STDIN_FILENO) == getpgrp()
        if hasTerminal {
            tcsetpgrp(STDIN_FILENO, process.id)
            // It may have been stopped already for using the terminal.
            process.sendToAll(SIGCONT)
        }
        defer { if hasTerminal { takeTerminal() } }
        return process.waitForEnd() == .exited(0)
    }

    /// Takes the terminal back from a program that had it.
    private static func takeTerminal() {
        let former = signal(SIGTTOU, SIG_IGN)
        tcsetpgrp(STDIN_FILENO, getpgrp())
        _ = signal(SIGTTOU, former)
    }
}
