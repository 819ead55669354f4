import AudioSessions
import Testing

/// The specification's tables of options (1.2), modes (1.3) and policies (1.4), in its words.
private enum Specification {
    static let options = """
        mixWithOthers                        0x1     ambient playback playAndRecord multiRoute+default
        duckOthers                           0x2     ambient playback playAndRecord multiRoute+default
        allowBluetoothHFP                    0x4     playAndRecord record multiRoute+dualRoute
        defaultToSpeaker                     0x8     playAndRecord
        interruptSpokenAudioAndMixWithOthers 0x11    playback playAndRecord multiRoute+default
        allowBluetoothA2DP                   0x20    playAndRecord
        allowAirPlay                         0x40    playAndRecord
        overrideMutedMicrophoneInterruption  0x80    playAndRecord multiRoute
        farFieldInput                        0x40000 playAndRecord record multiRoute+dualRoute
        bluetoothHighQualityRecording        0x80000 playAndRecord+default multiRoute+default
        """

    static let modes = """
        default        ambient soloAmbient playback record playAndRecord multiRoute
        voiceChat      playAndRecord
        videoChat      playAndRecord
        gameChat       playAndRecord
        videoRecording playAndRecord record
        measurement    playback record playAndRecord
        moviePlayback  playback
        spokenAudio    ambient soloAmbient playback record playAndRecord multiRoute
        voicePrompt    ambient soloAmbient playback record playAndRecord multiRoute
        shortFormVideo playback
        dualRoute      multiRoute
        """

    /// Where a policy is legal: category+mode, and without any option.
    static let policies = """
        longFormAudio playback+default playback+moviePlayback playback+spokenAudio
        longFormVideo playback+default playback+moviePlayback playback+spokenAudio
        independent
        """

    /// What an option, a mode or a category brings along.
    static let implications = """
        option   duckOthers                           mixWithOthers
        option   interruptSpokenAudioAndMixWithOthers mixWithOthers
        category ambient                              mixWithOthers
        mode     voiceChat                            allowBluetoothHFP
        mode     videoChat                            allowBluetoothHFP
        mode     videoChat                            defaultToSpeaker
        """

    /// What an option or a mode cannot do without.
    static let needs = """
        option farFieldInput allowBluetoothHFP
        mode   dualRoute     allowBluetoothHFP
        """

    static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    }
}

/// Answers from the tables, by looking words up.
private struct Oracle {
    let raw: [String: UInt]
    private let places: [String: Set<String>]
    private let modes: [String: Set<String>]
    private let policies: [String: Set<String>]
    private let implications = Specification.rows(Specification.implications)
    private let needs = Specification.rows(Specification.needs)

    init() {
        func table(_ text: String, from column: Int) -> [String: Set<String>] {
            .init(uniqueKeysWithValues: Specification.rows(text).map { ($0[0], Set($0[column...])) })
        }
        raw = .init(
            uniqueKeysWithValues: Specification.rows(Specification.options).map {
                ($0[0], UInt($0[1].dropFirst(2), radix: 16) ?? 0)
            }
        )
        places = table(Specification.options, from: 2)
        modes = table(Specification.modes, from: 1)
        policies = table(Specification.policies, from: 1)
    }

    /// The options as they read back; `nil` when the combination is illegal.
    func verdict(_ category: String, _ mode: String, _ options: Set<String>, _ policy: String) -> UInt? {
        guard modes[mode]?.contains(category) == true else { return nil }
        for option in options {
            guard let places = places[option] else { return nil }
            guard places.contains(category) || places.contains("\(category)+\(mode)") else { return nil }
        }
        if policy != "default" {
            guard options.isEmpty, policies[policy]?.contains("\(category)+\(mode)") == true else { return nil }
        }
        var all = options
        for row in implications where has(row, category, mode, options) { all.insert(row[2]) }
        for row in needs where has(row, category, mode, options) && !all.contains(row[2]) { return nil }
        return all.reduce(0) { $0 | (raw[$1] ?? 0) }
    }

