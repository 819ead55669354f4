extension Schema {
    /// The keys of `[tls]`: encrypted listeners.
    static let tls: [Setting<TLSSettings>] = [
        Setting("certificate", .path, \.certificate),
        Setting("key", .path, \.key),
        Setting("client-ca", .path, \.clientAuthority),
        Setting("oldest-version", .word, \.oldestVersion),
        Setting("required", .truth, \.isRequired),
    ]
}
