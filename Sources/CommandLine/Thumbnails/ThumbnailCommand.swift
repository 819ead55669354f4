internal import ArgumentParser
package import CommandOptions
internal import Files
internal import Glibc
internal import PictureValues
internal import PictureWorkers
internal import TerminalText
internal import TextEncodings

/// `segue thumbnail`: finds the files, and has workers make small pictures of them.
package struct ThumbnailCommand {
    private let options: ThumbnailOptions

    /// - Parameter options: Valid ones.
    package init(_ options: ThumbnailOptions) { self.options = options }

    /// Makes all, and throws the exit status.
    package func run() throws {
        let plan = ThumbnailPlan(options)
        let output = ThumbnailReport(isJSON: options.json, count: plan.jobs.count)
        for problem in plan.problems { output.fail(problem.path, problem.reason) }
        let run = ThumbnailRun(
            plan.jobs,
            try order(plan),
            isForced: options.force,
            threads: options.jobs ?? max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))),
            program: siblingProgram("segue-pictures") ?? "segue-pictures"
        )
        do { try run.run(output.report) } catch {
            output.fail("thumbnails", "\(error)")
        }
        output.finish(isSingle: plan.jobs.count == 1 && plan.problems.isEmpty)
        throw (output.hasFailed ? ExitStatus.someFailed : .success).exitCode
    }

    private func order(_ plan: ThumbnailPlan) throws -> PictureOrder {
        var order = PictureOrder(side: options.size, isExact: options.exact, frames: options.strip ?? 1)
        switch try options.moment() {
        case .part(let part): order.moment = .part(part)
        case .seconds(let seconds): order.moment = .seconds(seconds)
        case nil: break
        }
        if let name = plan.jobs.first?.result, let dot = name.lastIndex(of: ".") {
            let kind = name[dot...].dropFirst()
            guard let format = PictureFormat(fileExtension: String(kind)) else {
                throw ValidationError("'\(kind)' is no format of thumbnails: .jpg, .png or .webp")
            }
            order.format = format
        } else if plan.jobs.first != nil {
            throw ValidationError("the name of a thumbnail ends in .jpg, .png or .webp; a folder's in /")
        }
        return order
    }
}

/// The report while thumbnails are made.
private final class ThumbnailReport {
    private let isJSON: Bool
    private let count: Int
    private let showsProgress = TerminalTraits.isTerminal(STDERR_FILENO) && TerminalTraits.isCapable
    private var (done, made, kept) = (0, 0, 0)
    private(set) var hasFailed = false
    private var lastShown = ContinuousClock.now

    init(isJSON: Bool, count: Int) { (self.isJSON, self.count) = (isJSON, count) }

    func report(_ job: ThumbnailPlan.Job, _ outcome: ThumbnailRun.Outcome) {
        done += 1
        switch outcome {
        case .made(let size, let damage):
            made += 1
            let reason = damage.map { "\(PictureError.damaged($0))" }
            if let reason { complain(job.source, reason + "; what is left of it is made small") }
            if isJSON {
                line(
                    [
                        .init("file", .string(job.source)), .init("thumbnail", .string(job.result)),
                        .init("width", .integer(size.width)), .init("height", .integer(size.height)),
                    ] + (reason.map { [.init("error", .string($0))] } ?? [])
                )
            }
        case .wasThere:
            kept += 1
            if isJSON {
                line([
                    .init("file", .string(job.source)), .init("thumbnail", .string(job.result)),
                    .init("was_there", .bool(true)),
                ])
            }
            if count == 1 {
                write("segue: \(DisplayText.harmless(job.result)) is there already; --force replaces it\n")
            }
        case .failed(let reason): fail(job.source, reason)
        }
        showProgress()
    }

    private func complain(_ path: String, _ reason: String) {
        hasFailed = true
        clear()
        write("segue: \(DisplayText.harmless(path)): \(DisplayText.harmless(reason))\n")
    }

    func fail(_ path: String, _ reason: String) {
        complain(path, reason)
        if isJSON { line([.init("file", .string(path)), .init("error", .string(reason))]) }
    }

    func finish(isSingle: Bool) {
        clear()
        guard !isJSON, !isSingle else { return }
        let failed = done - made - kept
        var parts = ["\(made) made"]
        if kept > 0 { parts.append("\(kept) there already") }
        if failed > 0 { parts.append("\(failed) failed") }
        print(parts.joined(separator: ", "))
    }

    private func line(_ fields: [JSON.Field]) { print(JSON.object(fields).text) }

    private func showProgress() {
        guard showsProgress, count > 1, ContinuousClock.now - lastShown > .milliseconds(100) else { return }
        lastShown = .now
        let width = max(10, min(40, TerminalTraits.width(of: STDERR_FILENO) - 24))
        let full = width * done / max(1, count)
        let bar = String(repeating: "=", count: full) + String(repeating: " ", count: width - full)
        write("\r\u{1b}[K[\(bar)] \(done) of \(count)")
    }

    private func clear() { if showsProgress, count > 1 { write("\r\u{1b}[K") } }

    private func write(_ text: String) { try? Descriptor(borrowing: STDERR_FILENO).write(Array(text.utf8)) }
}
