internal import ValueText

/// A zone's session settings while they are being read; `nil` for keys that are absent.
struct ZoneSessionDraft: Sendable {
    var category: String?
    var mode: String?
    var options: [String]?
    var resumesAutomatically: Bool?
    var maxVolume: Int?

    /// Overrides the settings that are present.
    func apply(to session: inout ZoneSession) {
        session.category = category ?? session.category
        session.mode = mode ?? session.mode
        session.options = options ?? session.options
        session.resumesAutomatically = resumesAutomatically ?? session.resumesAutomatically
        session.maxVolume = maxVolume ?? session.maxVolume
    }
}

extension Schema {
    static let session: [Setting<SessionSettings>] = [
        Setting("fade", .milliseconds(50...200), \.fade),
        Setting("duck", .decibels(0...60), \.duck),
        Setting("duck-ramp", .milliseconds(80...200), \.duckRamp),
        Setting("lease", .time(1...604_800)) { $0.lease = $1 ?? $0.lease },
    ]

    static let foreign: [Setting<ForeignRule>] = [
        Setting("name", foreignName, \.name),
        Setting("binary", foreignName, \.binary),
        Setting("role", foreignName, \.role),
        Setting("ignore", .truth, \.isIgnored),
        Setting("category", category, \.category),
        Setting("mode", mode, \.mode),
        Setting("options", options, \.options),
    ]

    private static let foreignName = SettingType("a name of 1 to 256 bytes") { (text: String) in
        (1...256).contains(text.utf8.count) ? text : nil
    }

    /// The session keys of every zone; those of the default zone are outside of any table.
    static func zoneSession<Target>(
        _ place: any WritableKeyPath<Target, ZoneSessionDraft> & Sendable
    ) -> [Setting<Target>] {
        [
            Setting("category", category) { $0[keyPath: place].category = $1 },
            Setting("mode", mode) { $0[keyPath: place].mode = $1 },
            Setting("options", options) { $0[keyPath: place].options = $1 },
            Setting("auto-resume", .truth) { $0[keyPath: place].resumesAutomatically = $1 },
            Setting("max-volume", .count(0...100)) { $0[keyPath: place].maxVolume = $1 },
        ]
    }

    private static let category = SettingType("a category such as \"playback\"") {
        (text: String) throws(ArgumentProblem) in try known(text, "category", among: ZoneSession.categories)
    }

    private static let mode = SettingType("a mode such as \"spokenAudio\"") {
        (text: String) throws(ArgumentProblem) in try known(text, "mode", among: ZoneSession.modes)
    }

    private static let options = SettingType<[String]>("a list of options such as [\"mixWithOthers\"]") {
        (node, _) throws(ArgumentProblem) in
        guard let names = node.texts else { return nil }
        var options: [String] = []
        for name in names where !options.contains(name) {
            options.append(try known(name, "option", among: ZoneSession.optionNames))
        }
        return options
    }

    private static func known(
        _ name: String,
        _ what: String,
        among names: [String]
    ) throws(ArgumentProblem) -> String {
        if names.contains(name) { return name }
        let hint = NearestWord.best(for: name, among: names).map { "; did you mean \(quoted($0))?" } ?? ""
        throw ArgumentProblem("there is no \(what) \(quoted(name))\(hint)")
    }
}

extension ForeignRule {
    func finished(_ node: Node, _ reading: inout Reading) -> ForeignRule? {
        guard name != nil || binary != nil || role != nil else {
            if !["name", "binary", "role"].contains(where: node.has) {
                reading.error(node.line, "a [[foreign]] table needs a \"name\", a \"binary\" or a \"role\"")
            }
            return nil
        }
        if isIgnored, category != nil || mode != nil || options != nil {
            reading.error(node.line, "a [[foreign]] table with \"ignore\" has no \"category\", \"mode\" or \"options\"")
        }
        return self
    }
}
