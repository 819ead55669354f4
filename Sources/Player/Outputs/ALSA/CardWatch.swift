private import Glibc

/// Tells when sound cards are plugged in, or may be opened from now on.
///
/// Used by one thread.
@safe
final class CardWatch {
    /// Readable after a change.
    let descriptor: Int32
    private let folder: String
    private var watched: Int32 = -1

    /// - Parameter folder: Where the kernel makes the cards' device files.
    init(_ folder: String = "/dev/snd") {
        self.folder = folder
        descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        watch()
    }

    deinit { close(descriptor) }

    /// Watches the folder, or, while there is no card and so no folder, the one in which it appears.
    private func watch() {
        let events = UInt32(IN_CREATE | IN_ATTRIB | IN_MOVED_TO)
        if watched >= 0 { inotify_rm_watch(descriptor, watched) }
        watched = unsafe inotify_add_watch(descriptor, folder, events)
        guard watched < 0, let slash = folder.lastIndex(of: "/"), slash > folder.startIndex else { return }
        watched = unsafe inotify_add_watch(descriptor, String(folder[..<slash]), events)
    }

    /// Reads the changes that were told.
    ///
    /// - Returns: Whether there were any.
    func takeChanges() -> Bool {
        var hasChanged = false
        unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { buffer in
            while unsafe read(descriptor, buffer.baseAddress, buffer.count) > 0 { hasChanged = true }
        }
        if hasChanged { watch() }
        return hasChanged
    }
}
