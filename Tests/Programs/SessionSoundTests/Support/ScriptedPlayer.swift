import TestSupport

/// A media player on a message bus, of which a `paplay` is the child: it ends when the player pauses, and is started again
/// when it plays.
final class ScriptedPlayer {
    let process: ChildProcess

    /// What has to be installed.
    static let missing = MessageBus.missing + ChildProcess.missing("/usr/bin/python3", "dbus-send")

    private static let script = """
        import subprocess, sys, time
        import dbus, dbus.service
        from dbus.mainloop.glib import DBusGMainLoop
        from gi.repository import GLib
        DBusGMainLoop(set_as_default=True)
        PLAYER = "org.mpris.MediaPlayer2.Player"
        PROPERTIES = "org.freedesktop.DBus.Properties"
        class Player(dbus.service.Object):
            child, status = None, "Stopped"
            def set(self, status):
                if status == "Playing" and not self.child: self.child = subprocess.Popen(sys.argv[2:])
                if status != "Playing" and self.child:
                    self.child.terminate(); self.child.wait(); self.child = None
                self.status = status
                print(status, flush=True)
                self.PropertiesChanged(PLAYER, {"PlaybackStatus": status}, [])
            @dbus.service.method(PLAYER)
            def Play(self): self.set("Playing")
            @dbus.service.method(PLAYER)
            def Pause(self):
                time.sleep(float(sys.argv[1]))
                self.set("Paused")
            @dbus.service.method(PLAYER)
            def Stop(self): self.set("Stopped")
            @dbus.service.method(PROPERTIES, in_signature="ss", out_signature="v")
            def Get(self, interface, name): return self.status
            @dbus.service.signal(PROPERTIES, signature="sa{sv}as")
            def PropertiesChanged(self, interface, changed, invalidated): pass
        bus = dbus.SessionBus()
        name = dbus.service.BusName("org.mpris.MediaPlayer2.scripted", bus)
        player = Player(bus, "/org/mpris/MediaPlayer2")
        player.set("Playing")
        GLib.MainLoop().run()
        """

    /// - Parameter hesitation: How long it takes to pause, in seconds.
    init(on stage: ForeignStage, hesitation: Double = 0) throws {
        var environment = stage.sound.clientEnvironment
        for (name, value) in stage.bus?.environment ?? [:] { environment[name] = value }
        environment["PULSE_SINK"] = stage.sound.sink.name
        let words = ["-c", Self.script, "\(hesitation)", "paplay", stage.folder.file("music/music.wav")]
        process = try ChildProcess("setsid", ["/usr/bin/python3"] + words, environment: environment)
    }

    /// What it did, in order.
    var deeds: [String] { process.outputText.split(separator: "\n").map(String.init) }

    func order(_ member: String, on stage: ForeignStage) throws {
        let words = [
            "--session", "--print-reply", "--dest=org.mpris.MediaPlayer2.scripted", "/org/mpris/MediaPlayer2",
            "org.mpris.MediaPlayer2.Player.\(member)",
        ]
        try ChildProcess.run("dbus-send", words, environment: stage.bus?.environment, within: .patience)
    }
}
