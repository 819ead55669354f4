import Playlists
import Testing

struct LocationTests {
    @Test(arguments: [
        ("a.mp3", "list.m3u", "a.mp3"),
        ("a.mp3", "dir/list.m3u", "dir/a.mp3"),
        ("a.mp3", "dir/", "dir/a.mp3"),
        ("./a.mp3", "dir/list.m3u", "dir/a.mp3"),
        ("../a.mp3", "/x/dir/list.m3u", "/x/dir/../a.mp3"),
        ("/music/a.mp3", "dir/list.m3u", "/music/a.mp3"),
        ("a b%20c.mp3", "dir/list.m3u", "dir/a b%20c.mp3"),
        ("http://h/a b?c=d", "dir/list.m3u", "http://h/a%20b?c=d"),
        ("http://[::1]:80/ä", "x", "http://[::1]:80/%C3%A4"),
        ("rtmp://h/a live=1", "x", "rtmp://h/a live=1"),
        ("file:///a%20b", "x", "/a b"),
        ("file://localhost/a?b#c", "x", "/a?b#c"),
        ("FILE:/a", "x", "/a"),
        ("file://nas/share/a", "x", "//nas/share/a"),
        ("file:///C:/Music/a.mp3", "x", "C:/Music/a.mp3"),
        ("file:///caf%E9.mp3", "x", "file:///caf%E9.mp3"),
        ("file:///a%00b", "x", "file:///a%00b"),
        ("a", "file:///m%20n/list.m3u", "/m n/a"),
        ("Music\\a.mp3", "dir/list.m3u", "dir/Music/a.mp3"),
        ("..\\a.mp3", "dir/list.m3u", "dir/../a.mp3"),
        ("\\Music\\a.mp3", "dir/list.m3u", "/Music/a.mp3"),
        ("\\\\nas\\share\\a", "dir/list.m3u", "//nas/share/a"),
        ("a\\b/c", "dir/list.m3u", "dir/a\\b/c"),
        ("C:\\Music\\a.mp3", "dir/list.m3u", "C:/Music/a.mp3"),
        ("-", "list.m3u", "./-"),
        ("-", "dir/list.m3u", "dir/-"),
        ("pipe:0", "list.m3u", "./pipe:0"),
        ("./concat:a", "list.m3u", "./concat:a"),
        ("", "dir/list.m3u", "dir/"),
    ]) func `resolves a list's locations`(location: String, base: String, expected: String) {
        #expect(resolve(location, against: base) == expected)
    }

    @Test(arguments: [
        ("Song #1.mp3", "http://h/l/list.m3u", "http://h/l/Song%20%231.mp3"),
        ("Track: one.mp3", "http://h/l/list.m3u?q", "http://h/l/Track:%20one.mp3"),
        ("s?id=1&x=%20", "https://h/list.m3u", "https://h/s?id=1&x=%20"),
        ("sub\\a.mp3", "http://h/l/list.m3u", "http://h/l/sub/a.mp3"),
        ("//other/a", "http://h/l/list.m3u", "http://other/a"),
        ("a", "http://h", "http://h/a"),
    ]) func `resolves against a URL`(location: String, base: String, expected: String) {
        #expect(resolve(location, against: base) == expected)
    }

    @Test(arguments: [
        ("a%20b.mp3", "dir/list.xspf", "dir/a b.mp3"),
        ("%2Fetc/x", "dir/list.xspf", "/etc/x"),
        ("a%E9", "dir/list.xspf", "dir/a%E9"),
        ("100%.mp3", "dir/list.xspf", "dir/100%.mp3"),
    ]) func `decodes relative references`(location: String, base: String, expected: String) {
        #expect(resolve(location, against: base, as: .uri) == expected)
    }

    /// The examples of RFC 3986, sections 5.4.1 and 5.4.2 (its strict reading), for `http://a/b/c/d;p?q`.
    @Test(arguments: [
        ("g:h", "g:h"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"), ("//g", "http://g"), ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"), ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"),
        ("../", "http://a/b/"), ("../g", "http://a/b/g"), ("../..", "http://a/"), ("../../", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("../../../../g", "http://a/g"),
        ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
        ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"),
        ("./g/.", "http://a/b/c/g/"), ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"),
        ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"), ("g?y/./x", "http://a/b/c/g?y/./x"),
        ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
        ("g#s/../x", "http://a/b/c/g#s/../x"), ("http:g", "http:g"),
    ]) func `resolves the examples of RFC 3986`(reference: String, expected: String) {
        #expect(resolve(reference, against: "http://a/b/c/d;p?q", as: .uri) == expected)
    }

    @Test(
        arguments: [
            ("/a/é", Array("/a/é".utf8)), ("file:///a%E9", [0x2f, 0x61, 0xe9]), ("http://h/a", nil),
        ] as [(String, [UInt8]?)]
    ) func `gives the bytes of a path`(text: String, bytes: [UInt8]?) {
        #expect(fileSystemPath(of: text) == bytes)
    }

    @Test func `a path that is not UTF-8 travels as a URL`() {
        let path: [UInt8] = Array("/a b/caf".utf8) + [0xe9]
        #expect(location(ofFileSystemPath: path) == "file:///a%20b/caf%E9")
        #expect(fileSystemPath(of: location(ofFileSystemPath: path)) == path)
        #expect(location(ofFileSystemPath: Array("a/é".utf8)) == "a/é")
    }

    @Test(arguments: [
        ("a.mp3", "mp3"), ("a.b/c", nil), (".hidden", nil), ("a.", nil), ("a.tar.gz", "gz"),
        ("http://h/a.pls?x=y.z", "pls"), ("a#b.m3u", "m3u"),
    ]) func `finds the extension`(path: String, expected: String?) {
        #expect(pathExtension(of: path) == expected)
    }

    @Test(arguments: [("C:\\a\\b", "a/b"), ("d:/x", "x"), ("c:x", nil), ("a://b", nil), ("CC:\\x", nil)])
    func `tells Windows' drives`(path: String, expected: String?) {
        #expect(windowsDrivePath(path) == expected)
    }

    @Test func `decodes an encoded path`() {
        #expect(percentDecodedPath("a%20b") == "a b")
        #expect(percentDecodedPath("a b") == nil)
        #expect(percentDecodedPath("100%") == nil)
        #expect(percentDecodedPath("%ff") == nil)
    }

    @Test(arguments: [
        ("http://u:p@h/a", "http://h/b", "http://u:p@h/b"),
        ("http://u:p@h/a", "http://h:81/b", "http://h:81/b"),
        ("http://u:p@h/a", "https://h/b", "https://h/b"),
        ("http://u:p@h/a", "http://other/b", "http://other/b"),
        ("http://h/a", "http://h/b", "http://h/b"),
    ]) func `credentials go to the same server only`(asked: String, found: String, expected: String) {
        #expect(keepingCredentials(of: asked, in: found) == expected)
    }
}
