private import Glibc
internal import TextEncodings

/// The encryption of one connected socket, which blocks as the socket does.
@safe final class TLSSession {
    /// Why a connection could not be encrypted, or is lost.
    struct Failure: Error { let reason: String }

    private let library: GnuTLS
    private let session: GnuTLS.Handle
    private let credentials: GnuTLS.Handle
    private let descriptor: Int32

    /// The versions to speak; GnuTLS knows which ciphers are good.
    private static let priority = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

    /// Agrees on encryption with the other side.
    ///
    /// Whether its certificate is the right one is for the caller to judge (``pin()``).
    ///
    /// - Parameters:
    ///   - host: The name that is told to a server with several certificates; no address.
    ///   - certificate: The path of a file with this client's own certificate and key, in PEM form; `nil` for none.
    init(_ descriptor: Int32, host: String?, certificate: String?) throws(Failure) {
        do { library = try GnuTLS() } catch { throw Failure(reason: error.reason) }
        self.descriptor = descriptor
        var made: GnuTLS.Handle?
        guard unsafe library.makeCredentials(&made) == 0, let credentials = unsafe made else {
            throw Failure(reason: "no memory")
        }
        unsafe self.credentials = credentials
        unsafe made = nil
        guard unsafe library.initialise(&made, GnuTLS.clientFlags) == 0, let session = unsafe made else {
            unsafe library.freeCredentials(credentials)
            throw Failure(reason: "no memory")
        }
        unsafe self.session = session
        try check(unsafe library.setPriority(session, Self.priority, nil))
        if let certificate {
            try check(unsafe library.setKeyFile(credentials, certificate, certificate, GnuTLS.pem), certificate)
        }
        try check(unsafe library.setCredentials(session, GnuTLS.certificateCredentials, credentials))
        if let host {
            let name = Array(host.utf8)
            try check(unsafe library.setServerName(session, GnuTLS.dnsName, name, name.count))
        }
        unsafe library.setTransport(session, descriptor, descriptor)
        try shakeHands()
    }

    deinit {
        unsafe library.deinitialise(session)
        unsafe library.freeCredentials(credentials)
    }

    private func check(_ code: Int32, _ subject: String? = nil) throws(Failure) {
        guard code < 0 else { return }
        let reason = library.describe(Int(code))
        throw Failure(reason: subject.map { "\($0): \(reason)" } ?? reason)
    }

    private func shakeHands() throws(Failure) {
        while true {
            errno = 0
            let code = unsafe library.handshake(session)
            if code == 0 { return }
            if code == GnuTLS.again, errno == EAGAIN { throw Failure(reason: "it did not answer in time") }
            if library.isFatal(code) != 0 { try check(code) }
        }
    }

    /// Tells the other side that nothing more comes.
    func end() { _ = unsafe library.bye(session, GnuTLS.shutWriting) }

    // MARK: Whose certificate

    /// SHA-256 of the public key of the server's certificate, in hexadecimal digits.
    func pin() throws(Failure) -> String {
        var count: UInt32 = 0
        guard let first = unsafe library.peers(session, &count), count > 0 else {
            throw Failure(reason: "the server has no certificate")
        }
        var made: GnuTLS.Handle?
        try check(unsafe library.makeCertificate(&made))
        guard let certificate = unsafe made else { throw Failure(reason: "no memory") }
        defer { unsafe library.freeCertificate(certificate) }
        try check(unsafe library.readCertificate(certificate, first, GnuTLS.der))
        var bytes = [UInt8](repeating: 0, count: 32)
        var size = bytes.count
        try check(unsafe library.keyID(certificate, GnuTLS.sha256ID, &bytes, &size))
        return bytes.hexadecimal
    }

    // MARK: Bytes

    func send(_ bytes: ArraySlice<UInt8>) throws(Socket.Failure) -> Int {
        let count = unsafe bytes.withUnsafeBytes { unsafe library.send(session, $0.baseAddress, $0.count) }
        return try outcome(count)
    }

    /// - Returns: How many bytes came; 0 at the end, -1 when there were none for the caller, who tries again.
    func receive(into buffer: inout [UInt8]) throws(Socket.Failure) -> Int {
        errno = 0
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe library.receive(session, $0.baseAddress, $0.count)
        }
        return try outcome(count)
    }

    private func outcome(_ count: Int) throws(Socket.Failure) -> Int {
        if count >= 0 { return count }
        switch count {
        case GnuTLS.leftWithoutWord: return 0
        case GnuTLS.interrupted: return -1
        // The socket's time is over, or there was a message between the two sides only.
        case GnuTLS.again: if errno == EAGAIN { throw Socket.Failure(code: EAGAIN) } else { return -1 }
        default: throw Socket.Failure(code: EPROTO)
        }
    }
}
