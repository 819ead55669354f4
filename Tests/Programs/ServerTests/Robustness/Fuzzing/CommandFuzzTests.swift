import Foundation
import TestSupport
import TestThreads
import Testing

/// Requests by chance, for every row of the command table, to a server with songs, sessions and zones.
///
/// `SEGUE_FUZZ_SECONDS` sets how long that goes on, `SEGUE_FUZZ_SEED` where chance begins.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct CommandFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["SEGUE_FUZZ_SECONDS"].flatMap(Double.init) ?? 20
    private static let seed = environment["SEGUE_FUZZ_SEED"].flatMap(UInt64.init) ?? 13

    /// Fewer would say nothing of the requests.
    private static let fewestAnswers = 100

    /// MB that the server may have for itself; the address sanitizer keeps freed memory and a shadow of all.
    private static let memory = environment["SEGUE_SANITIZER"] == nil ? 256.0 : 1_024

    @Test func everyArgumentHasValues() { #expect(CommandGrammar().unknownArguments == []) }

    @Test(.timeLimit(.minutes(60))) func whateverIsAsked() async throws {
        let folder = try TemporaryFolder()
        let grammar = CommandGrammar()
        var generator = SplitMix(state: Self.seed)
        let deadline = ContinuousClock.now + .seconds(Self.seconds)
        var (answers, refusals, closures) = (0, 0, 0)
        // A busy machine gives it little time.
        while ContinuousClock.now < deadline || answers < Self.fewestAnswers {
            // What a killed server left is what the next one begins with.
            let life = min(deadline, .now + .seconds(Self.seconds / 5))
            let server = try await start(in: folder)
            let socket = SocketAddress.unix(server.socket)
            let guest = SocketAddress.unix(folder.file("guest"))
            let watch = try LineClient(socket, of: server)
            var clients = try [socket, socket, socket, guest].map { try FuzzClient(server, at: $0) }
            repeat {
                for index in clients.indices { clients[index].send(from: grammar, &generator) }
                for index in clients.indices {
                    do { try clients[index].check() } catch { return await report(error, clients[index], server) }
                }
                guard watch.ask("ping") == ["OK"] else {
                    return await report(FuzzFinding("ping is not answered"), clients[0], server)
                }
            } while ContinuousClock.now < life
            answers += clients.reduce(0) { $0 + $1.answers }
            refusals += clients.reduce(0) { $0 + $1.refusals }
            closures += clients.reduce(0) { $0 + $1.closures }
            let dirty = server.process.privateDirty ?? 0
            #expect(dirty < Self.memory, "\(dirty) MB after \(answers) answers")
            server.process.kill(SIGKILL)
            _ = try await server.process.wait()
        }
        print("seed \(Self.seed): \(answers) answers, \(refusals) of them errors, \(closures) connections closed")
        // Requests that are nearly all refused, or never answered, would try nothing.
        #expect(answers - refusals > answers / 5 && closures < answers / 10)
        let server = try await start(in: folder)
        #expect(try server.connect().ask("status").last == "OK")
        try await server.stop()
    }

    private func start(in folder: TemporaryFolder) async throws -> Segued {
        try await Segued.start(
            .toml(
                """
                listen = ["unix:\(folder.file("socket"))", { address = "unix:\(folder.file("guest"))", permissions = ["read"] }]
                playlist-directory = "\(folder.file("playlists"))"
                [[output]]
                name = "here"
                type = "null"
                [[zone]]
                name = "kitchen"
                [[zone.output]]
                name = "there"
                type = "null"
                """
            ),
            in: folder
        )
    }

    private func report(_ problem: any Error, _ client: FuzzClient, _ server: Segued) async {
        // One that is ending says why first; one that hangs is killed.
        _ = try? await server.process.wait(within: .seconds(10))
        Issue.record(
            """
            \(problem) (seed \(Self.seed)); the last requests:
            \(client.history.joined(separator: "\n"))
            segued said: \(Self.cause(of: server.process.errorText))
            """
        )
    }

    /// What a program wrote from where it tells of its end.
    private static func cause(of text: String) -> Substring {
        let start =
            text.firstRange(of: "Fatal error")?.lowerBound
            ?? text.index(text.endIndex, offsetBy: -min(2_000, text.count))
        return text[start...].prefix(6_000)
    }
}
