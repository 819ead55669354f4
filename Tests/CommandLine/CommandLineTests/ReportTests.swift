import AudioTypes
import CommandOptions
import Foreground
import TerminalText
import Testing
import TextEncodings

@Suite struct ReportTests {
    private var info: MediaInfo {
        var audio = StreamInfo(index: 0, kind: .audio, codec: "aac")
        audio.profile = "LC"
        audio.sampleRate = 44_100
        audio.channels = .stereo
        audio.language = "eng"
        audio.dispositions = ["default"]
        audio.bitRate = 128_400
        var cover = StreamInfo(index: 1, kind: .cover, codec: "mjpeg")
        cover.width = 600
        cover.height = 500
        var tags = Tags()
        tags.set("title", to: "So\u{1b}[2J What")
        return MediaInfo(
            container: "mov,mp4",
            duration: MediaTime(seconds: 61.5),
            bitRate: 130_900,
            streams: [audio, cover],
            chapters: [Chapter(title: "Intro", start: .zero, end: MediaTime(seconds: 30))],
            tags: tags,
            replayGain: ReplayGain(trackGain: -7.03, trackPeak: 0.988),
            hasExactEnd: false
        )
    }

    @Test func probeForPeople() {
        let lines = ProbeReport(location: "a.m4a", info: info).lines.map(\.plain)
        #expect(
            lines == [
                "a.m4a",
                "  Kind         audio",
                "  Container    mov,mp4",
                "  Duration     1:01.500 (the end is not exact)",
                "  Bit rate     131 kbit/s",
                "  Stream 0     audio, aac (LC), 44100 Hz, stereo, 128 kbit/s, eng [default]",
                "  Stream 1     cover, mjpeg, 600x500",
                "  Chapter 1    0:00.000 to 0:30.000  Intro",
                "  Track gain   -7.03 dB, peak 0.988",
                "  title        So [2J What",
            ]
        )
    }

    @Test func probeForPrograms() {
        #expect(
            ProbeReport(location: "a.m4a", info: info).json.text == """
                {"location":"a.m4a","kind":"audio","container":"mov,mp4","duration":61.5,"exact_end":false,"seekable":true,\
                "bit_rate":130900,"streams":[{"index":0,"kind":"audio","codec":"aac","profile":"LC","language":"eng",\
                "dispositions":["default"],"bit_rate":128400,"sample_rate":44100,"channels":2,\
                "channel_layout":"stereo"},{"index":1,"kind":"cover","codec":"mjpeg","dispositions":[],"width":600,\
                "height":500}],"chapters":[{"title":"Intro","start":0,"end":30}],\
                "replaygain":{"track_gain":-7.03,"track_peak":0.988},"tags":{"title":["So\\u001b[2J What"]}}
                """
        )
        #expect(ProbeReport.failure(location: "x", message: "no").text == #"{"location":"x","error":"no"}"#)
    }

    @Test func probeOfAPicture() throws {
        let report = ProbeReport(location: "a.heic", .picture(try #require(Sample.picture)))
        #expect(
            report.lines.map(\.plain) == [
                "a.heic",
                "  Kind         image",
                "  Container    heic",
                "  Codec        hevc",
                "  Dimensions   3024 x 4032, stored as 4032 x 3024, turned 90° clockwise",
                "  Captured     2024-05-17T18:30:00+02:00",
                "  Colours      Display P3, HLG, 10 bit",
            ]
        )
        #expect(
            report.json.text == """
                {"location":"a.heic","kind":"image","container":"heic","codec":"hevc","width":3024,"height":4032,\
                "orientation":6,"captured":"2024-05-17T18:30:00+02:00","colour_space":"Display P3","hdr":"HLG",\
                "bits_per_sample":10}
                """
        )
    }

    @Test func probeOfAFilm() {
        let report = ProbeReport(location: "a.mov", info: Sample.film)
        #expect(
            report.lines.prefix(7).map(\.plain) == [
                "a.mov",
                "  Kind         video",
                "  Container    mov",
                "  Duration     0:02.000",
                "  Dimensions   576 x 768",
                "  Captured     2024-05-17T18:30:00+02:00",
                "  Stream 0     video, hevc, 720x576, 29.97 frames/s on average, pixels 16:15, interlaced, "
                    + "turned 90° clockwise, BT.2020, PQ",
            ]
        )
        let text = report.json.text
        #expect(text.contains(#""width":576,"height":768,"captured":"2024-05-17T18:30:00+02:00","#))
        #expect(
            text.contains(
                #""variable_frame_rate":true,"sample_aspect_ratio":"16:15","interlaced":true,"rotation":90,"#
                    + #""colour_space":"BT.2020","hdr":"PQ"}"#
            )
        )
        #expect(text.contains(#""kind":"subtitle","codec":"mov_text","language":"deu""#))
    }

    @Test func probeShowsNoPassword() {
        let location = "http://me:secret@h/a"
        let report = ProbeReport(location: location, info: info)
        #expect(report.lines.first?.plain == "http://h/a")
        #expect(report.json.text.hasPrefix(#"{"location":"http://h/a","#))
        let failure = ProbeReport.failure(location: location, message: "no")
        #expect(failure.text == #"{"location":"http://h/a","error":"no"}"#)
    }

    @Test func devices() {
        let devices = [
            OutputDevice(
                name: "hdmi",
                description: "HDMI",
                isDefault: false,
                state: .suspended,
                format: "s16le 2ch 48000Hz",
                portType: "HDMI"
            ),
            OutputDevice(
                name: "analog",
                description: "Built-in Audio",
                isDefault: true,
                state: .running,
                format: "s32le 2ch 44100Hz",
                portType: "headphones"
            ),
        ]
        #expect(
            DeviceReport.lines(devices).map(\.plain) == [
                "  hdmi    HDMI  [HDMI, suspended, s16le 2ch 48000Hz]",
                "* analog  Built-in Audio  [headphones, running, s32le 2ch 44100Hz]",
            ]
        )
        #expect(
            DeviceReport.json(devices[1]).text == """
                {"name":"analog","description":"Built-in Audio","default":true,"state":"running",\
                "format":"s32le 2ch 44100Hz","port_type":"headphones"}
                """
        )
    }
}
