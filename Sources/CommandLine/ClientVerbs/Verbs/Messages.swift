import ArgumentParser
import CommandOptions
import ProtocolClient
import TextEncodings

struct ChannelsVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote("channels", "List the channels that clients listen to.")
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws {
        for name in try session.run("channels").values("channel") {
            if session.console.form == .json {
                session.console.print(.object([.init("channel", .string(name))]))
            } else {
                session.console.print(name)
            }
        }
    }
}

struct SendMessageVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "sendmessage",
        "Send a message to those who listen to a channel.",
        "<channel> <message>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "The channel.") var channel: String
    @Argument(help: "The message.") var message: String

    func run(on session: Session) throws { try session.run("sendmessage", channel, message) }
}

extension Session {
    /// Waits for messages and prints them.
    func printMessages() throws {
        _ = try connection.idle(["message"])
        for block in try run("readmessages").groups(startingWith: "channel") {
            let message = block["message"] ?? ""
            if console.form == .json {
                console.print(
                    .object([.init("channel", .string(block.pairs[0].value)), .init("message", .string(message))])
                )
            } else {
                console.print(message)
            }
        }
        console.flush()
    }
}

struct SubscribeVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "subscribe",
        "Print a channel's messages as they come.",
        "<channel> ..."
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: ArgumentHelp("Channels.", valueName: "channel")) var channels: [String]

    func run(on session: Session) throws {
        try session.connection.run(channels.map { Request("subscribe", $0) })
        while true { try session.printMessages() }
    }
}

struct WaitMessageVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "waitmessage",
        "Wait for a channel's next message.",
        "<channel>"
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @Argument(help: "The channel.") var channel: String

    func run(on session: Session) throws {
        try session.run("subscribe", channel)
        try session.printMessages()
    }
}
