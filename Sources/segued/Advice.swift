import Configuration
import Glibc
import MPDImport

/// What to do when an address is taken: MPD may still be there.
func advice(on listener: Listener) -> [String] {
    RunningMPD.find().map(\.advice)
}
