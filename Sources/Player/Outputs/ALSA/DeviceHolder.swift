internal import Files

/// The program that has a sound card open, as `/proc` tells.
struct DeviceHolder: Sendable, Hashable, CustomStringConvertible {
    let process: Int
    let name: String?

    var description: String { name.map { "\($0) (process \(process))" } ?? "process \(process)" }

    /// Finds the program that plays to a device such as `hw:CARD=DAC,DEV=0` or `plughw:1`.
    ///
    /// A device without a card in its name may be any card's.
    ///
    /// - Parameters:
    ///   - folder: The kernel's list of cards.
    ///   - processes: The kernel's list of processes.
    static func find(
        of device: String,
        in folder: String = "/proc/asound",
        processes: String = "/proc"
    ) -> DeviceHolder? {
        let card = card(of: device).map { Int($0) == nil ? $0 : "card\($0)" }
        for card in card.map({ [$0] }) ?? entries(of: folder, "card") {
            for pcm in entries(of: "\(folder)/\(card)", "pcm") where pcm.hasSuffix("p") {
                for part in entries(of: "\(folder)/\(card)/\(pcm)", "sub") {
                    guard let process = owner("\(folder)/\(card)/\(pcm)/\(part)/status") else { continue }
                    let name = firstLine(of: "\(processes)/\(process)/comm")
                    return DeviceHolder(process: process, name: name)
                }
            }
        }
        return nil
    }

    /// The card in a device's name, by its number or its identifier.
    static func card(of device: String) -> String? {
        guard let colon = device.firstIndex(of: ":") else { return nil }
        let words = device[device.index(after: colon)...].split(separator: ",")
        let named = words.first { $0.hasPrefix("CARD=") }.map { $0.dropFirst(5) }
        let place = words.first.flatMap { $0.contains("=") ? nil : $0 }
        return (named ?? place).map(String.init).flatMap { $0.isEmpty || $0.contains("/") ? nil : $0 }
    }

    /// The process that a substream's status names.
    private static func owner(_ path: String) -> Int? {
        guard let text = contents(of: path) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("owner_pid") }
        return line?.split(separator: ":").last.flatMap { Int($0.drop { $0 == " " }) }.flatMap { $0 > 0 ? $0 : nil }
    }

    private static func firstLine(of path: String) -> String? {
        contents(of: path)?.split(separator: "\n").first.map(String.init)
    }

    private static func contents(of path: String) -> String? {
        (try? fileContents(path, atMost: 4_096)).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func entries(of path: String, _ prefix: String) -> [String] {
        ((try? fileNames(in: path)) ?? []).filter { $0.hasPrefix(prefix) }.sorted()
    }
}
