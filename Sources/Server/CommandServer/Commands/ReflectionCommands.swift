internal import Authorization
internal import LineProtocol
internal import ServerMusic
internal import Settings

/// The server's capabilities (the manual's section "Reflection").
let reflectionCommands: [Command] = [
    .plain("commands", nil, library: .nothing) { client in
        for command in client.server.table.commands where client.may(command) {
            client.reply.line("command", command.name)
        }
    },
    .plain("notcommands", nil, library: .nothing) { client in
        for command in client.server.table.commands where !client.may(command) {
            client.reply.line("command", command.name)
        }
    },
    .plain("config", .owner, library: .withheld) { client in
        guard client.principal.isUnix else { throw AckError(.permission, "Command only permitted to local clients") }
        let configuration = client.server.configuration
        client.reply.line("music_directory", configuration.musicDirectory)
        client.reply.line("playlist_directory", configuration.playlistDirectory)
        client.reply.line("pcre", 1)
    },
    .plain("urlhandlers", .read, library: .nothing) { client in
        if client.outsideFiles != .none { client.reply.line("handler", "file://") }
        for handler in urlHandlers(client.server.configuration.network) { client.reply.line("handler", handler) }
    },
    .plain("decoders", .read, library: .nothing) { client in
        for plugin in decoders() {
            client.reply.line("plugin", plugin.name)
            for suffix in plugin.suffixes { client.reply.line("suffix", suffix) }
            for type in plugin.mimeTypes { client.reply.line("mime_type", type) }
        }
    },
]

extension Client {
    fileprivate func may(_ command: Command) -> Bool {
        if rights.limits.library != nil, command.library.isWithheld { return false }
        return (command.permission.map(permissions.contains) ?? true)
            || permissions.contains(.addOnly) && command.isForAddOnly(["x"])
    }
}
