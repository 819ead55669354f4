import ArgumentParser
import TerminalText
import Threads
import Verbs

struct Play: AsyncParsableCommand {
    static let configuration = CommandConfiguration.play
    @OptionGroup var options: PlayOptions

    func run() async throws {
        let ending = await PlaySession.run(options)
        Terminal.restore()
        if let signal = ending.signal { ProcessSignals.die(by: signal) }
        throw ending.status.exitCode
    }
}
