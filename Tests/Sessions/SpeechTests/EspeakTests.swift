import Foundation
import Speech
import Testing

private let isInstalled = ["/usr/bin/espeak-ng", "/usr/local/bin/espeak-ng"].contains {
    FileManager.default.isExecutableFile(atPath: $0)
}

/// The real thing.
@Suite(.enabled(if: isInstalled, "needs espeak-ng")) struct EspeakTests {
    /// The samples of a file that espeak-ng wrote: 16 bits, one channel, 22,050 a second.
    private func samples(_ file: SpeechFile) throws -> [Int16] {
        let bytes = try Array(Data(contentsOf: URL(filePath: file.path)).dropFirst(44))
        return stride(from: 0, to: bytes.count - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    @Test func aSentenceCanBeHeard() throws {
        let scratch = try Scratch()
        let file = try Speaker(folder: scratch.speech).speak("The door bell rang")
        let samples = try samples(file)
        let seconds = Double(samples.count) / 22_050
        #expect((0.7...4).contains(seconds))
        #expect(samples.contains { abs(Int($0)) > 5_000 })
        // The length that the header says is right, so that a decoder knows when it ends.
        let header = try Array(Data(contentsOf: URL(filePath: file.path)).prefix(44))
        let length = header[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
        #expect(length == samples.count * 2)
        #expect(scratch.spoken.count == 1)
    }

    @Test(arguments: hostileTexts)
    func noTextIsMoreThanAText(text: String) throws {
        let scratch = try Scratch()
        let file = try Speaker(folder: scratch.speech).speak(text)
        #expect(try samples(file).count > 0)
        #expect(scratch.spoken.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).sorted() == ["sound.wav", "speech"])
        #expect(
            !FileManager.default.fileExists(atPath: "pwned") && !FileManager.default.fileExists(atPath: "/tmp/pwned")
        )
    }

    /// All of a long text is spoken, and not its first line only.
    @Test func longerTextsTakeLonger() throws {
        let scratch = try Scratch()
        let speaker = Speaker(folder: scratch.speech)
        let counts = try ["one", "one\ntwo three", String(repeating: "one two three\n", count: 20)].map {
            try samples(speaker.speak($0)).count
        }
        #expect(counts[0] * 3 / 2 < counts[1])
        #expect(counts[1] * 8 < counts[2])
    }

    @Test func voicesDiffer() throws {
        let scratch = try Scratch()
        var speaker = Speaker(folder: scratch.speech)
        let usual = try samples(speaker.speak("Guten Morgen"))
        let german = try samples(speaker.speak("Guten Morgen", voice: "de"))
        #expect(usual != german)
        speaker.voice = "de"
        #expect(try samples(speaker.speak("Guten Morgen")) == german)
        #expect(try samples(speaker.speak("Guten Morgen", voice: "de+f3")) != german)
    }

    @Test func aVoiceThatIsNotThereIsNamed() throws {
        let scratch = try Scratch()
        let speaker = Speaker(folder: scratch.speech)
        let error = #expect(throws: SpeechError.self) { try speaker.speak("x", voice: "nosuchvoice") }
        let text = "espeak-ng could not speak the text (status 1): Error: The specified espeak-ng voice does not exist."
        #expect(error?.description == text)
        #expect(scratch.spoken == [])
    }
}
