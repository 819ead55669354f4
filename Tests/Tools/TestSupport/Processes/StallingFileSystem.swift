private import Foundation
private import Glibc

/// A folder shown at another place by FUSE, as a network file system that stops answering and goes on later.
///
/// While it is stalled, every process that looks at anything in it waits, as on a dead mount.
package final class StallingFileSystem: Sendable {
    /// Why there can be none here; `nil` when there can.
    package static let missing: String? = {
        guard unsafe access("/dev/fuse", R_OK | W_OK) == 0 else { return "/dev/fuse cannot be used" }
        guard (try? ChildProcess.run("pkg-config", ["--exists", "fuse3"])) != nil else {
            return "libfuse3-dev is missing"
        }
        guard let folder = try? TemporaryFolder(), let system = try? StallingFileSystem(of: folder.path) else {
            return "FUSE cannot be mounted"
        }
        withExtendedLifetime(system) {}
        return nil
    }()

    /// Where it is mounted.
    package let path: String
    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// - Parameter source: The folder to be shown.
    package init(of source: String) throws {
        folder = try TemporaryFolder()
        path = try folder.makeFolder("mount")
        let (code, program) = (try folder.write("stall.c", Self.code), folder.file("stall"))
        try ChildProcess.run(
            "sh",
            ["-c", "cc -O1 -Wall -o '\(program)' '\(code)' $(pkg-config fuse3 --cflags --libs)"]
        )
        process = try ChildProcess(program, [source, folder.file("stalled"), path, "-f", "-o", "max_threads=200"])
        let deadline = ContinuousClock.now + .patience
        while !isMounted {
            guard ContinuousClock.now < deadline else {
                throw ChildProcessError.deadline("mounting \(path)", output: process.errorText)
            }
            usleep(5_000)
        }
    }

    /// What still waits for it ends with an error.
    deinit {
        resume()
        _ = try? ChildProcess.run("umount", ["--lazy", path])
        process.end()
    }

    /// Lets everybody wait from now on.
    package func stall() throws { _ = try folder.write("stalled", "") }

    /// Answers again, also those who wait.
    package func resume() { unsafe unlink(folder.file("stalled")) }

    private var isMounted: Bool {
        let mounts = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
        return mounts.contains(" \(path) ")
    }

    private static let code = """
        #define FUSE_USE_VERSION 31
        #include <dirent.h>
        #include <errno.h>
        #include <fcntl.h>
        #include <fuse.h>
        #include <limits.h>
        #include <stdio.h>
        #include <sys/stat.h>
        #include <unistd.h>

        static const char *source, *stalled;

        // Where a path is in the source, once the stall has ended, or the process that asks was killed.
        static const char *place(const char *path, char *buffer) {
            while (access(stalled, F_OK) == 0 && !fuse_interrupted()) usleep(1000);
            snprintf(buffer, PATH_MAX, "%s%s", source, path);
            return buffer;
        }

        static void *begin(struct fuse_conn_info *info, struct fuse_config *config) {
            // The kernel asks each time.
            config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
            config->direct_io = 1;
            return NULL;
        }
        static int get(const char *path, struct stat *status, struct fuse_file_info *info) {
            char buffer[PATH_MAX];
            return lstat(place(path, buffer), status) ? -errno : 0;
        }
        static int link_target(const char *path, char *target, size_t size) {
            char buffer[PATH_MAX];
            ssize_t count = readlink(place(path, buffer), target, size - 1);
            if (count < 0) return -errno;
            target[count] = 0;
            return 0;
        }
        static int list(const char *path, void *into, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                        enum fuse_readdir_flags flags) {
            char buffer[PATH_MAX];
            DIR *folder = opendir(place(path, buffer));
            if (!folder) return -errno;
            for (struct dirent *entry; (entry = readdir(folder));) fill(into, entry->d_name, NULL, 0, 0);
            closedir(folder);
            return 0;
        }
        static int open_file(const char *path, struct fuse_file_info *info) {
            char buffer[PATH_MAX];
            int file = open(place(path, buffer), info->flags);
            if (file < 0) return -errno;
            info->fh = file;
            return 0;
        }
        static int make_file(const char *path, mode_t mode, struct fuse_file_info *info) {
            char buffer[PATH_MAX];
            int file = open(place(path, buffer), info->flags | O_CREAT, mode);
            if (file < 0) return -errno;
            info->fh = file;
            return 0;
        }
        static int make_folder(const char *path, mode_t mode) {
            char buffer[PATH_MAX];
            return mkdir(place(path, buffer), mode) ? -errno : 0;
        }
        static int rename_file(const char *path, const char *target, unsigned int flags) {
            char buffer[PATH_MAX], other[PATH_MAX];
            return rename(place(path, buffer), place(target, other)) ? -errno : 0;
        }
        static int remove_file(const char *path) {
            char buffer[PATH_MAX];
            return unlink(place(path, buffer)) ? -errno : 0;
        }
        static int write_file(const char *path, const char *bytes, size_t size, off_t offset, struct fuse_file_info *info) {
            char buffer[PATH_MAX];
            place(path, buffer);
            ssize_t count = pwrite(info->fh, bytes, size, offset);
            return count < 0 ? -errno : count;
        }
        static int read_file(const char *path, char *bytes, size_t size, off_t offset, struct fuse_file_info *info) {
            char buffer[PATH_MAX];
            place(path, buffer);
            ssize_t count = pread(info->fh, bytes, size, offset);
            return count < 0 ? -errno : count;
        }
        static int close_file(const char *path, struct fuse_file_info *info) {
            close(info->fh);
            return 0;
        }

        int main(int count, char **words) {
            source = words[1];
            stalled = words[2];
            words[2] = words[0];
            struct fuse_operations operations = {
                .init = begin, .getattr = get, .readlink = link_target, .readdir = list,
                .open = open_file, .read = read_file, .release = close_file, .create = make_file, .write = write_file,
                .mkdir = make_folder, .rename = rename_file, .unlink = remove_file,
            };
            return fuse_main(count - 2, words + 2, &operations, NULL);
        }

        """
}
