import ArgumentParser
import Glibc
import Threads
import Verbs

/// Makes pictures small: the command that people run, and the sandboxed workers that decode for it and for segued.
@main
enum Program {
    static func main() {
        if CommandLine.arguments.dropFirst() == ["worker"] { PictureWork.run() }
        ProcessSignals.unblock()
        SeguePictures.main(Array(CommandLine.arguments.dropFirst()))
    }
}

/// The user runs `segue`, which executes this program; so this one calls itself `segue` in all messages.
struct SeguePictures: ParsableCommand {
    static let configuration = CommandConfiguration.root(
        version: "segue \(segueVersion)",
        subcommands: [Thumbnail.self]
    )
}
