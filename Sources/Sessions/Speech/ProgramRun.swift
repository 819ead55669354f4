internal import ChildPrograms
private import Files
private import Glibc

/// One run of a program, from its start to its end.
struct ProgramRun: ~Copyable {
    let command: SpeechCommand
    let arguments: [String]
    let input: ScratchFile
    let output: ScratchFile
    let timeLimit: Duration
    let maxOutputBytes: Int

    /// Interval of the checks whether the program may still run, in seconds.
    private static let interval = 0.02

    init(
        command: SpeechCommand,
        arguments: [String],
        input: consuming ScratchFile,
        output: consuming ScratchFile,
        timeLimit: Duration,
        maxOutputBytes: Int
    ) {
        self.command = command
        self.arguments = arguments
        self.input = input
        self.output = output
        self.timeLimit = timeLimit
        self.maxOutputBytes = maxOutputBytes
    }

    /// Runs the program, and returns when it has written its file.
    func finish(_ cancellation: SpeechCancellation) throws(SpeechError) {
        if cancellation.isCancelled { throw .cancelled }
        var errors = try ErrorText.open()
        let program = try start(errors)
        errors.closeWritingEnd()
        let fault = watch(program, &errors, cancellation)
        // With all its children, of which none goes on; until its end is noticed, its group's number is not reused.
        program.sendToAll(SIGKILL)
        let end = program.waitForEnd()
        errors.read()
        if let fault { throw fault }
        try judge(end, errors.lastLine)
    }

    private func start(_ errors: borrowing ErrorText) throws(SpeechError) -> RunningProgram {
        let nowhere: Descriptor
        do {
            nowhere = try Descriptor("/dev/null", .changing)
        } catch {
            throw .cannotStart(program: command.name, reason: error.description)
        }
        let streams = ProgramStart.Streams(
            input: input.descriptor,
            output: command.writesOutput ? output.descriptor : nowhere.number,
            errors: errors.writingEnd
        )
        // Higher than the limits checked here, so that a message can name the one exceeded.
        var program = ProgramStart(arguments)
        program.streams = streams
        program.limits = ProgramLimits(
            seconds: 2 * Int(timeLimit.components.seconds) + 1,
            fileBytes: 2 * maxOutputBytes
        )
        do throws(ProgramStart.Failure) {
            return try program.run()
        } catch {
            guard error.number == ENOENT else {
                throw .cannotStart(program: command.name, reason: SystemError(error.number).description)
            }
            throw command.isUsual ? .notInstalled : .noProgram(command.program)
        }
    }

    /// Waits for the program to exit.
    ///
    /// - Returns: Why it must be killed first; `nil` when it has exited by itself.
    private func watch(
        _ program: RunningProgram,
        _ errors: inout ErrorText,
        _ cancellation: SpeechCancellation
    ) -> SpeechError? {
        let deadline = ContinuousClock.now + timeLimit
        var pause = 0.001
        while true {
            // Its exit closes the pipe, which wakes us just before; but its own children may keep the pipe open.
            errors.wait(errors.isOver ? pause : Self.interval)
            if errors.isOver { pause = min(pause * 2, Self.interval) }
            if outputBytes > maxOutputBytes { return .wroteTooMuch(program: command.name, limit: maxOutputBytes) }
            if program.hasEnded { return nil }
            if cancellation.isCancelled { return .cancelled }
            if ContinuousClock.now >= deadline { return .tookTooLong(program: command.name, limit: timeLimit) }
        }
    }

    private var outputBytes: Int {
        (try? FileStatus(of: output.path).size) ?? 0
    }

    private func judge(_ end: RunningProgram.End, _ message: String) throws(SpeechError) {
        switch end {
        case .exited(0): break
        case .exited(let code): throw .failed(program: command.name, status: code, message: message)
        case .signalled(let signal): throw .killed(program: command.name, signal: signal)
        }
        guard holdsSound else { throw .wroteNoSound(program: command.name) }
    }

    /// Whether the file is a WAV file with more than a header.
    private var holdsSound: Bool {
        guard let status = try? FileStatus(of: output.path, followsLink: false), status.kind == .file,
            let file = try? Descriptor(output.path, .reading),
            let header = try? file.bytes(at: 0, count: Self.headerBytes + 1), header.count > Self.headerBytes
        else { return false }
        return header.starts(with: "RIFF".utf8) && header[8..<12].elementsEqual("WAVE".utf8)
    }

    /// The size of the smallest possible WAV file.
    private static let headerBytes = 44
}
