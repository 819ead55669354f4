internal import CommandOptions
internal import Files
internal import Glibc
internal import PictureValues
internal import PictureWorkers
internal import Threads

/// Makes thumbnails, several at once, each thread with a worker of its own.
final class ThumbnailRun: Sendable {
    enum Outcome: Sendable {
        /// - Parameter damage: Why a part of it is missing.
        case made(PixelSize, damage: String?)
        case wasThere
        case failed(String)
    }

    private struct State {
        var next = 0
        var outcomes: [(job: Int, outcome: Outcome)] = []
        var threads: Int
    }

    private let jobs: [ThumbnailPlan.Job]
    private let order: PictureOrder
    private let isForced: Bool
    /// The files themselves, none of which is ever replaced.
    private let sources: Set<FileStatus.Identity>
    private let program: String
    private let state: Monitor<State>

    init(_ jobs: [ThumbnailPlan.Job], _ order: PictureOrder, isForced: Bool, threads: Int, program: String) {
        (self.jobs, self.order, self.isForced, self.program) = (jobs, order, isForced, program)
        sources = Set(jobs.compactMap { (try? FileStatus(of: $0.source))?.identity })
        state = Monitor(State(threads: max(1, min(threads, jobs.count))))
    }

    /// Makes all; `report` is called on this thread for one after another, as they are done.
    func run(_ report: (ThumbnailPlan.Job, Outcome) -> Void) throws {
        for _ in 0..<state.read(\.threads) {
            do {
                try WorkThread.start(named: "segue-picture") { self.work() }
            } catch {
                // With one thread all are made, too.
                if state.change({ state in
                    state.threads -= 1
                    return state.threads
                }) == 0 {
                    throw error
                }
            }
        }
        for _ in jobs {
            let done = state.wait { state in state.outcomes.popLast() }
            report(jobs[done.job], done.outcome)
        }
        state.wait { $0.threads == 0 ? () : nil }
    }

    private func work() {
        makeAll()
        state.change { $0.threads -= 1 }
    }

    private func makeAll() {
        let worker = PictureWorker(program: program)
        while let job = next() {
            let outcome = make(jobs[job], worker)
            state.change { $0.outcomes.insert((job, outcome), at: 0) }
        }
    }

    private func next() -> Int? {
        state.change { state in
            guard state.next < jobs.count else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    private func make(_ job: ThumbnailPlan.Job, _ worker: PictureWorker) -> Outcome {
        do {
            if !isForced, fileExists(job.result) { return .wasThere }
            let source = try Descriptor(job.source, .reading)
            guard try source.status.kind == .file else { return .failed("is not a file") }
            if let old = try? FileStatus(of: job.result), sources.contains(old.identity) {
                return .failed("its thumbnail would replace one of the files: name another place with --output")
            }
            makeFolders(folder(of: job.result), permissions: 0o777)
            let picture = try worker.make(order, of: source)
            try AtomicFile.make(job.result, isNew: !isForced) { try $0.write(picture.bytes) }
            return .made(picture.size, damage: picture.damage)
        } catch let error as PictureError {
            return .failed("\(error)")
        } catch let error as SystemError {
            if error == .exists { return .wasThere }
            return .failed("\(error)")
        } catch {
            return .failed("\(error)")
        }
    }
}
