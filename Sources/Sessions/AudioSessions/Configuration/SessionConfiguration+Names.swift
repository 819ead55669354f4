extension SessionConfiguration {
    /// Parses and checks a combination of Apple's names.
    package init(
        named category: String,
        mode: String = "default",
        options: [String] = [],
        policy: String = "default"
    ) throws(SessionError) {
        guard let known = SessionCategory(rawValue: category) else {
            throw Self.unknown("category", category, among: SessionCategory.allCases.map(\.rawValue))
        }
        guard let knownMode = SessionMode(rawValue: mode) else {
            throw Self.unknown("mode", mode, among: SessionMode.allCases.map(\.rawValue))
        }
        guard let knownPolicy = RouteSharingPolicy(name: policy) else {
            throw Self.unknown("policy", policy, among: RouteSharingPolicy.allCases.map(\.name))
        }
        var knownOptions: SessionOptions = []
        for name in options {
            guard let option = SessionOptions(name: name) else {
                throw Self.unknown("option", name, among: SessionOptions.named.map(\.name))
            }
            knownOptions.formUnion(option)
        }
        try self.init(category: known, mode: knownMode, options: knownOptions, policy: knownPolicy)
    }

    private static func unknown(_ what: String, _ name: String, among names: [String]) -> SessionError {
        SessionError(.badParam, "there is no \(what) '\(name)'; use one of \(names.joined(separator: ", "))")
    }
}

extension SessionPreference {
    /// Parses a preference: its name, and 0, 1, or `default` where the system has a rule of its own.
    package init(named name: String, value: String) throws(SessionError) {
        switch (name, value) {
        case ("noInterruptionsFromSystemAlerts", "0"), ("noInterruptionsFromSystemAlerts", "1"):
            self = .noInterruptionsFromSystemAlerts(value == "1")
        case ("interruptionOnRouteDisconnect", "default"):
            self = .interruptionOnRouteDisconnect(nil)
        case ("interruptionOnRouteDisconnect", "0"), ("interruptionOnRouteDisconnect", "1"):
            self = .interruptionOnRouteDisconnect(value == "1")
        case ("autoResume", "0"), ("autoResume", "1"):
            self = .autoResume(value == "1")
        case ("noInterruptionsFromSystemAlerts", _), ("interruptionOnRouteDisconnect", _), ("autoResume", _):
            throw SessionError(.badParam, "preference \(name) is 0 or 1, not '\(value)'")
        default:
            throw SessionError(
                .badParam,
                "there is no preference '\(name)'; use noInterruptionsFromSystemAlerts, "
                    + "interruptionOnRouteDisconnect or autoResume"
            )
        }
    }
}
