private import Glibc

/// One run of a program, from its start to its end.
struct ProgramRun: ~Copyable {
    let command: SpeechCommand
    let arguments: [String]
    let input: ScratchFile
    let output: ScratchFile
    let timeLimit: Duration
    let maxOutputBytes: Int

    /// How often is looked whether the program is still to run, in milliseconds.
    private static let interval: Int32 = 20

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
        let child = try start(errors)
        errors.closeWritingEnd()
        let fault = watch(child, &errors, cancellation)
        let status = child.end()
        errors.read()
        if let fault { throw fault }
        try judge(status, errors.lastLine)
    }

    private func start(_ errors: borrowing ErrorText) throws(SpeechError) -> ChildProcess {
        let nowhere = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nowhere) }
        guard nowhere >= 0 else { throw .cannotStart(program: command.name, reason: systemMessage(errno)) }
        let started = ChildProcess.start(
            command.program,
            arguments,
            input: input.descriptor,
            output: command.writesOutput ? output.descriptor : nowhere,
            errors: errors.writingEnd
        )
        switch consume started {
        case .success(let child): return child
        case .failure(let failure) where failure.number == ENOENT:
            throw command.isUsual ? .notInstalled : .noProgram(command.program)
        case .failure(let failure):
            throw .cannotStart(program: command.name, reason: systemMessage(failure.number))
        }
    }

    /// Waits for the program's end.
    ///
    /// - Returns: Why it has to be ended before; `nil` when it has ended by itself.
    private func watch(
        _ child: borrowing ChildProcess,
        _ errors: inout ErrorText,
        _ cancellation: SpeechCancellation
    ) -> SpeechError? {
        let deadline = ContinuousClock.now + timeLimit
        var pause: Int32 = 1
        while true {
            // Its end closes the pipe, which wakes us just before it has ended; but what it started may keep that open.
            errors.wait(milliseconds: errors.isOver ? pause : Self.interval)
            if errors.isOver { pause = min(pause * 2, Self.interval) }
            if outputBytes > maxOutputBytes { return .wroteTooMuch(program: command.name, limit: maxOutputBytes) }
            if child.hasEnded { return nil }
            if cancellation.isCancelled { return .cancelled }
            if ContinuousClock.now >= deadline { return .tookTooLong(program: command.name, limit: timeLimit) }
        }
    }

    private var outputBytes: Int {
        var status = stat()
        return unsafe stat(output.path, &status) == 0 ? Int(status.st_size) : 0
    }

    private func judge(_ status: ChildProcess.Status, _ message: String) throws(SpeechError) {
        switch status {
        case .exited(0): break
        case .exited(let code): throw .failed(program: command.name, status: code, message: message)
        case .signalled(let signal): throw .killed(program: command.name, signal: signal)
        }
        guard holdsSound else { throw .wroteNoSound(program: command.name) }
    }

    /// Whether the file begins as a WAV file, and has more than a header.
    private var holdsSound: Bool {
        let descriptor = unsafe open(output.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: Self.headerBytes + 1)
        guard unsafe pread(descriptor, &header, header.count, 0) == header.count else { return false }
        return header.starts(with: "RIFF".utf8) && header[8..<12].elementsEqual("WAVE".utf8)
    }

    /// Of the shortest WAV file there is.
    private static let headerBytes = 44
}
