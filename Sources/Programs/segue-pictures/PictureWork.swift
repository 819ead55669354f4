import CSeccomp
import Files
import Glibc
import PictureCodecs
import PictureWorkers
import Pictures

/// A worker: takes orders from standard input, which is a socket, until its other end is closed.
enum PictureWork {
    static func run() -> Never {
        // Codecs load their parts now: later nothing can be opened.
        PictureDecoder.prepare()
        let code = segue_confine()
        let socket = MessageSocket(Descriptor(borrowing: STDIN_FILENO))
        while let message = try? socket.receive() {
            let answer =
                code == 0 ? answer(message.text, message.files) : .unable("there is no sandbox: \(SystemError(code))")
            for file in message.files { close(file) }
            do { try socket.send(answer.text) } catch { exit(0) }
        }
        exit(0)
    }

    private static func answer(_ text: String, _ files: [Int32]) -> PictureAnswer {
        guard let order = PictureOrder(text), files.count == 2 else { return .failed("the order is not understood") }
        limitTime(PictureLimits.seconds * order.frames)
        do throws(PictureError) {
            var request = PictureDecoder.Request(side: order.side)
            (request.moment, request.isExact, request.isOfCover) = (order.moment, order.isExact, order.isOfCover)
            let picture =
                order.frames == 1
                ? try PictureDecoder.picture(of: files[0], request)
                : try PictureDecoder.strip(of: files[0], request, frames: order.frames)
            try PictureEncoder.write(picture, as: order.format, quality: order.quality, to: files[1])
            return .made(picture.size)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Lets the kernel end this process when it needs more than so many seconds of processor time from now on.
    private static func limitTime(_ seconds: Int) {
        var usage = rusage()
        var limit = rlimit()
        guard unsafe getrusage(RUSAGE_SELF.rawValue, &usage) == 0, unsafe getrlimit(__rlimit_resource_t(0), &limit) == 0
        else { return }
        let used = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        limit.rlim_cur = min(limit.rlim_max, rlim_t(used + seconds + 1))
        _ = unsafe setrlimit(__rlimit_resource_t(0), &limit)
    }
}
