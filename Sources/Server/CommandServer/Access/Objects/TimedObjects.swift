internal import Alarms
internal import Announcements
internal import Authorization
internal import LineProtocol
internal import ServerAnnouncements
internal import ServerRights
internal import ServerRooms
internal import ServerTimers
internal import Zones

/// An alarm, by its number.
struct AlarmObject: NamedObject {
    let alarm: Alarm
    let zones: [String]

    var id: Int { alarm.id }

    init(named word: String, for client: Client, in alarms: AlarmService, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not an alarm's number") }
        guard let alarm = alarms.store.alarms[number] else { throw AlarmStore.Refusal.unknown(number) }
        self.alarm = alarm
        zones = [alarms.room(of: alarm).name]
    }
}

/// A schedule, by its number.
///
/// It is heard nowhere by itself: its commands are carried out with its maker's rights.
struct ScheduleObject: NamedObject {
    let schedule: Schedule
    /// The zone of the client that names it.
    let zones: [String]
    let isOwn: Bool

    var id: Int { schedule.id }

    init(named word: String, for client: Client, in schedules: ScheduleService, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not a schedule's number") }
        guard let schedule = schedules.store.schedules[number] else {
            throw ScheduleStore.Refusal.unknown(number)
        }
        self.schedule = schedule
        zones = [client.zone.name]
        isOwn = client.identity.id.map { "\($0)" } == schedule.maker.principal
    }

    func refusal(of action: Action, in zone: String) -> String {
        "only \(schedule.maker.principal), who made it, and administrators may do that"
    }
}

/// An announcement, by its number.
struct AnnouncementObject: NamedObject {
    let report: AnnouncementReport

    var id: Int { report.announcement.id }

    init(named word: String, for client: Client, in announcer: Announcer, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else {
            throw badParam("'\(word)' is not an announcement's number")
        }
        guard let report = announcer.report(number) else {
            throw AckError(.doesNotExist, "no such announcement: \(word)")
        }
        self.report = report
    }

    var zones: [String] { report.announcement.zones }
}

extension Action {
    static let lookAtAlarm = Action("alarm info", [])
    static let changeAlarm = Action("alarm", .player)
    static let addAlarm = Action("alarm add", .player)
    static let addAlarmThatPlaysOn = Action("alarm add", .add)
    static let changeHolidays = Action("alarm holidays", .player)
    static let lookAtSchedule = Action("schedule info", [])
    static let changeSchedule = Action("schedule", .admin, isFreeToOwner: true)
    static let announce = Action("announce", .player)
    static let lookAtAnnouncement = Action("announcement info", [])
    static let cancelAnnouncement = Action("announcement cancel", .player)
}
