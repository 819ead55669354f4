import Testing

/// What clients say to a server, in order.
///
///     status              the first client asks; a reply is read
///     2: status           another client does, which connects when it is first named
///     > idle, 2> idle     nothing is read
///     <, 2<               a reply is read
///     end, 2end           the server is to end the connection; the client connects again if it is named again
///     list: a | b         a command list; `oklist:` one whose successes are told
///     raw2: pi\n          bytes, with the escapes \n, \r, \t and \xHH
///     wait KEY VALUE      the first client asks for the status until a value is there
///     $1, @1              stand for the first id, and the first version of the queue, that were seen
struct Session: Sendable, CustomTestStringConvertible {
    let name: String
    let lines: [String]

    init(_ name: String, _ text: String) {
        self.name = name
        lines = text.split(separator: "\n", omittingEmptySubsequences: true).map(String.init)
    }

    var testDescription: String { name }

    static let all =
        queueSessions + playingSessions + playlistSessions + fileSessions + librarySessions
        + serverSessions
}
