private import CALSA
private import Glibc

/// Why a device of ALSA cannot be played to.
package enum ALSAError: Error, Sendable, Hashable {
    /// There is no device of that name, or it is gone.
    case noDevice(name: String)
    /// Another program has it.
    case busy(name: String, holder: String?)
    /// The user may not open it.
    case denied(name: String)
    /// It takes no frames that Segue makes.
    case noFormat(name: String)
    /// A call failed.
    case failed(name: String, code: Int32)

    init(name: String, code: Int32) {
        switch -code {
        case ENODEV, ENOENT, ENXIO: self = .noDevice(name: name)
        case EBUSY: self = .busy(name: name, holder: DeviceHolder.find(of: name)?.description)
        case EACCES, EPERM: self = .denied(name: name)
        default: self = .failed(name: name, code: code)
        }
    }

    /// Whether the device is missing, so that it may come back.
    var isLoss: Bool {
        if case .noDevice = self { return true }
        return false
    }
}

extension ALSAError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noDevice(let name): "ALSA has no device '\(name)'; 'segue devices' lists what there is"
        case .busy(let name, let holder?): "the device '\(name)' is in use by \(holder)"
        case .busy(let name, nil): "the device '\(name)' is in use by another program"
        case .denied(let name):
            "the device '\(name)' may not be opened by this user; add the user to the group 'audio'"
        case .noFormat(let name):
            "the device '\(name)' takes no 16, 24 or 32 bit PCM; try 'plug\(name)', which converts"
        case .failed(let name, let code): unsafe "the device '\(name)': \(String(cString: snd_strerror(code)))"
        }
    }
}
