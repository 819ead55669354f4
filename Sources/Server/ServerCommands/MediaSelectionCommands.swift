internal import AudioTypes
internal import LineProtocol
internal import Records
internal import ServerRequests
internal import Zones

/// The streams of the current song that are to be chosen from, as AVPlayerItem's media selection.
let mediaSelectionCommands: [Row<ZoneServices>] = [
    .plain("mediaselection", .read, library: .limited, reply: .records(.mediaSelection)) { request in
        guard request.client.seesCurrent else { return }
        for selection in request.zone.mediaSelections { request.reply.append(selection) }
    },
    .plain(
        "selectmedia",
        .player,
        library: .nothing,
        .text("audible|legible|visual").named("group", .oneOf(["audible", "legible", "visual"])),
        .mediaOption()
    ) {
        request,
        group,
        wish in
        switch group {
        case "audible": try request.zone.selectAudio(wish)
        case "legible": throw AckError(.system, "segued shows no subtitles")
        case "visual": throw AckError(.system, "segued shows no moving pictures")
        default: throw AckError(.badArgument, "badParam: a group is audible, legible or visual")
        }
    },
]

extension Argument<MediaSelectionWish> {
    /// An option of a group: its number, a language, or what is chosen without asking.
    fileprivate static func mediaOption() -> Self {
        .required("OPTION") { word throws(AckError) in
            if word == "auto" { return .automatic }
            if let number = Int(word), number > 0 { return .number(number) }
            guard (2...3).contains(word.utf8.count), let language = LanguageCode(word) else {
                throw badParam("an option is a number from 1, a language such as en or deu, or auto")
            }
            return .language(language)
        }
    }
}

extension Reply {
    fileprivate mutating func append(_ selection: ZoneMediaSelection) {
        line("group", selection.group.characteristic.rawValue)
        line("automatic", selection.isAutomatic)
        line("allowsempty", selection.group.allowsEmptySelection)
        for (place, option) in selection.group.options.enumerated() {
            line("option", place + 1)
            line("selected", option == selection.selected)
            if let language = option.language { line("language", language.code) }
            if let title = option.title { line("name", title) }
            if option.codec != "unknown" { line("codec", option.codec) }
            line("default", option.isDefault)
            line("forced", option.isForced)
            for word in option.characteristics { line("characteristic", word) }
        }
    }
}
