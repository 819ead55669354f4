import AudioTypes
import Settings
import Testing

@testable import Setup

/// What a setup writes and runs.
struct SetupPlanTests {
    /// A person's machine, without a configuration.
    private var found: SetupFindings {
        var found = SetupFindings(
            file: "/home/ada/.config/segue/segued.toml",
            text: nil,
            environment: ProcessEnvironment(
                variables: ["XDG_RUNTIME_DIR": "/run/user/1000"],
                userID: 1_000,
                home: "/home/ada",
                currentDirectory: "/home/ada"
            )
        )
        found.hasSystemd = true
        return found
    }

    /// The machine as root sees it.
    private var system: SetupFindings {
        var found = SetupFindings(
            file: "/etc/segue/segued.toml",
            text: nil,
            environment: ProcessEnvironment(variables: [:], userID: 0, home: "/root", currentDirectory: "/")
        )
        found.hasSystemd = true
        return found
    }

    private func written(_ plan: SetupPlan) -> String? {
        for case .write(_, _, let after, _) in plan.steps { return after }
        return nil
    }

    private func commands(_ plan: SetupPlan) -> [String] {
        plan.steps.compactMap { if case .run(let words, _) = $0 { words.joined(separator: " ") } else { nil } }
    }

    @Test func withTheDefaultsOnlyTheServiceIsStarted() throws {
        let plan = try SetupPlan(SetupChoices(), found)
        #expect(
            plan.steps == [
                .run(
                    ["systemctl", "--user", "enable", "--now", "segued"],
                    undo: ["systemctl", "--user", "disable", "--now", "segued"]
                )
            ]
        )
    }

    @Test func theNetworkIsLetInBesideTheSocket() throws {
        var choices = SetupChoices()
        choices.network = .local
        choices.music = "/srv/\"music\""
        let text = try #require(written(try SetupPlan(choices, found)))
        #expect(
            text == """
                music-directory = "/srv/\\"music\\""
                listen = ["unix:/run/user/1000/segue/socket", "tcp::6600"]
                allow-anonymous = "lan"

                """
        )
    }

    @Test func theGroupOfTheSystemServiceKeepsItsSocket() throws {
        var choices = SetupChoices()
        choices.service = .system
        choices.network = .local
        let text = try #require(written(try SetupPlan(choices, system)))
        let loaded = try Configuration.parse(text, file: "segued.toml", in: system.environment).configuration
        #expect(
            loaded.listeners.map(\.address) == [
                .unix(path: "/run/segue/socket", mode: 0o660), .tcp(host: nil, port: 6600),
            ]
        )
    }

    @Test func aPasswordIsForTheServiceAlone() throws {
        var choices = SetupChoices()
        choices.service = .system
        choices.network = .password("correct horse")
        var machine = system
        machine.person = "ada"
        let plan = try SetupPlan(choices, machine)
        guard case .write(_, _, let text, let isSecret)? = plan.steps.first else { throw Missing() }
        #expect(isSecret)
        #expect(text.contains("[[password]]\npassword = \"correct horse\""))
        #expect(
            commands(plan) == [
                "chgrp segue /etc/segue/segued.toml", "chmod 640 /etc/segue/segued.toml",
                "systemctl enable --now segued", "usermod -aG segue ada",
            ]
        )
    }

    @Test func whatIsConfiguredStaysAsItIsWritten() throws {
        var machine = found
        machine.text = """
            # mine
            music-directory = "/mnt/music"   # on the NAS

            [[output]]
            name = "DAC"
            type = "alsa"
            """
        var choices = SetupChoices()
        choices.sound = .device("hw:CARD=Other")
        choices.network = .local
        let plan = try SetupPlan(choices, machine)
        #expect(
            written(plan) == """
                # mine
                music-directory = "/mnt/music"   # on the NAS
                listen = ["unix:/run/user/1000/segue/socket", "tcp::6600"]
                allow-anonymous = "lan"

                [[output]]
                name = "DAC"
                type = "alsa"

                """
        )
        #expect(plan.notes.contains { $0.contains("outputs already") })
    }

    @Test func aSecondSetupChangesNothing() throws {
        var choices = SetupChoices()
        choices.network = .local
        choices.homeAssistant = HomeAssistant(name: "ha.lan", port: 8_123, address: try #require(IPAddress("10.0.0.2")))
        var machine = found
        machine.text = written(try SetupPlan(choices, machine))
        machine.isEnabled = true
        let plan = try SetupPlan(choices, machine)
        #expect(written(plan) == nil)
        #expect(commands(plan) == ["systemctl --user restart segued"])
        // And back.
        choices.network = .thisMachine
        #expect(
            written(try SetupPlan(choices, machine))?
                .contains("listen = [\"unix:/run/user/1000/segue/socket\", \"tcp:127.0.0.1:6600\"]") == true
        )
    }

    @Test func homeAssistantSpeaksByNameAndByAddress() throws {
        var choices = SetupChoices()
        choices.homeAssistant = HomeAssistant(name: "ha.lan", port: 8_123, address: try #require(IPAddress("10.0.0.2")))
        let plan = try SetupPlan(choices, found)
        let loaded = try Configuration.parse(written(plan) ?? "", file: "x", in: found.environment).configuration
        #expect(
            loaded.announcementRules.map(\.prefix) == [
                "http://ha.lan:8123/api/tts_proxy/", "http://10.0.0.2:8123/api/tts_proxy/",
            ]
        )
        #expect(loaded.announcementRules.allSatisfy { $0.host == AddressRange("10.0.0.2") })
        #expect(plan.notes.contains { $0.contains("--network") })
    }

    @Test(arguments: [
        ("listen = [\n  \"tcp:127.0.0.1:6600\",\n]\n", "line 1 sets listen in several lines"),
        ("musik = 1\n", "musik"),
    ])
    func whatCannotBeChangedIsToldWithItsLine(_ text: String, _ reason: String) throws {
        var machine = found
        machine.text = text
        var choices = SetupChoices()
        choices.network = .local
        let error = #expect(throws: SetupPlan.Failure.self) { _ = try SetupPlan(choices, machine) }
        #expect(error?.description.contains(reason) == true)
    }

    @Test func mpdIsStoppedFirstAndImportedLast() throws {
        var machine = found
        machine.mpd = .init(stop: ["systemctl", "--user", "disable", "--now", "mpd.service"], start: ["start"])
        machine.mpdConf = "/etc/mpd.conf"
        machine.program = "/usr/bin/segue"
        var choices = SetupChoices()
        choices.replacesMPD = true
        choices.lingers = true
        #expect(
            commands(try SetupPlan(choices, machine)) == [
                "systemctl --user disable --now mpd.service", "systemctl --user enable --now segued",
                "loginctl enable-linger", "/usr/bin/segue import-mpd --mpd-conf /etc/mpd.conf",
            ]
        )
    }

    @Test func withoutSystemdItSaysHowToStart() throws {
        var machine = found
        machine.hasSystemd = false
        let plan = try SetupPlan(SetupChoices(), machine)
        #expect(plan.steps.isEmpty)
        #expect(plan.notes.contains { $0.contains("no systemd") })
    }

    @Test(arguments: [
        ("ha.lan", "ha.lan", 8_123), ("10.0.0.2:80", "10.0.0.2", 80), ("[fe80::1]:81", "fe80::1", 81),
        ("fe80::1", "fe80::1", 8_123),
    ])
    func homeAssistantsAreParsed(_ text: String, _ name: String, _ port: Int) {
        let parsed = HomeAssistant.parse(text)
        #expect(parsed?.name == name)
        #expect(parsed?.port == port)
    }

    @Test(arguments: ["", "a b", "ha:0", "ha:x", "http://ha", "ha\"\n"])
    func whatIsNoNameIsNoHomeAssistant(_ text: String) { #expect(HomeAssistant.parse(text) == nil) }
}

private struct Missing: Error {}
