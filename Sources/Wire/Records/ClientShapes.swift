internal import TextEncodings

/// Clients, their rights, and what became of them.
extension RecordShape {
    /// The reply to `clients list` and `clients show`.
    package static let clients = RecordShape(
        "client",
        fields: [
            .anyText("client"), .anyText("status"), .anyText("permissions"), .anyText("classes"),
            .texts("allowed", as: "zones", isAlways: true), .anyText("until"), .anyText("hours"), .anyText("used"),
            .records("connections", connections),
        ]
    )

    private static let connections = RecordShape(
        "connection",
        fields: [
            .integer("connection"), .anyText("since"), .anyText("from"), .integer("process"), .anyText("program"),
            .anyText("partition", as: "zone"), .integer("idle"),
        ]
    )

    /// The reply to `pairing list`.
    package static let pairingRequests = RecordShape(
        "request",
        fields: [.anyText("request"), .anyText("code", or: ""), .anyText("from"), .integer("expires")]
    )

    /// The reply to `audit list` and `audit why`.
    package static let audit = RecordShape(
        "entry",
        fields: [
            .anyText("entry"), .anyText("time"), .anyText("client"), .anyText("text"), .integer("count", or: 1),
        ]
    )
}
