import Testing

@testable import ClientVerbs

/// The words before the cursor, in the order in which completion scripts know them.
struct CompletionWordsTests {
    @Test(arguments: [
        // The verb itself.
        ("", ""), ("pla", "pla"), ("--host h pla", "pla"), ("-q --json sta", "sta"), ("--host=h pla", "pla"),
        // Options before the verb, and their values.
        ("-q --js", "status -q --js"), ("--zone k", "status --zone k"), ("-q --zone ", "status -q --zone "),
        // Options go behind the verb, whatever it is called.
        ("--host h status --", "status --host h --"), ("--host h playlist load m", "playlist load --host h m"),
        ("--zone k load m", "playlist load --zone k m"), ("playlist --zone k load m", "playlist load --zone k m"),
        ("partitions ", "zone ls "), ("alarm remove ", "alarm rm "), ("schedule ls --", "schedule list --"),
        // What is being written is no second word yet.
        ("playlist lo", "playlist lo"), ("alarm ", "alarm "),
        // Words that are no verbs stay as they are.
        ("nonsense -q x", "nonsense -q x"), ("play song.flac -", "play song.flac -"),
        ("add one two t", "add one two t"),
    ])
    func verbsComeFirst(_ line: String, _ ordered: String) {
        func words(_ line: String) -> [String] {
            line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(CommandWords.completed(words(line)) == words(ordered))
    }

    @Test func linesOfTheReplyAreWords() {
        #expect(CompletionScripts.reply(to: ["-q", "status", "a\nb", ""]) == "status\n-q\na b\n\n.\n")
        #expect(CompletionScripts.reply(to: []) == "\n.\n")
    }
}
