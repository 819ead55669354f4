/// The services of each group of commands.
package final class ServiceGroups {
    package let status: StatusServices
    package let zone: ZoneServices
    package let music: MusicServices
    package let session: SessionServices
    package let timer: TimerServices
    package let access: AccessServices
    package let connection: ConnectionServices

    package init(
        status: StatusServices,
        zone: ZoneServices,
        music: MusicServices,
        session: SessionServices,
        timer: TimerServices,
        access: AccessServices,
        connection: ConnectionServices
    ) {
        self.status = status
        self.zone = zone
        self.music = music
        self.session = session
        self.timer = timer
        self.access = access
        self.connection = connection
    }
}
