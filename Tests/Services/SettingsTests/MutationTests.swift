import Settings
import Testing

/// Damaged files are refused or read, but never crash or hang.
@Suite struct MutationTests {
    @Test(arguments: 0..<8)
    func damagedTOMLIsOnlyRefused(seed: UInt64) {
        var numbers = Numbers(state: seed)
        let samples = [ListenerTests.everything, WebSettingTests.everything, OutputTests.everything]
        let sample = samples.joined(separator: "\n") + "\nreplay-gain = {mode = '''off'''}"
        for _ in 0..<250 {
            let text = sample.mutated(&numbers)
            let lines = text.utf8.count { $0 == 0x0a } + 2
            for problem in problems(text) {
                #expect((1...lines).contains(problem.line ?? 1), "\(problem)")
                #expect(!problem.description.contains("\n"))
            }
        }
    }

    private func problems(_ text: String) -> [ConfigurationProblem] {
        do {
            return try Configuration.parse(text, file: "segued.toml", in: person).warnings
        } catch {
            return error.problems
        }
    }

    @Test(arguments: ["[[[[", "a = [[[[[[", "\"\"\"", "x = {y = {z = ", "[a.\"", "a.b.c", "=", "\u{0}", "[[a]]\n[a]\n"])
    func beginningsAreRefused(text: String) { #expect(!problems(text).filter { $0.severity == .error }.isEmpty) }

    @Test func deepNestingIsRefused() {
        let text = "listen = " + String(repeating: "[", count: 100_000)
        #expect(!problems(text).isEmpty)
        _ = problems("listen = " + String(repeating: "[", count: 200) + String(repeating: "]", count: 200))
    }

    /// Files that would take long, or a deep stack, to read.
    @Test(.timeLimit(.minutes(5)))
    func hugeFilesAreReadInTime() {
        let keys = (0..<100_000).map { "k\($0) = 1" }.joined(separator: "\n")
        #expect(problems(keys).count == 200)
        #expect(problems(String(repeating: "a.", count: 200_000) + "a = 1").count == 1)
        #expect(problems("[" + String(repeating: "a.", count: 200_000) + "a]").count == 1)
        #expect(!problems("listen = [" + String(repeating: "{a = ", count: 100_000)).isEmpty)
        #expect(problems("tags = \"" + String(repeating: "x", count: 1_000_000) + "\"").count == 1)
    }
}
