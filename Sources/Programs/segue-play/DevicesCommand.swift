import ArgumentParser
import CommandOptions
import Foreground
import Glibc
import TerminalText
import TextEncodings

struct Devices: AsyncParsableCommand {
    static let configuration = CommandConfiguration.devices
    @OptionGroup var options: DevicesOptions

    func run() async throws {
        var devices: [OutputDevice]
        do {
            devices = try await listDevices(server: options.server)
        } catch {
            TextOutput.standardError.writeLines(["segue: \(DisplayText.harmless("\(error)"))"])
            throw ExitStatus.noOutput.exitCode
        }
        write(devices)
        guard options.follow else { return }
        do {
            for await changed in try deviceChanges(server: options.server) where changed != devices {
                devices = changed
                if !options.json, !options.names { TextOutput.standardOutput.writeLines([""]) }
                write(devices)
            }
        } catch {
            TextOutput.standardError.writeLines(["segue: \(DisplayText.harmless("\(error)"))"])
            throw ExitStatus.noOutput.exitCode
        }
    }

    private func write(_ devices: [OutputDevice]) {
        let lines: [String]
        if options.json {
            lines = devices.map { DeviceReport.json($0).text }
        } else if options.names {
            lines = devices.map { DisplayText.harmless($0.name) }
        } else {
            let inColour = TerminalTraits.takesColour(STDOUT_FILENO)
            lines = DeviceReport.lines(devices).map { $0.text(inColour: inColour) }
        }
        TextOutput.standardOutput.writeLines(lines)
    }
}
