package import ArgumentParser
package import CommandOptions
import TerminalText
import Threads

// The options are the command: each group in a group takes ArgumentParser five times as long to check in a debug build.
extension PlayOptions: AsyncParsableCommand {
    package static var configuration: CommandConfiguration { .play }

    package func run() async throws {
        let ending = await PlaySession.run(self)
        Terminal.restore()
        if let signal = ending.signal { ProcessSignals.die(by: signal) }
        throw ending.status.exitCode
    }
}
