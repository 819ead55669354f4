package import ArgumentParser
package import AudioTypes
internal import ValueText

/// The options for HTTP requests.
package struct RequestOptions: ParsableArguments, Sendable {
    @Flag(help: "Do not verify the certificates of HTTPS servers.")
    package var insecure = false

    @Option(
        help: ArgumentHelp(
            "Send this with each request to the server named; may be repeated.",
            valueName: "name: value"
        ),
        transform: HeaderArgument.parse
    )
    package var header: [HTTPOptions.Header] = []

    @Option(
        help: ArgumentHelp("The User-Agent header (default: Segue/VERSION).", valueName: "text"),
        transform: HeaderArgument.value
    )
    package var userAgent: String?

    package init() {}

    package var httpOptions: HTTPOptions {
        var options = HTTPOptions()
        options.verifiesCertificates = !insecure
        options.headers = header
        options.userAgent = userAgent
        return options
    }
}
