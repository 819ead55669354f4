package import Alarms
package import Announcements
internal import Authorization
internal import LineProtocol
package import ServerAnnouncements
internal import ServerRights
internal import ServerRooms
package import ServerTimers
internal import Zones

/// An alarm, by its number.
package struct AlarmObject: NamedObject {
    package let alarm: Alarm
    package let zones: [String]

    package var id: Int { alarm.id }

    package init(named word: String, for client: Client, in alarms: AlarmService, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not an alarm's number") }
        guard let alarm = alarms.store.alarms[number] else { throw AlarmStore.Refusal.unknown(number) }
        self.alarm = alarm
        zones = [alarms.room(of: alarm).name]
    }
}

/// A schedule, by its number.
///
/// It is heard nowhere by itself: its commands are carried out with its maker's rights.
package struct ScheduleObject: NamedObject {
    package let schedule: Schedule
    /// The zone of the client that names it.
    package let zones: [String]
    package let isOwn: Bool

    package var id: Int { schedule.id }

    package init(named word: String, for client: Client, in schedules: ScheduleService, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is not a schedule's number") }
        guard let schedule = schedules.store.schedules[number] else {
            throw ScheduleStore.Refusal.unknown(number)
        }
        self.schedule = schedule
        zones = [client.zone.name]
        isOwn = client.identity.id.map { "\($0)" } == schedule.maker.principal
    }

    package func refusal(of action: Action, in zone: String) -> String {
        "only \(schedule.maker.principal), who made it, and administrators may do that"
    }
}

/// An announcement, by its number.
package struct AnnouncementObject: NamedObject {
    package let report: AnnouncementReport

    package var id: Int { report.announcement.id }

    package init(named word: String, for client: Client, in announcer: Announcer, _: AccessProof) throws {
        guard let number = Int(word), number > 0 else {
            throw badParam("'\(word)' is not an announcement's number")
        }
        guard let report = announcer.report(number) else {
            throw AckError(.doesNotExist, "no such announcement: \(word)")
        }
        self.report = report
    }

    package var zones: [String] { report.announcement.zones }
}

extension Action {
    package static let lookAtAlarm = Action("alarm info", [])
    package static let changeAlarm = Action("alarm", .player)
    package static let addAlarm = Action("alarm add", .player)
    package static let addAlarmThatPlaysOn = Action("alarm add", .add)
    package static let changeHolidays = Action("alarm holidays", .player)
    package static let lookAtSchedule = Action("schedule info", [])
    package static let changeSchedule = Action("schedule", .admin, isFreeToOwner: true)
    package static let announce = Action("announce", .player)
    package static let lookAtAnnouncement = Action("announcement info", [])
    package static let cancelAnnouncement = Action("announcement cancel", .player)
}
