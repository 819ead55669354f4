internal import Authorization
internal import LineProtocol
internal import Records
internal import ServerMusic
internal import ServerRequests
internal import Settings

/// The server's capabilities (the manual's section "Reflection").
let reflectionCommands: [Row<ConnectionServices>] = [
    .plain("commands", nil, library: .nothing, reply: .records(.commands)) { request in
        for command in request.services.table.commands where request.may(command) {
            request.reply.line("command", command.name)
        }
    },
    .plain("notcommands", nil, library: .nothing, reply: .records(.commands)) { request in
        for command in request.services.table.commands where !request.may(command) {
            request.reply.line("command", command.name)
        }
    },
    .plain("config", .owner, library: .withheld, reply: .records(.configuration)) { request in
        guard request.client.principal.isUnix else {
            throw AckError(.permission, "Command only permitted to local clients")
        }
        let configuration = request.configuration
        request.reply.line("music_directory", configuration.musicDirectory)
        request.reply.line("playlist_directory", configuration.playlistDirectory)
        request.reply.line("pcre", 1)
    },
    .plain("urlhandlers", .read, library: .nothing, reply: .records(.urlHandlers)) { request in
        if request.client.outsideFiles != .none { request.reply.line("handler", "file://") }
        for handler in urlHandlers(request.configuration.network) { request.reply.line("handler", handler) }
    },
    .plain("decoders", .read, library: .nothing, reply: .records(.decoders)) { request in
        for plugin in decoders() {
            request.reply.line("plugin", plugin.name)
            for suffix in plugin.suffixes { request.reply.line("suffix", suffix) }
            for type in plugin.mimeTypes { request.reply.line("mime_type", type) }
        }
    },
]

extension Request<ConnectionServices> {
    fileprivate func may(_ command: Command) -> Bool {
        if rights.limits.library != nil, command.library.isWithheld { return false }
        if rights.limits.withheld.contains(command.name) { return false }
        return (command.permission.map(permissions.contains) ?? true)
            || permissions.contains(.addOnly) && command.isForAddOnly(["x"])
    }
}
