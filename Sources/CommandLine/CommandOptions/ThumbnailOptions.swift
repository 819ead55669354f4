package import ArgumentParser
internal import AudioTypes
internal import ValueText

/// The arguments of `segue thumbnail`.
package struct ThumbnailOptions: ParsableArguments, Sendable {
    @Argument(
        help: ArgumentHelp("Pictures, films, songs with a cover, and folders of them.", valueName: "file"),
        completion: .file()
    )
    package var files: [String] = []

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "A folder to write to, or with one file also a file: .jpg, .png or .webp. Without it: the current folder.",
            valueName: "place"
        ),
        completion: .file()
    )
    package var output: String?

    @Option(help: ArgumentHelp("The longest side, in pixels; nothing is enlarged.", valueName: "pixels"))
    package var size = 320

    @Option(help: ArgumentHelp("Where in a film: a time, or a part such as 10%.", valueName: "moment"))
    package var at: String?

    @Flag(help: "Take the very frame at that moment, not the keyframe before.")
    package var exact = false

    @Option(help: ArgumentHelp("Put so many frames of a film side by side.", valueName: "frames"))
    package var strip: Int?

    @Option(help: ArgumentHelp("How many files are decoded at once; the default is one for each core.", valueName: "n"))
    package var jobs: Int?

    @Flag(help: "Replace files that are there; without it they are left as they are.")
    package var force = false

    @Flag(help: "Print one JSON object per file; see segue-json(7).")
    package var json = false

    package init() {}

    package static let sizes = 1...16_384

    package func validate() throws {
        if files.isEmpty { throw ValidationError("nothing to make small: name a file or folder") }
        if files.contains(where: \.isEmpty) { throw ValidationError("a file's name cannot be empty") }
        if let url = files.first(where: { $0.contains("://") }) {
            throw ValidationError("thumbnail takes files only, and no addresses: \(url)")
        }
        if output?.isEmpty == true { throw ValidationError("--output needs a file or folder") }
        guard Self.sizes.contains(size) else { throw ValidationError("--size is 1 to 16384 pixels") }
        if let strip, !(1...100).contains(strip) { throw ValidationError("--strip is 1 to 100 frames") }
        if let jobs, !(1...64).contains(jobs) { throw ValidationError("--jobs is 1 to 64") }
        if strip != nil, at != nil || exact { throw ValidationError("--strip excludes --at and --exact") }
        if exact, at == nil { throw ValidationError("--exact needs --at") }
        _ = try moment()
    }

    /// Where in a film.
    package enum Moment: Sendable, Hashable {
        /// 0 to 1.
        case part(Double)
        case seconds(Double)
    }

    /// `--at`'s; `nil` without it.
    package func moment() throws -> Moment? { try MomentArgument.parse(at) }
}

/// A moment of a film, as people write it.
package enum MomentArgument {
    /// - Returns: `nil` for `nil`.
    package static func parse(_ text: String?) throws -> ThumbnailOptions.Moment? {
        guard let text else { return nil }
        if text.hasSuffix("%") {
            guard let percent = Double(text.dropLast()), (0...100).contains(percent) else {
                throw ValidationError("--at is a time such as 1:02, or a part of 0% to 100%")
            }
            return .part(percent / 100)
        }
        do { return .seconds(try TimeArgument.parse(text).seconds) } catch { throw ValidationError("--at: \(error)") }
    }
}
