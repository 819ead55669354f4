import Testing

@testable import MPDImport

@Suite struct RunningMPDTests {
    @Test(arguments: [
        ("0::/system.slice/mpd.service\n", RunningMPD.Manager.systemUnit),
        ("0::/user.slice/user-1000.slice/user@1000.service/app.slice/mpd.service\n", .userUnit),
        ("12:pids:/x\n1:name=systemd:/system.slice/mpd.service\n", .systemUnit),
        ("0::/user.slice/user-1000.slice/session-2.scope\n", .none), ("", .none),
    ])
    func theUnitIsReadFromTheControlGroup(text: String, manager: RunningMPD.Manager) {
        #expect(RunningMPD.manager(cgroup: text) == manager)
    }

    @Test(arguments: [
        (RunningMPD(process: 7, manager: .none), "kill 7"),
        (RunningMPD(process: 7, manager: .userUnit), "systemctl --user disable --now mpd.socket mpd.service"),
        (RunningMPD(process: nil, manager: .systemUnit), "sudo systemctl disable --now mpd.socket mpd.service"),
    ])
    func commandsStopIt(mpd: RunningMPD, command: String) { #expect(mpd.stopCommand == command) }

    @Test func onlyListeningSocketsCount() {
        let table = """
            Num       RefCount Protocol Flags    Type St Inode Path
            ffff8a01: 00000002 00000000 00010000 0001 01 20001 /run/mpd/socket
            ffff8a02: 00000003 00000000 00000000 0001 03 20002 /run/other
            ffff8a03: 00000002 00000000 00010000 0001 01 20003
            ffff8a04: 00000002 00000000 00010000 0001 01 20004 /with a blank
            """
        #expect(listeningSockets(inTable: table) == ["/run/mpd/socket", "/with a blank"])
    }
}