    private func has(_ row: [String], _ category: String, _ mode: String, _ options: Set<String>) -> Bool {
        switch row[0] {
        case "category": row[1] == category
        case "mode": row[1] == mode
        default: options.contains(row[1])
        }
    }
}

@Suite struct ConfigurationTests {
    private let oracle = Oracle()

    /// Row 9: each of 315,392 combinations has a verdict.
    @Test(arguments: SessionCategory.allCases)
    func everyCombinationHasItsVerdict(category: SessionCategory) {
        let names = oracle.raw.keys.sorted()
        var wrong: [String] = []
        var legal = 0
        for mode in SessionMode.allCases {
            for choice in 0..<(1 << names.count) {
                let chosen = names.indices.filter { choice & (1 << $0) != 0 }.map { names[$0] }
                let options = chosen.reduce(into: SessionOptions()) { $0.formUnion(SessionOptions(name: $1) ?? []) }
                for policy in RouteSharingPolicy.allCases {
                    let wanted = oracle.verdict(category.rawValue, mode.rawValue, Set(chosen), policy.name)
                    let got = try? SessionConfiguration(
                        category: category,
                        mode: mode,
                        options: options,
                        policy: policy
                    )
                    if got != nil { legal += 1 }
                    if got?.options.rawValue != wanted { wrong.append("\(mode) \(chosen) \(policy)") }
                }
            }
        }
        #expect(wrong.isEmpty, "\(wrong.count), such as \(wrong.prefix(3))")
        #expect((legal > 0) == (category != .audioProcessing))
    }

