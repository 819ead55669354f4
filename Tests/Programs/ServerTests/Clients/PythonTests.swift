import TestSupport
import TestThreads
import Testing

/// python-mpd2, which Home Assistant uses, gets along.
@Suite(.blocking, .enabled("python3-mpd is not installed") { Tools.missingForPython.isEmpty })
struct PythonTests {
    @Test func blocking() async throws {
        let program = """
            import mpd, sys
            c = mpd.MPDClient()
            c.connect(sys.argv[1], None)
            c.add("Blue")
            assert c.status()["playlistlength"] == "2"
            assert c.playlistinfo()[0]["title"] == "So What"
            c.command_list_ok_begin(); c.status(); c.currentsong(); c.ping()
            assert len(c.command_list_end()) == 3
            assert len(c.albumart("Blue/01 So What.flac")["binary"]) == 20000
            assert c.readpicture("two.flac")["type"] == "image/png"
            assert c.readpicture("one.flac") == {}
            assert [s.get("directory") for s in c.lsinfo()][-3:] == ["Blue", "lists", "other"]
            assert c.outputs()[0]["outputenabled"] == "1"
            assert "status" in c.commands() and c.decoders()[0]["plugin"] and c.urlhandlers() and c.tagtypes()
            c.sticker_set("song", "one.flac", "a", "b=c")
            assert c.sticker_list("song", "one.flac") == {"a": "b=c"}
            c.save("kept"); assert c.listplaylists()[0]["playlist"] == "kept"
            assert len(c.listplaylistinfo("kept")) == 2
            c.play(); c.pause(1); c.seekcur(3); assert c.status()["state"] == "pause"
            assert [s["id"] for s in c.plchangesposid(0)] == ["1", "2"]
            c.stats(); c.listpartitions()
            try:
                c.lsinfo("none"); assert False
            except mpd.CommandError as error:
                assert "[50@0] {lsinfo}" in str(error)
            c.close(); c.disconnect()
            print("fine")
            """
        try await run(program)
    }

    /// The asynchronous client sends `idle` by itself whenever it has nothing else to ask.
    @Test func asynchronous() async throws {
        let program = """
            import asyncio, mpd, sys
            from mpd.asyncio import MPDClient
            async def main():
                c, other = MPDClient(), mpd.MPDClient()
                await c.connect(sys.argv[1]); other.connect(sys.argv[1], None)
                seen = []
                async def watch():
                    async for names in c.idle(["options", "playlist"]):
                        seen.extend(names)
                        if set(seen) >= {"options", "playlist"}: return
                watching = asyncio.create_task(watch())
                on = 0
                while not watching.done():
                    on = 1 - on
                    other.repeat(on); other.add("one.flac")
                    await c.status()
                    # The client waits 0.1 s for more to ask before it idles.
                    await asyncio.sleep(0.15)
                await watching
                replies = await asyncio.gather(*[c.status() for _ in range(50)])
                assert len(replies) == 50 and all(r["state"] == "stop" for r in replies)
                assert (await c.albumart("Blue/01 So What.flac"))["binary"]
                c.disconnect()
                print("fine")
            asyncio.run(asyncio.wait_for(main(), 20))
            """
        try await run(program)
    }

    private func run(_ program: String) async throws {
        let server = try await Segued.start()
        let result = try await ChildProcess(Tools.python, ["-c", program, server.socket]).wait()
        #expect(result.outputText == "fine\n", "\(result.errorText)")
    }
}
