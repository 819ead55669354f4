private import Foundation

extension WebServer {
    /// A part of the server that does something else than the rest.
    package struct Place: Sendable {
        /// How paths begin that belong to it, as `slow/`; what follows is the name of a file in `root`.
        package var prefix: String
        /// What nginx's configuration says of it.
        package var lines: [String]
        /// Who may read it, as `name:password`; `nil` is anybody.
        package var user: String?

        package init(_ prefix: String, _ lines: [String] = [], user: String? = nil) {
            self.prefix = prefix
            self.lines = lines
            self.user = user
        }

        /// Bytes per second of each connection, after some that come at once.
        package static func slow(_ prefix: String, rate: Int, after free: Int = 0) -> Place {
            Place(prefix, ["limit_rate \(rate);", "limit_rate_after \(free);"])
        }

        /// Ranges are not served.
        package static func whole(_ prefix: String) -> Place { Place(prefix, ["max_ranges 0;"]) }

        /// A name and a password are wanted (`name:password`).
        package static func closed(_ prefix: String, user: String) -> Place { Place(prefix, user: user) }

        /// A header has to be there.
        package static func header(_ prefix: String, _ name: String, _ value: String) -> Place {
            let variable = name.lowercased().replacingOccurrences(of: "-", with: "_")
            return Place(prefix, ["if ($http_\(variable) != \"\(value)\") { return 403; }"])
        }

        /// Sends elsewhere: in `target` what follows the prefix is `$1`.
        package static func redirect(_ prefix: String, to target: String, status: Int = 302) -> Place {
            Place(prefix, ["if ($uri ~ \"^/\(prefix)(.*)$\") { return \(status) \"\(target)\"; }"])
        }

        /// Answers with a status and a text.
        package static func answer(
            _ prefix: String,
            _ status: Int,
            _ text: String = "",
            headers: [String: String] = [:]
        ) -> Place {
            let lines = headers.sorted { $0.key < $1.key }.map { "add_header \($0.key) \"\($0.value)\" always;" }
            return Place(prefix, lines + ["return \(status) \"\(text)\";"])
        }

        /// Files with a type, whatever they are called.
        package static func type(_ prefix: String, _ type: String) -> Place {
            Place(prefix, ["types { }", "default_type \"\(type)\";"])
        }

        /// Files with headers more.
        package static func headers(_ prefix: String, _ headers: [String: String]) -> Place {
            Place(prefix, headers.sorted { $0.key < $1.key }.map { "add_header \($0.key) \"\($0.value)\";" })
        }
    }

    /// One request, as the server's log has it once it has ended.
    package struct Request: Sendable, Hashable {
        /// Seconds since 1970 at its end.
        package var end: Double
        /// How long it took, in seconds.
        package var duration: Double
        package var method: String
        package var path: String
        package var query: String
        package var status: Int
        /// Of the body.
        package var bytes: Int
        /// What followed `Range: bytes=`; empty without.
        package var range: String
        package var userAgent: String
        /// The name of basic authentication.
        package var user: String
        /// Whether titles were asked for in the stream (`Icy-MetaData`).
        package var wantsTitles: Bool
        /// The number of its connection.
        package var connection: Int

        init?(_ line: Substring) {
            let words = line.split(separator: "\t", omittingEmptySubsequences: false).map { $0 == "-" ? "" : $0 }
            guard words.count == 11, let end = Double(words[0]), let duration = Double(words[1]),
                let status = Int(words[4]), let bytes = Int(words[5]), let connection = Int(words[10])
            else { return nil }
            (self.end, self.duration, self.status, self.bytes, self.connection) = (
                end, duration, status, bytes, connection
            )
            method = String(words[2])
            let parts = words[3].split(separator: "?", maxSplits: 1)
            path = parts.first.map(String.init) ?? ""
            query = parts.count > 1 ? String(parts[1]) : ""
            range = words[6].hasPrefix("bytes=") ? String(words[6].dropFirst(6)) : String(words[6])
            userAgent = String(words[7])
            user = String(words[8])
            wantsTitles = words[9] == "1"
        }
    }

    var configuration: String {
        let work = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        return """
            daemon off;
            master_process off;
            pid pid;
            error_log stderr warn;
            events { worker_connections 512; }
            http {
              \(work.joined(separator: "\n  "))
              log_format asked '$msec\\t$request_time\\t$request_method\\t$request_uri\\t$status\\t$body_bytes_sent\\t'
                '$http_range\\t$http_user_agent\\t$remote_user\\t$http_icy_metadata\\t$connection';
              access_log requests asked;
              default_type application/octet-stream;
              types {
            \(Self.types.map { "    \($0.value) \($0.key);" }.sorted().joined(separator: "\n"))
              }
              map $status $retry { 503 1; 429 1; default ""; }
              add_header Retry-After $retry always;
              gzip off;
              keepalive_requests 100000;
              server {
                listen unix:\(logSocket);
                access_log off;
                return 204;
              }
              server {
                listen \(host):\(port)\(isSecure ? " ssl" : "");
                \(Self.hasIPv6 && host == "127.0.0.1" ? "listen [::1]:\(port)\(isSecure ? " ssl" : "");" : "")
                root "\(root)";
            \(isSecure ? "    ssl_certificate \"\(certificate)\";\n    ssl_certificate_key \"\(key)\";" : "")
            \(Fault.allCases.map(fault).joined(separator: "\n"))
            \(places.map(location).joined(separator: "\n"))
              }
            }

            """
    }

    private func fault(_ fault: Fault) -> String {
        "    if (-f \"\(folder.file("faults/\(fault.rawValue)"))$uri\") { return \(fault.rawValue); }"
    }

    private func location(_ place: Place) -> String {
        var lines = place.lines
        if place.user != nil {
            lines += ["auth_basic \"closed\";", "auth_basic_user_file \"\(folder.file(users(of: place)))\";"]
        }
        return """
                location ^~ "/\(place.prefix)" {
                  alias "\(root)/";
                  \(lines.joined(separator: "\n      "))
                }
            """
    }

    /// Writes down who may read what.
    func writeUsers() throws {
        for place in places {
            guard let user = place.user, let end = user.firstIndex(of: ":") else { continue }
            try folder.write(users(of: place), "\(user[..<end]):{PLAIN}\(user[end...].dropFirst())\n")
        }
    }

    private func users(of place: Place) -> String {
        "users-\(place.prefix.replacingOccurrences(of: "/", with: "-"))"
    }

    private static let types = [
        "mp3": "audio/mpeg", "flac": "audio/flac", "opus": "audio/ogg", "ogg": "audio/ogg", "m4a": "audio/mp4",
        "aac": "audio/aac", "wav": "audio/wav", "m3u8": "application/vnd.apple.mpegurl", "ts": "video/mp2t",
        "m4s": "video/iso.segment", "mp4": "video/mp4", "mpd": "application/dash+xml", "m3u": "audio/x-mpegurl",
        "pls": "audio/x-scpls", "xspf": "application/xspf+xml", "html": "text/html", "txt": "text/plain",
    ]

    // MARK: TLS

    /// The server's certificate; a client that trusts this file trusts the server.
    package var certificate: String { folder.file("certificate.pem") }
    private var key: String { folder.file("key.pem") }

    func makeCertificate() throws {
        try ChildProcess.run(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
                + ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
                + ["-keyout", key, "-out", certificate]
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
    }
}
