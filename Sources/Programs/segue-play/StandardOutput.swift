import Glibc

/// Standard output, when sound is written to it.
enum StandardOutput {
    /// Whether it is a pipe or a socket that is still read, or none of these.
    static var hasReader: Bool {
        var request = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&request, 1, 0) <= 0 || request.revents & Int16(POLLERR | POLLHUP) == 0
    }
}
