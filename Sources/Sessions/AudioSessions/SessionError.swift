/// Why a session's request was refused: AVAudioSession's error codes.
package enum SessionErrorCode: Int32, CaseIterable, Sendable {
    case none = 0
    case mediaServicesFailed = 1_836_282_486
    case isBusy = 560_030_580
    case incompatibleCategory = 560_161_140
    case cannotInterruptOthers = 560_557_684
    case missingEntitlement = 1_701_737_535
    case siriIsRecording = 1_936_290_409
    case cannotStartPlaying = 561_015_905
    case cannotStartRecording = 561_145_187
    case badParam = -50
    case insufficientPriority = 561_017_449
    case resourceNotAvailable = 561_145_203
    case unspecified = 2_003_329_396
    case expiredSession = 561_210_739
    case sessionNotActive = 1_768_841_571

    /// Apple's name.
    package var name: String { String(describing: self) }

    /// The number as four characters, for codes that Apple defined so.
    package var fourCC: String? {
        guard rawValue > 0 else { return nil }
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A request that the arbiter refused; nothing was changed.
package struct SessionError: Error, Equatable, CustomStringConvertible {
    package let code: SessionErrorCode
    /// The failure, the session, and the remedy.
    package let detail: String

    package init(_ code: SessionErrorCode, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// One line that starts with Apple's name.
    package var description: String { "\(code.name): \(detail)" }
}
