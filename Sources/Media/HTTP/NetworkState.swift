private import Files
private import Glibc

/// Whether this machine has a way to other networks: a default route.
///
/// From route tables in /proc (proc(5), `net/route`), which only the kernel is asked for. Without them it counts as
/// connected.
func hasDefaultRoute() -> Bool {
    guard let four = lines(of: "/proc/net/route") else { return true }
    // Interface, destination, gateway, flags; RTF_UP is 1.
    let isRoute = four.dropFirst().contains { words in
        words.count > 3 && words[1] == "00000000" && (UInt32(digits: words[3].utf8, radix: 16) ?? 0) & 1 == 1
    }
    if isRoute { return true }
    // Destination, its prefix's length, six more, flags and interface; the kernel keeps a route to nowhere at lo.
    return lines(of: "/proc/net/ipv6_route")?.contains { words in
        words.count > 9 && words[1] == "00" && words[0].allSatisfy { $0 == "0" } && words[9] != "lo"
    } ?? false
}

/// The words of a small file's lines; `nil` when it cannot be read.
private func lines(of path: String) -> [[Substring]]? {
    guard let bytes = try? fileContents(path, atMost: 1 << 20) else { return nil }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
        line.split { $0 == " " || $0 == "\t" }
    }
}

/// Whether a name server has said that a host does not exist; `false` also when none has answered.
///
/// Blocks for as long as name servers take.
func isUnknown(host: String) -> Bool {
    var found: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, nil, nil, &found)
    if let found = unsafe found { unsafe freeaddrinfo(found) }
    // EAI_NODATA, for a name without addresses, is -5 in glibc's netdb.h.
    return code == EAI_NONAME || code == -5
}
