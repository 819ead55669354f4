import HTTP
import TestThreads
import Testing

@Suite(.blocking) struct OriginTests {
    @Test(arguments: ["http://h/a.m3u8", "https://h/a.m3u8", "https", "http", "rtsp://h/", "HTTP://H/"])
    func theNetworkNamesTheNetworkOnly(origin: String) {
        for scheme in ["http", "https", "HTTPS"] { #expect(Origin.allows(scheme, from: origin)) }
        for scheme in ["file", "concat", "subfile", "data", "pipe", "unix", "crypto", "fd", "tcp", "ftp", "", "hls"] {
            #expect(!Origin.allows(scheme, from: origin), "\(scheme)")
        }
    }

    @Test(arguments: ["/music/list.m3u", "list.m3u", "file:///music/list.m3u", "file", "a:b.m3u", "./list"])
    func aFileNamesFilesAndTheNetwork(origin: String) {
        for scheme in ["file", "http", "https", "srt"] { #expect(Origin.allows(scheme, from: origin), "\(scheme)") }
        for scheme in ["concat", "subfile", "data", "pipe", "unix", "crypto", "fd", ""] {
            #expect(!Origin.allows(scheme, from: origin), "\(scheme)")
        }
    }
}
