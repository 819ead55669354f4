internal import LineProtocol
internal import Records
internal import ServerMusic
internal import ServerRequests
internal import Settings

/// Storage mounted by a server itself, which segued leaves to the system (the manual's section "Mounts and neighbors").
let mountCommands: [Row<MusicServices>] = [
    .plain("listmounts", .read, library: .nothing, reply: .records(.mounts)) { request in
        guard request.services.media.directory != nil else { return }
        request.reply.line("mount", "")
        // As with `config`, other users are not told where it is.
        if request.client.principal.isOwner { request.reply.line("storage", request.configuration.musicDirectory) }
    },
    .plain("mount", .owner, library: .withheld, .text("NAME"), .text("URI")) { _, name, _ in
        if name.isEmpty { throw AckError(.badArgument, "Bad mount point") }
        throw AckError(.doesNotExist, "Mounting is left to the system: mount it below the music directory")
    },
    .plain("unmount", .owner, library: .withheld, .text("NAME")) { _, name in
        throw AckError(.badArgument, name.isEmpty ? "Bad mount point" : "Not a mount point")
    },
]
