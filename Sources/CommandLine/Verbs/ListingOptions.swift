package import ArgumentParser

/// The arguments of `segue probe`.
package struct ProbeOptions: ParsableArguments, Sendable {
    @Argument(help: ArgumentHelp("Media files or URLs.", valueName: "file"), completion: .file())
    package var locations: [String] = []

    @Flag(help: "Print one JSON object per file; see segue-json(7).")
    package var json = false

    @OptionGroup(title: "Streams")
    package var request: RequestOptions

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
