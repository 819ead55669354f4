internal import ArgumentParser

/// How a terminal is given pictures.
package enum GraphicsOption: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    /// The best that the terminal says it can show.
    case automatic = "auto"
    case kitty, iterm, sixel, symbols
}

/// The options of verbs that show a cover.
package struct CoverOptions: ParsableArguments, Sendable {
    @Flag(help: "Show the cover, too, on a terminal.")
    package var cover = false

    @Option(
        help: ArgumentHelp("How pictures are shown: auto, kitty, iterm, sixel or symbols.", valueName: "way")
    )
    package var graphics = GraphicsOption.automatic

    package init() {}
}
