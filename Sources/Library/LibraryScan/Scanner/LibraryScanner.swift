private import CLinux
private import Glibc
internal import Mixing

/// Finds out which files of a music directory are new, changed or gone, and reads those that have to be.
package struct LibraryScanner: Sendable {
    package struct Options: Sendable {
        /// The music directory's path.
        package var root: String
        /// Whether links that lead to places in the directory are followed.
        package var followsInsideLinks = true
        /// Whether links may lead out of the directory.
        package var followsOutsideLinks = true
        /// Threads that read files.
        package var readers: Int
        /// Files or directories that a batch has at least, unless a second has passed or there are no more.
        package var batchSize = 2048
        /// Whether files are read again that have not changed.
        package var readsAll = false
        /// Whether what is known is of another music directory: none of it is missing then, but gone.
        package var isAnotherRoot = false

        package init(root: String) {
            self.root = root.count > 1 && root.utf8.last == UInt8(ascii: "/") ? String(root.dropLast()) : root
            readers = max(1, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        }
    }

    /// What is to be looked at.
    package struct Part: Sendable, Hashable {
        /// Of a directory or a file; the root's is empty.
        package var uri: String
        /// Whether directories below are looked at that are known already.
        package var isRecursive: Bool

        package init(_ uri: String, isRecursive: Bool = true) {
            self.uri = uri
            self.isRecursive = isRecursive
        }
    }

    private let options: Options
    private let sink: any LibrarySink
    private let examiner: any MediaExaminer

    package init(_ options: Options, sink: any LibrarySink, examiner: any MediaExaminer) {
        self.options = options
        self.sink = sink
        self.examiner = examiner
    }

    /// Scans parts of the directory, by default all of it.
    ///
    /// Blocks; the calling thread is the one that gives the sink its batches. The threads that walk and read are of low
    /// priority, for the processor and the disk.
    ///
    /// - Throws: `ScanError`, or what the sink throws; what was stored until then stays.
    package func scan(_ parts: [Part] = [Part("")], control: ScanControl = ScanControl()) throws {
        control.note { $0.begin() }
        defer { control.note { $0.finish() } }
        let known = KnownFolders(try sink.folders(), areElsewhere: options.isAnotherRoot)
        let walk = try FolderWalk(options, sink: sink, known: known, control: control)
        let pipeline = ScanPipeline(readers: options.readers, batchSize: options.batchSize)
        control.listen { [examiner] in
            guard control.isCancelled else { return pipeline.wake() }
            pipeline.cancel()
            examiner.breakOff()
        }
        defer { control.listen(nil) }
        if control.isCancelled { pipeline.cancel() }
        let failure = Monitor<(any Error)?>(nil)
        WorkThread.start(named: "segue-walk") {
            yieldToOthers()
            do {
                for part in parts { try walk.visit(part, pipeline) }
            } catch {
                failure.change { $0 = error }
                pipeline.cancel()
            }
            pipeline.finishWalk()
        }
        for _ in 0..<options.readers {
            let (options, examiner) = (options, examiner)
            WorkThread.start(named: "segue-read") {
                yieldToOthers()
                read(pipeline, FileReader(root: options.root, examiner: examiner), control)
            }
        }
        try write(pipeline, control)
        if let error = failure.read(\.self) { throw error }
    }

    private func write(_ pipeline: ScanPipeline, _ control: ScanControl) throws {
        var failure: (any Error)?
        // The threads end before this one returns, also when the sink fails.
        while let batch = pipeline.nextBatch(flushes: { control.isPaused }) {
            guard failure == nil else { continue }
            do {
                try sink.take(batch)
                control.note { $0.removed += batch.removedFiles.count }
            } catch {
                failure = error
                pipeline.cancel()
            }
        }
        if let failure { throw failure }
    }
}

private func read(_ pipeline: ScanPipeline, _ reader: consuming FileReader, _ control: ScanControl) {
    while let chunk = pipeline.nextChunk() {
        var files: [ScannedFile] = []
        files.reserveCapacity(chunk.files.count)
        var problems = 0
        for job in chunk.files {
            guard control.mayGoOn() else { break }
            let file = reader.read(job, in: chunk.folder.folder)
            if file.problem != nil {
                // It may be none of the file's.
                if control.isCancelled { break }
                problems += 1
            }
            files.append(file)
        }
        control.note { [count = files.count, problems] progress in
            progress.filesRead += count
            progress.problems += problems
        }
        pipeline.add(files, of: chunk.folder, isWhole: files.count == chunk.files.count)
    }
    pipeline.finishReader()
}

/// Gives memory back to the system that a scan has used and freed: its threads leave it in pieces, which stay for ever else.
package func giveBackMemory() { segue_give_back_memory() }

/// Has what large replies take go back to the system at once; for the whole process.
package func keepLittleMemory() { segue_keep_little_memory() }

/// Makes the calling thread one of low priority: sound is not to suffer from a scan.
private func yieldToOthers() {
    // On Linux a thread has a priority of its own; 0 is the calling one.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    segue_yield_disk()
}

/// Why a scan could not be made; nothing was taken out then.
package enum ScanError: Error, Hashable, CustomStringConvertible {
    case noRoot(String, reason: String)
    /// It was a mounted file system, is none, and has nothing of what was there.
    case isUnmounted(String)
    /// There is nothing where there was something.
    case emptyRoot(String)

    package var description: String {
        switch self {
        case .noRoot(let path, let reason):
            "cannot scan '\(path)': \(reason); what is known of it stays"
        case .isUnmounted(let path):
            "cannot scan '\(path)': it was a mounted file system, which is not there now; what is known of it stays (to start anew, remove the library's database)"
        case .emptyRoot(let path):
            "cannot scan '\(path)': it is empty, perhaps not mounted; what is known of it stays (to start anew, remove the library's database)"
        }
    }
}
