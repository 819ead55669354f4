import TestSupport

/// A program of its own that holds a session, to be killed.
struct SessionOwner {
    let process: ChildProcess

    private static let script = """
        import socket, sys
        place = socket.socket(socket.AF_UNIX)
        place.connect(sys.argv[1])
        lines = place.makefile("rw")
        lines.readline()
        def ask(line):
            lines.write(line + "\\n"); lines.flush()
            reply = []
            while True:
                reply.append(lines.readline().strip())
                if reply[-1] == "OK" or reply[-1].startswith("ACK"): return reply
        if len(sys.argv) > 3: ask("partition " + sys.argv[3])
        number = ask("session open owner")[0].split()[1]
        for line in ["category %s " + sys.argv[2], "activate %s", "playing %s 1"]: ask("session " + line % number)
        print("heard", flush=True)
        lines.readline()
        """

    /// - Parameter category: As `session category` takes it, without the number.
    init(of stage: Stage, _ category: String, zone: String? = nil) throws {
        let words = ["-c", Self.script, stage.socket, category] + (zone.map { [$0] } ?? [])
        process = try ChildProcess("/usr/bin/python3", words)
    }

    func waitUntilHeard() async throws { try await process.waitForOutput("heard") }
}