    /// Row 58 and 1.2: names and numbers are Apple's.
    @Test func optionsHaveApplesNamesAndValues() {
        #expect(SessionOptions.named.count == oracle.raw.count)
        for (name, option) in SessionOptions.named {
            #expect(option.rawValue == oracle.raw[name])
            #expect(SessionOptions(name: name) == option)
        }
        #expect(SessionOptions(name: "allowBluetooth") == .allowBluetoothHFP)
        #expect(SessionOptions(name: "loud") == nil)
        #expect(
            SessionOptions.interruptSpokenAudioAndMixWithOthers.names
                == ["mixWithOthers", "interruptSpokenAudioAndMixWithOthers"]
        )
    }

    @Test func refusalsNameWhatIsWrong() {
        let refused = #expect(throws: SessionError.self) {
            try SessionConfiguration(category: .soloAmbient, options: .duckOthers)
        }
        #expect(
            refused?.description
                == "badParam: option duckOthers does not go with category soloAmbient in mode default; leave it out"
        )
        #expect(refused?.code.rawValue == -50)
    }

    @Test(arguments: [UInt(0x10), 0x100, 1 << 20, 1 << 63])
    func unknownBitsAreRefused(bits: UInt) {
        #expect(throws: SessionError.self) {
            try SessionConfiguration(category: .playAndRecord, options: SessionOptions(rawValue: bits))
        }
    }

    /// Rows 2, 10, 11, 13, 14 and 15, as a reader would try them.
    @Test func someReadBack() throws {
        #expect(SessionConfiguration.initial == (try SessionConfiguration(category: .soloAmbient)))
        let ducking = try SessionConfiguration(category: .playback, options: .duckOthers)
        #expect(ducking.options == [.duckOthers, .mixWithOthers])
        let speech = try SessionConfiguration(category: .playback, options: .interruptSpokenAudioAndMixWithOthers)
        #expect(speech.options.rawValue == 0x11 && speech.interruptsSpokenAudio)
        let mixing = try SessionConfiguration(category: .playback, options: .mixWithOthers)
        #expect(!mixing.interruptsSpokenAudio)
        #expect(throws: SessionError.self) { try SessionConfiguration(category: .playback, mode: .voiceChat) }
        let chat = try SessionConfiguration(category: .playAndRecord, mode: .voiceChat)
        #expect(chat.options == .allowBluetoothHFP)
        let video = try SessionConfiguration(category: .playAndRecord, mode: .videoChat)
        #expect(video.options == [.allowBluetoothHFP, .defaultToSpeaker])
        #expect(throws: SessionError.self) {
            try SessionConfiguration(category: .playback, options: .duckOthers, policy: .longFormAudio)
        }
    }

    /// What is read back can be set again.
    @Test func readingBackIsStable() throws {
        for (category, mode, options) in [
            (SessionCategory.ambient, SessionMode.default, SessionOptions.duckOthers), (.ambient, .spokenAudio, []),
            (.playAndRecord, .videoChat, .farFieldInput), (.playback, .voicePrompt, [.duckOthers]),
        ] {
            let first = try SessionConfiguration(category: category, mode: mode, options: options)
            let again = try SessionConfiguration(category: category, mode: mode, options: first.options)
            #expect(first == again)
        }
    }

    @Test func namesAreRead() throws {
        let prompt = try SessionConfiguration(
            named: "playback",
            mode: "voicePrompt",
            options: ["interruptSpokenAudioAndMixWithOthers", "duckOthers"]
        )
        #expect(prompt.options.rawValue == 0x13 && prompt.mode == .voicePrompt && prompt.policy == .default)
        let film = try SessionConfiguration(named: "playback", mode: "moviePlayback", policy: "longFormVideo")
        #expect(film.policy == .longFormVideo)
    }

    @Test(arguments: [
        ["loud", "default", "mixWithOthers", "default"], ["playback", "x", "mixWithOthers", "default"],
        ["playback", "default", "x", "default"], ["playback", "default", "mixWithOthers", "x"],
    ])
    func unknownNamesAreRefused(words: [String]) {
        let refused = #expect(throws: SessionError.self) {
            try SessionConfiguration(named: words[0], mode: words[1], options: [words[2]], policy: words[3])
        }
        #expect(refused?.description.hasPrefix("badParam: there is no ") == true)
    }

    @Test(arguments: [
        ("noInterruptionsFromSystemAlerts", "1", SessionPreference.noInterruptionsFromSystemAlerts(true)),
        ("interruptionOnRouteDisconnect", "default", .interruptionOnRouteDisconnect(nil)),
        ("interruptionOnRouteDisconnect", "0", .interruptionOnRouteDisconnect(false)),
        ("autoResume", "1", .autoResume(true)), ("autoResume", "yes", nil), ("loudness", "1", nil),
    ])
    func preferencesAreRead(name: String, value: String, wanted: SessionPreference?) {
        #expect((try? SessionPreference(named: name, value: value)) == wanted)
    }

    /// Row 58: the complete list of errors.
    @Test(arguments: [
        ("none", 0, nil), ("mediaServicesFailed", 1_836_282_486, "msrv"), ("isBusy", 560_030_580, "!act"),
        ("incompatibleCategory", 560_161_140, "!cat"), ("cannotInterruptOthers", 560_557_684, "!int"),
        ("missingEntitlement", 1_701_737_535, "ent?"), ("siriIsRecording", 1_936_290_409, "siri"),
        ("cannotStartPlaying", 561_015_905, "!pla"), ("cannotStartRecording", 561_145_187, "!rec"),
        ("badParam", -50, nil), ("insufficientPriority", 561_017_449, "!pri"),
        ("resourceNotAvailable", 561_145_203, "!res"), ("unspecified", 2_003_329_396, "what"),
        ("expiredSession", 561_210_739, "!ses"), ("sessionNotActive", 1_768_841_571, "inac"),
    ])
    func errorsHaveApplesNumbers(name: String, number: Int32, fourCC: String?) throws {
        let code = try #require(SessionErrorCode(rawValue: number))
        #expect(code.name == name)
        #expect(code.fourCC == fourCC)
        #expect(SessionErrorCode.allCases.count == 15)
    }
}
