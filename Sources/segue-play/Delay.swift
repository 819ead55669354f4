import Dispatch

/// Waits without waking before the time has come.
///
/// A timer source costs nothing else, unlike `DispatchQueue.asyncAfter`, which starts libdispatch's thread pool and with it
/// a wake-up every second for good.
enum Delay {
    static func wait(seconds: Double) async {
        let timer = DispatchSource.makeTimerSource()
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            timer.setEventHandler {
                timer.cancel()
                continuation.resume()
            }
            timer.schedule(deadline: .now() + seconds)
            timer.resume()
        }
    }
}
