import Foundation
import Glibc
import Speech
import Synchronization
import Testing

/// Whatever a program does, the caller is told in one line, and nothing is left behind.
@Suite struct FailureTests {
    /// What a program does, and the error.
    @Test(arguments: [
        (
            "echo first >&2; echo '  the  last\tline ' >&2; echo >&2; exit 3",
            "sh could not speak the text (status 3): the last line"
        ),
        ("exit 1", "sh could not speak the text (status 1)"),
        ("kill -11 $$", "sh was killed by signal 11 before it finished"),
        ("exit 0", "sh wrote no WAV file with sound; perhaps the text contains nothing to speak"),
        ("echo oops", "sh wrote no WAV file with sound; perhaps the text contains nothing to speak"),
        (
            "head -c 44 $here/sound.wav",
            "sh wrote no WAV file with sound; perhaps the text contains nothing to speak"
        ),
        ("printf '\\033[31mred\\n' >&2; exit 2", "sh could not speak the text (status 2): [31mred"),
        ("yes | head -c 1000000 >&2; echo end >&2; exit 1", "sh could not speak the text (status 1): end"),
    ])
    func failuresAreNamed(body: String, message: String) throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker(body)
        let error = #expect(throws: SpeechError.self) { try speaker.speak("x") }
        #expect(error?.description == message)
        #expect(scratch.spoken == [])
    }

    @Test func aMissingProgramIsNamed() throws {
        let scratch = try Scratch()
        let speaker = Speaker(folder: scratch.speech, command: ["/nonexistent/piper", "{output}"])
        let error = #expect(throws: SpeechError.self) { try speaker.speak("x") }
        #expect(
            error?.description
                == "the speech program \"/nonexistent/piper\" does not exist: see speech-command in the configuration"
        )
        #expect(scratch.spoken == [])
        let folder = Speaker(folder: scratch.speech, command: [scratch.path])
        #expect(
            throws: SpeechError.cannotStart(
                program: scratch.path.split(separator: "/").last.map(String.init) ?? "",
                reason: "Permission denied"
            )
        ) {
            try folder.speak("x")
        }
    }

    @Test func withoutAnythingItSaysWhatToInstall() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("PATH", "/nonexistent", 1)
            let folder = FileManager.default.temporaryDirectory.appending(path: "segue-\(UUID().uuidString)").path
            let result = Result { () throws(SpeechError) in try Speaker(folder: folder).speak("x") }
            unsafe rmdir(folder)
            guard case .failure(.notInstalled) = result else { exit(1) }
        }
        #expect("\(SpeechError.notInstalled)".contains("apt install espeak-ng, or set speech-command"))
    }

    @Test func aFolderThatCannotBeMadeIsNamed() throws {
        let speaker = Speaker(folder: "/proc/nonexistent/speech", command: ["true"])
        let error = #expect(throws: SpeechError.self) { try speaker.speak("x") }
        #expect(
            error?.description.hasPrefix("speech cannot be written to /proc/nonexistent/speech/segue-speech-") == true
        )
    }

    /// One that hangs is ended, with what it has started.
    @Test(arguments: ["", "exec 2>/dev/null;"])
    func whatTakesTooLongIsEnded(before: String) throws {
        let scratch = try Scratch()
        var speaker = try scratch.speaker("\(before) sleep 1000 & echo $! >$here/child; echo $$ >$here/parent; wait")
        speaker.timeLimit = .milliseconds(300)
        #expect(throws: SpeechError.tookTooLong(program: "sh", limit: .milliseconds(300))) { try speaker.speak("x") }
        for name in ["parent", "child"] {
            let id = try #require(pid_t(try scratch.waitForLine(name)))
            #expect(waitUntilGone(id))
        }
        #expect(scratch.spoken == [])
    }

    /// What holds on to the pipe does not keep anybody waiting.
    @Test func aChildThatStaysBehindIsEnded() throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker("sleep 1000 & echo $! >$here/child; cat $here/sound.wav")
        let start = ContinuousClock.now
        _ = try speaker.speak("x")
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(waitUntilGone(try #require(pid_t(try scratch.waitForLine("child")))))
    }

    @Test(arguments: ["cat >/dev/null; yes", "while :; do echo x; done >\"$1\""])
    func whatWritesTooMuchIsEnded(body: String) throws {
        let scratch = try Scratch()
        var speaker = try scratch.speaker(body)
        if body.contains("$1") { speaker.command.append("{output}") }
        speaker.maxOutputBytes = 100_000
        #expect(throws: SpeechError.wroteTooMuch(program: "sh", limit: 100_000)) { try speaker.speak("x") }
        #expect(scratch.spoken == [])
    }

    /// One that never stops complaining is ended in time, too.
    @Test func endlessComplaintsAreEnded() throws {
        let scratch = try Scratch()
        var speaker = try scratch.speaker("yes >&2")
        speaker.timeLimit = .milliseconds(200)
        #expect(throws: SpeechError.tookTooLong(program: "sh", limit: .milliseconds(200))) { try speaker.speak("x") }
    }

    @Test func cancellingKillsTheProgram() throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker("sleep 1000 & echo $! >$here/child; echo $$ >$here/parent; wait")
        let cancellation = SpeechCancellation()
        let outcome = Outcome()
        let thread = Thread {
            let result = Result { () throws(SpeechError) in try speaker.speak("x", cancellation: cancellation) }
            outcome.error.withLock { $0 = result.failure }
            outcome.done.signal()
        }
        thread.start()
        let ids = try ["parent", "child"].map { try #require(pid_t(try scratch.waitForLine($0))) }
        cancellation.cancel()
        outcome.done.wait()
        #expect(outcome.error.withLock { $0 } == .cancelled)
        for id in ids { #expect(waitUntilGone(id)) }
        #expect(scratch.spoken == [])
    }

    @Test func whatIsCancelledBeforehandNeverStarts() throws {
        let scratch = try Scratch()
        let speaker = try scratch.speaker("touch $here/ran; cat $here/sound.wav")
        let cancellation = SpeechCancellation()
        cancellation.cancel()
        #expect(throws: SpeechError.cancelled) { try speaker.speak("x", cancellation: cancellation) }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/ran"))
    }

    private final class Outcome: Sendable {
        let error = Mutex<SpeechError?>(nil)
        let done = DispatchSemaphore(value: 0)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let failure) = self else { return nil }
        return failure
    }
}
