internal import AudioTypes
internal import LineProtocol
internal import Records
internal import ServerRequests
internal import Zones

/// The chapters of the current song, as its file has them.
let chapterCommands: [Row<ZoneServices>] = [
    .plain("chapters", .read, library: .limited, reply: .records(.chapters)) { request in
        guard request.client.seesCurrent else { return }
        for (place, chapter) in request.zone.currentChapters.enumerated() {
            request.reply.line("chapter", place + 1)
            if let title = chapter.title { request.reply.line("title", title) }
            request.reply.line("start", seconds: chapter.start.seconds)
            request.reply.line("end", seconds: chapter.end.seconds)
        }
    }
]
