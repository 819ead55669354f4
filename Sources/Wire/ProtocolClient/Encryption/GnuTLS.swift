private import Glibc

/// The functions of GnuTLS that a client needs.
///
/// The library is loaded when the first encrypted connection is made, and not linked, so that a program without one starts as
/// fast as before. Their types are those of gnutls/gnutls.h and gnutls/x509.h; handles are opaque.
@safe struct GnuTLS {
    typealias Handle = OpaquePointer

    /// Why the library cannot be used.
    struct Problem: Error { let reason: String }

    let initialise: @convention(c) (UnsafeMutablePointer<Handle?>, UInt32) -> Int32
    let deinitialise: @convention(c) (Handle) -> Void
    let setPriority: @convention(c) (Handle, UnsafePointer<CChar>, UnsafeMutableRawPointer?) -> Int32
    let makeCredentials: @convention(c) (UnsafeMutablePointer<Handle?>) -> Int32
    let freeCredentials: @convention(c) (Handle) -> Void
    let setKeyFile: @convention(c) (Handle, UnsafePointer<CChar>, UnsafePointer<CChar>, Int32) -> Int32
    let setCredentials: @convention(c) (Handle, Int32, Handle) -> Int32
    let setServerName: @convention(c) (Handle, Int32, UnsafePointer<UInt8>, Int) -> Int32
    let setTransport: @convention(c) (Handle, Int32, Int32) -> Void
    let handshake: @convention(c) (Handle) -> Int32
    let receive: @convention(c) (Handle, UnsafeMutableRawPointer?, Int) -> Int
    let send: @convention(c) (Handle, UnsafeRawPointer?, Int) -> Int
    let bye: @convention(c) (Handle, Int32) -> Int32
    let peers: @convention(c) (Handle, UnsafeMutablePointer<UInt32>) -> UnsafeRawPointer?
    let makeCertificate: @convention(c) (UnsafeMutablePointer<Handle?>) -> Int32
    let freeCertificate: @convention(c) (Handle) -> Void
    let readCertificate: @convention(c) (Handle, UnsafeRawPointer, Int32) -> Int32
    let keyID: @convention(c) (Handle, UInt32, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int>) -> Int32
    let isFatal: @convention(c) (Int32) -> Int32
    private let hash: @convention(c) (Int32, UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>) -> Int32
    private let text: @convention(c) (Int32) -> UnsafePointer<CChar>?
    private let hmac:
        @convention(c) (
            Int32, UnsafeRawPointer?, Int, UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>
        ) -> Int32

    /// The name that the library has in all distributions; the number is that of its interface.
    static let file = "libgnutls.so.30"

    init() throws(Problem) {
        guard let library = unsafe dlopen(Self.file, RTLD_NOW | RTLD_LOCAL) else {
            throw Problem(reason: "\(Self.file) is not installed (Debian's package libgnutls30)")
        }
        unsafe initialise = try Self.function("gnutls_init", library)
        unsafe deinitialise = try Self.function("gnutls_deinit", library)
        unsafe setPriority = try Self.function("gnutls_priority_set_direct", library)
        unsafe makeCredentials = try Self.function("gnutls_certificate_allocate_credentials", library)
        unsafe freeCredentials = try Self.function("gnutls_certificate_free_credentials", library)
        unsafe setKeyFile = try Self.function("gnutls_certificate_set_x509_key_file", library)
        unsafe setCredentials = try Self.function("gnutls_credentials_set", library)
        unsafe setServerName = try Self.function("gnutls_server_name_set", library)
        unsafe setTransport = try Self.function("gnutls_transport_set_int2", library)
        unsafe handshake = try Self.function("gnutls_handshake", library)
        unsafe receive = try Self.function("gnutls_record_recv", library)
        unsafe send = try Self.function("gnutls_record_send", library)
        unsafe bye = try Self.function("gnutls_bye", library)
        unsafe peers = try Self.function("gnutls_certificate_get_peers", library)
        unsafe makeCertificate = try Self.function("gnutls_x509_crt_init", library)
        unsafe freeCertificate = try Self.function("gnutls_x509_crt_deinit", library)
        unsafe readCertificate = try Self.function("gnutls_x509_crt_import", library)
        unsafe keyID = try Self.function("gnutls_x509_crt_get_key_id", library)
        unsafe isFatal = try Self.function("gnutls_error_is_fatal", library)
        unsafe text = try Self.function("gnutls_strerror", library)
        unsafe hash = try Self.function("gnutls_hash_fast", library)
        unsafe hmac = try Self.function("gnutls_hmac_fast", library)
    }

    /// The caller says which type the function has.
    private static func function<Function>(
        _ name: String,
        _ library: UnsafeMutableRawPointer
    ) throws(Problem) -> Function {
        guard let symbol = unsafe dlsym(library, name) else {
            throw Problem(reason: "\(file) has no function \(name)")
        }
        return unsafe unsafeBitCast(symbol, to: Function.self)
    }

    func describe(_ code: Int) -> String {
        guard let text = unsafe text(Int32(clamping: code)) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    /// SHA-256.
    func digest(of message: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        let code = unsafe hash(6, message, message.count, &bytes)
        return code == 0 ? bytes : []
    }

    /// HMAC with SHA-256 (RFC 2104).
    func proof(of message: [UInt8], secret: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        let code = unsafe hmac(6, secret, secret.count, message, message.count, &bytes)
        return code == 0 ? bytes : []
    }

    /// `GNUTLS_CLIENT`, and `GNUTLS_NO_SIGNAL`, which keeps SIGPIPE away.
    static let clientFlags: UInt32 = 1 << 1 | 1 << 6
    /// `GNUTLS_CRD_CERTIFICATE`.
    static let certificateCredentials: Int32 = 1
    /// `GNUTLS_NAME_DNS`.
    static let dnsName: Int32 = 1
    /// `GNUTLS_X509_FMT_DER` and `GNUTLS_X509_FMT_PEM`.
    static let (der, pem): (Int32, Int32) = (0, 1)
    /// `GNUTLS_KEYID_USE_SHA256`.
    static let sha256ID: UInt32 = 1
    /// `GNUTLS_SHUT_WR`.
    static let shutWriting: Int32 = 1
    /// `GNUTLS_E_AGAIN` and `GNUTLS_E_INTERRUPTED`.
    static let (again, interrupted) = (-28, -52)
    /// `GNUTLS_E_PREMATURE_TERMINATION`: the other side has left without a word.
    static let leftWithoutWord = -110
}
