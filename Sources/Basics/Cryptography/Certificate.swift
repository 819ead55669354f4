private import CGnuTLS
private import Glibc

/// Why a certificate cannot be read or made, in GnuTLS's words.
package struct CertificateProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String

    fileprivate init(code: Int32) { description = unsafe String(cString: gnutls_strerror(code)) }
}

/// The facts of a certificate that decide whether, and for whom, it is accepted.
package struct CertificateFacts: Sendable, Hashable {
    /// SHA-256 of its public key (SubjectPublicKeyInfo): the same for a renewed certificate of the same key.
    package let pin: Digest
    /// The subject's common name; `nil` without one, and when it is not UTF-8 of at most 255 bytes.
    package let commonName: String?
    /// In seconds since 1970.
    package let validUntil: Double

    /// - Parameter der: The certificate in DER form.
    package init(der: [UInt8]) throws(CertificateProblem) {
        let certificate = try OwnedCertificate()
        try certificate.read(der)
        pin = try certificate.pin()
        commonName = certificate.commonName()
        validUntil = certificate.validUntil()
    }
}

/// A certificate that a server has made for itself, with its key; both in PEM form.
package struct MadeCertificate: Sendable, Hashable {
    package let certificate: [UInt8]
    package let key: [UInt8]

    /// Makes a key (ECDSA with P-256) and a certificate that it has signed itself.
    ///
    /// The certificate is valid for 20 years: clients know it by its key, not by who has signed it.
    ///
    /// - Parameters:
    ///   - names: The host names that it is for; the first is its common name.
    ///   - now: In seconds since 1970.
    package init(for names: [String], now: Int) throws(CertificateProblem) {
        let certificate = try OwnedCertificate()
        let key = try OwnedKey()
        try check(unsafe gnutls_x509_privkey_generate(key.handle, GNUTLS_PK_ECDSA, segue_P256, 0))
        try certificate.fill(names, key, now)
        self.certificate = try certificate.exported()
        self.key = try key.exported()
    }
}

private func check(_ code: Int32) throws(CertificateProblem) {
    guard code >= 0 else { throw CertificateProblem(code: code) }
}

@safe private struct OwnedKey: ~Copyable {
    let handle: gnutls_x509_privkey_t

    init() throws(CertificateProblem) {
        var made: gnutls_x509_privkey_t?
        let code = unsafe gnutls_x509_privkey_init(&made)
        guard let handle = unsafe made else { throw CertificateProblem(code: code) }
        unsafe self.handle = handle
    }

    deinit { unsafe gnutls_x509_privkey_deinit(handle) }

    func exported() throws(CertificateProblem) -> [UInt8] {
        var text = unsafe gnutls_datum_t()
        try check(unsafe gnutls_x509_privkey_export2_pkcs8(handle, GNUTLS_X509_FMT_PEM, nil, 0, &text))
        return unsafe text.consumed()
    }
}

@safe private struct OwnedCertificate: ~Copyable {
    private let handle: gnutls_x509_crt_t

    init() throws(CertificateProblem) {
        var made: gnutls_x509_crt_t?
        let code = unsafe gnutls_x509_crt_init(&made)
        guard let handle = unsafe made else { throw CertificateProblem(code: code) }
        unsafe self.handle = handle
    }

    deinit { unsafe gnutls_x509_crt_deinit(handle) }

    func read(_ der: [UInt8]) throws(CertificateProblem) {
        var bytes = der
        let code = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            var datum = unsafe gnutls_datum_t(data: buffer.baseAddress, size: UInt32(clamping: buffer.count))
            return unsafe gnutls_x509_crt_import(handle, &datum, GNUTLS_X509_FMT_DER)
        }
        try check(code)
    }

    func pin() throws(CertificateProblem) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Digest.length)
        var size = bytes.count
        let code = unsafe gnutls_x509_crt_get_key_id(handle, segue_SHA256_ID, &bytes, &size)
        guard code >= 0, let pin = Digest(bytes: bytes) else { throw CertificateProblem(code: code) }
        return pin
    }

    func commonName() -> String? {
        var bytes = [UInt8](repeating: 0, count: 256)
        var size = bytes.count
        guard unsafe gnutls_x509_crt_get_dn_by_oid(handle, segue_common_name, 0, 0, &bytes, &size) == 0 else {
            return nil
        }
        return String(validating: bytes.prefix(size), as: UTF8.self)
    }

    func validUntil() -> Double { Double(unsafe gnutls_x509_crt_get_expiration_time(handle)) }

    func fill(_ names: [String], _ key: borrowing OwnedKey, _ now: Int) throws(CertificateProblem) {
        // RFC 5280: positive, and at most 20 bytes.
        var serial = [UInt8].random(count: 16)
        serial[0] = serial[0] & 0x7f | 1
        try check(unsafe gnutls_x509_crt_set_version(handle, 3))
        try check(unsafe gnutls_x509_crt_set_serial(handle, serial, serial.count))
        // A client whose clock is slow accepts it, too.
        try check(unsafe gnutls_x509_crt_set_activation_time(handle, now - 86_400))
        try check(unsafe gnutls_x509_crt_set_expiration_time(handle, now + 20 * 366 * 86_400))
        try check(unsafe gnutls_x509_crt_set_key(handle, key.handle))
        if let name = names.first {
            let text = Array(name.utf8)
            let size = UInt32(clamping: text.count)
            try check(unsafe gnutls_x509_crt_set_dn_by_oid(handle, segue_common_name, 0, text, size))
        }
        for name in names {
            let text = Array(name.utf8)
            let size = UInt32(clamping: text.count)
            let code = unsafe gnutls_x509_crt_set_subject_alt_name(
                handle,
                GNUTLS_SAN_DNSNAME,
                text,
                size,
                UInt32(GNUTLS_FSAN_APPEND)
            )
            try check(code)
        }
        try check(unsafe gnutls_x509_crt_set_basic_constraints(handle, 0, -1))
        try check(unsafe gnutls_x509_crt_set_key_usage(handle, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE)))
        try check(unsafe gnutls_x509_crt_set_key_purpose_oid(handle, segue_server_purpose, 0))
        try check(unsafe gnutls_x509_crt_sign2(handle, handle, key.handle, GNUTLS_DIG_SHA256, 0))
    }

    func exported() throws(CertificateProblem) -> [UInt8] {
        var text = unsafe gnutls_datum_t()
        try check(unsafe gnutls_x509_crt_export2(handle, GNUTLS_X509_FMT_PEM, &text))
        return unsafe text.consumed()
    }
}

extension gnutls_datum_t {
    /// The bytes, whose memory is freed.
    fileprivate func consumed() -> [UInt8] {
        let bytes = unsafe Array(UnsafeBufferPointer(start: data, count: Int(size)))
        unsafe explicit_bzero(data, Int(size))
        unsafe free(data)
        return bytes
    }
}
