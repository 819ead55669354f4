package import ArgumentParser
package import Charsets
internal import ValueText

/// How texts in files and from stations are read.
package struct TextOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "The character set of tags, playlists, subtitles and titles that declare none, such as windows-1251 (default: judged by the text).",
            valueName: "name"
        ),
        completion: .list([
            "windows-1251", "koi8-r", "windows-1250", "windows-1253", "cp932", "gb18030", "big5", "utf-8",
        ]),
        transform: { name throws in
            guard let charset = Charset(named: name) else {
                throw ArgumentProblem(
                    "'\(name.prefix(40))' is not a character set that this system can read; see iconv -l"
                )
            }
            return charset
        }
    )
    package var charset: Charset?

    package init() {}
}
