package import NIOHTTP1

/// The reason why a request by HTTP is not carried out, as its response tells it.
package struct WebRefusal: Error, Sendable, Hashable {
    package let status: HTTPResponseStatus
    /// A sentence.
    package let text: String
    /// Further fields of the response.
    package let fields: [Field]

    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package init(_ status: HTTPResponseStatus, _ text: String, _ fields: KeyValuePairs<String, String> = [:]) {
        self.status = status
        self.text = text
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }
}

extension WebRefusal {
    package static let wrongSecret = WebRefusal(
        .unauthorized,
        "The name and the secret after Bearer are not those of a client of this server.",
        ["WWW-Authenticate": "Bearer"]
    )
    package static let secretRequired = WebRefusal(
        .unauthorized,
        "You may not see this without the name and the secret of a client of this server, after Bearer.",
        ["WWW-Authenticate": "Bearer"]
    )
    package static let ticketIsOver = WebRefusal(
        .unauthorized,
        "The ticket in the address is over, or its connection has ended; the command ticket makes another one.",
        ["WWW-Authenticate": "Bearer"]
    )
    package static let invitationIsOver = WebRefusal(
        .gone,
        "The invitation was used already, or is over; the server's owner can make another one."
    )
    package static let headTooLarge = WebRefusal(
        .requestHeaderFieldsTooLarge,
        "The head of the request is longer than \(WebRequest.mostHeadBytes) bytes."
    )
    package static let malformed = WebRefusal(.badRequest, "This is not a request of HTTP/1.")
    package static let tooSlow = WebRefusal(.requestTimeout, "The request took too long.")
    package static let encryptionRequired = WebRefusal(
        .forbidden,
        "This server takes encrypted connections (https) only from other machines."
    )
    package static let crowded = WebRefusal(
        .serviceUnavailable,
        "There are as many connections as may be.",
        ["Retry-After": "30"]
    )

    package static let noPlaceToListen = WebRefusal(
        .serviceUnavailable,
        "There are as many listeners as may be.",
        ["Retry-After": "30"]
    )

    /// Lists of songs without pictures do not ask for them with every look.
    package static let noPicture = WebRefusal(
        .notFound,
        "There is no picture.",
        ["Cache-Control": "private, max-age=60"]
    )

    package static func tooLong(_ limit: Int) -> WebRefusal {
        WebRefusal(.payloadTooLarge, "The request is longer than limits.max-line-size = \(limit) bytes.")
    }

    package static func noZone(_ name: String) -> WebRefusal {
        WebRefusal(.notFound, "There is no zone \"\(name)\".")
    }

    /// - Parameter seconds: After which another secret is looked at.
    package static func tooManyGuesses(after seconds: Int) -> WebRefusal {
        WebRefusal(
            .tooManyRequests,
            "There were too many wrong secrets from this address.",
            ["Retry-After": "\(seconds)"]
        )
    }
}
