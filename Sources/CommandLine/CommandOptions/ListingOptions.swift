package import ArgumentParser

/// The arguments of `segue probe`.
package struct ProbeOptions: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("Media files or URLs.", valueName: "file"), completion: .file())
    package var locations: [String] = []

    @Flag(help: "Print one JSON object per file; see segue-json(7).")
    package var json = false

    @OptionGroup(title: "Streams")
    package var request: RequestOptions

    @OptionGroup package var text: TextOptions

    package init() {}

    package func validate() throws {
        if locations.isEmpty { throw ValidationError("nothing to probe: name a file or URL") }
        if locations.contains(where: \.isEmpty) { throw ValidationError("a file's name cannot be empty") }
    }
}

/// The arguments of `segue devices`.
package struct DevicesOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Address of the sound server; the default is PULSE_SERVER's.", valueName: "address"))
    package var server: String?

    @Flag(help: "Print one JSON object per sink; see segue-json(7).")
    package var json = false

    @Flag(help: "Print the sinks' names only, for scripts.")
    package var names = false

    @Flag(help: "Print the list again whenever it changes, until it is interrupted.")
    package var follow = false

    package init() {}

    package func validate() throws {
        if json, names { throw ValidationError("--json and --names exclude each other") }
    }
}

/// The arguments of `segue discover`.
package struct DiscoverOptions: ParsableArguments, Sendable {
    @Option(help: ArgumentHelp("Wait at most so many seconds for slow machines.", valueName: "seconds"))
    package var timeout = 3.0

    @Flag(help: "Print one JSON object per server; see segue-json(7).")
    package var json = false

    @Flag(help: "Print the servers' names only, for scripts.")
    package var names = false

    @Option(help: ArgumentHelp("Print only the address and port of the server with this name.", valueName: "name"))
    package var name: String?

    package init() {}

    package func validate() throws {
        if [json, names, name != nil].count(where: \.self) > 1 {
            throw ValidationError("--json, --names and --name exclude each other")
        }
        guard (0.1...60).contains(timeout) else { throw ValidationError("--timeout takes 0.1 to 60 seconds") }
    }
}
