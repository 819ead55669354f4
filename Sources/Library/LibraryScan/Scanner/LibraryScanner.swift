private import CLinux
package import Charsets
private import Glibc
internal import MediaHeaders
internal import Threads

/// Finds new, changed and deleted files in a music directory, and reads those that need it.
package struct LibraryScanner: Sendable {
    package struct Options: Sendable {
        /// The path of the music directory.
        package var root: String
        /// Whether to follow links to places inside the music directory.
        package var followsInsideLinks = true
        /// Whether to follow links that lead out of the music directory.
        package var followsOutsideLinks = true
        /// The number of threads that read files.
        package var readers: Int
        /// The smallest number of files or directories in a batch, unless a second has passed or no more follow.
        package var batchSize = 2048
        /// Whether to read unchanged files again.
        package var readsAll = false
        /// Whether the library holds another music directory: files that are not found are then deleted, not missing.
        package var isAnotherRoot = false
        /// The character sets of tags and CUE sheets that declare none, by folder.
        package var charsets = CharsetRules()
        /// Records on disk which file is being read; `nil` for no record.
        package var marks: ReadingMarks?

        package init(root: String) {
            self.root = root.count > 1 && root.utf8.last == UInt8(ascii: "/") ? String(root.dropLast()) : root
            readers = max(1, min(8, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        }
    }

    /// A part of the music directory to scan.
    package struct Part: Sendable, Hashable {
        /// The URI of a directory or a file; empty for the root.
        package var uri: String
        /// Whether to descend into known subdirectories.
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
    /// Blocks; the calling thread passes the batches to the sink. The threads that walk and read have low CPU and I/O
    /// priority.
    ///
    /// - Throws: `ScanError`, or the sink's error; batches stored before stay.
    package func scan(_ parts: [Part] = [Part("")], control: ScanControl = ScanControl()) throws {
        control.record { $0.begin() }
        defer { control.record { $0.finish() } }
        let known = KnownFolders(try sink.folders(), areElsewhere: options.isAnotherRoot)
        let folders = try FolderEnumerator(options, sink: sink, known: known, control: control)
        let pipeline = ScanPipeline(readers: options.readers, batchSize: options.batchSize)
        control.listen { [examiner] in
            guard control.isCancelled else { return pipeline.wake() }
            pipeline.cancel()
            examiner.breakOff()
        }
        defer { control.listen(nil) }
        if control.isCancelled { pipeline.cancel() }
        let failure = Monitor<(any Error)?>(nil)
        // From here on, batches are passed to the sink until all threads have ended.
        WorkThread.startWhenPossible(named: "segue-walk") {
            yieldToOthers()
            do {
                for part in parts { try folders.visit(part, pipeline) }
            } catch {
                failure.change { $0 = error }
                pipeline.cancel()
            }
            pipeline.finishWalk()
        }
        for number in 0..<options.readers {
            let (options, examiner) = (options, examiner)
            WorkThread.startWhenPossible(named: "segue-read") {
                yieldToOthers()
                let reader = FileReader(
                    root: options.root,
                    examiner: examiner,
                    charsets: options.charsets,
                    marks: options.marks,
                    number: number
                )
                read(pipeline, reader, control)
            }
        }
        try write(pipeline, control)
        if let error = failure.read(\.self) { throw error }
    }

    private func write(_ pipeline: ScanPipeline, _ control: ScanControl) throws {
        var failure: (any Error)?
        // All threads end before this function returns, even if the sink fails.
        while let batch = pipeline.nextBatch(flushes: { control.isPaused }) {
            guard failure == nil else { continue }
            do {
                try sink.store(batch)
                control.record { $0.removed += batch.removedFiles.count }
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
                // The problem may come from the cancellation and not from the file.
                if control.isCancelled { break }
                problems += 1
            }
            files.append(file)
        }
        let isWhole = reader.readAgain(&files, of: chunk, control) && files.count == chunk.files.count
        reader.rest()
        control.record { [count = files.count, problems] progress in
            progress.filesRead += count
            progress.problems += problems
        }
        pipeline.add(files, of: chunk.folder, isWhole: isWhole)
    }
    pipeline.finishReader()
}

/// Returns freed memory to the system after a scan, whose threads would otherwise leave it fragmented for ever.
package func giveBackMemory() { segue_give_back_memory() }

/// Returns the memory of large replies to the system as soon as it is freed; for the whole process.
package func keepLittleMemory() { segue_keep_little_memory() }

/// Lowers the calling thread's priority, so that a scan does not disturb playback.
private func yieldToOthers() {
    // On Linux each thread has its own priority; 0 is the calling thread.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
    segue_yield_disk()
}

/// Why a scan could not be made; nothing was removed.
package enum ScanError: Error, Hashable, CustomStringConvertible {
    case noRoot(String, reason: String)
    /// The empty mount point of a file system that was mounted before.
    case isUnmounted(String)
    /// An empty directory that had contents before.
    case emptyRoot(String)

    package var description: String {
        switch self {
        case .noRoot(let path, let reason):
            "cannot scan '\(path)': \(reason); the library keeps its entries"
        case .isUnmounted(let path):
            "cannot scan '\(path)': it was a mounted file system that is not there now; the library keeps its entries (to start again, remove the library's database)"
        case .emptyRoot(let path):
            "cannot scan '\(path)': it is empty, perhaps not mounted; the library keeps its entries (to start again, remove the library's database)"
        }
    }
}
