/// Searching the library, in both syntaxes, and adding what is found.
let librarySessions: [Session] = [
    Session(
        "finding",
        """
        find artist "Miles Davis"
        find Artist "miles davis"
        search artist "miles davis"
        find any Two
        search any TWO
        search any e
        search title 東京
        find title "東京ナイト"
        find composer "Ängström & Co"
        search composer "ängström"
        find base Blue
        find base Blue/
        find base none
        find base ""
        find base /
        find base ../x
        find base Blue/none
        find base one.flac
        find base one.flac/x
        find base Blue base none
        find base none sort Title window 0:1
        search base none title One
        find "(base 'none')"
        find "(base 'Blue/')"
        find "(base '/')"
        find "(!(base 'none'))"
        find "((title =~ 'o') AND ((base 'none') AND (title == 'x')))"
        list title base none
        count base none
        findadd base none
        searchadd base none
        searchaddpl none base none
        playlistfind base none
        playlistfind base Blue/
        find "(title =~ '(')"
        find "(title =~ '(?i)ONE')"
        find file one.flac
        search file BLUE
        find album ""
        find artist "" title One
        find artist "Miles Davis" track 2
        find modified-since 0
        find modified-since 2099-01-01
        find "(artist == 'Miles Davis')"
        find "(Artist != 'Miles Davis')"
        find "(!(artist == 'Miles Davis'))"
        find "((artist == 'Miles Davis') AND (track == '1'))"
        find "((artist == 'Miles Davis') AND (!(track == '1')))"
        find "(title contains 'o')"
        search "(title contains 'O')"
        find "(title starts_with 'T')"
        find "(title =~ '^[OT]')"
        find "(title !~ '^[OT]')"
        find "(file == 'two.flac')"
        find "(base 'other')"
        find "(album == '')"
        find "(AudioFormat == '44100:16:2')"
        find "(AudioFormat =~ '44100:*:*')"
        find "(modified-since '2099-01-01T00:00:00Z')"
        find "(albumartist == 'Miles Davis')"
        find "(title != '')" sort Title
        find "(title != '')" sort -Title
        find "(title != '')" sort Track window 1:3
        find "(title != '')" window 0:2
        find "(title != '')" window 2:
        find "(title != '')" window 90:99
        find "(title != '')" sort Foo
        find "(title != '')" window 3:1
        find "(title != '')" window x
        find
        find artist
        find foo bar
        find "(foo == 'bar')"
        find "(title == 'a'"
        find "(title = 'a')"
        find "()"
        search
        search artist
        search foo bar
        """
    ),
    Session(
        "listing",
        """
        list artist
        list Album
        list title
        list date
        list albumartist
        list composer
        list file
        list file artist "Miles Davis"
        list album "Miles Davis"
        list title "Miles Davis"
        list foo
        list
        list album group artist
        list album group albumartist group date
        list title group album group artist
        list album group album
        list album group foo
        list album artist "Miles Davis"
        list album "(artist == 'Miles Davis')"
        list title artist "Miles Davis" group track
        list artist artist
        count artist "Miles Davis"
        count album ""
        count group artist
        count group album
        count artist "Miles Davis" group title
        count "(artist == 'Miles Davis')"
        count title none
        count
        count title
        count group foo
        count foo bar
        stats
        """
    ),
    Session(
        "adding what is found",
        """
        findadd artist "Miles Davis"
        playlistinfo
        searchadd title tWo
        searchadd title one position 0
        findadd title Two position 99
        findadd title Two position x
        playlistinfo
        findadd title none
        findadd "(title != '')" sort -Title window 0:2
        playlist
        findadd
        searchadd foo bar
        clear
        add ""
        playlistinfo
        clear
        add Blue
        playlistinfo
        searchaddpl found title o
        listplaylist found
        searchaddpl found title none
        listplaylist found
        searchaddpl found
        searchaddpl
        rm found
        """
    ),
    Session(
        "updating",
        """
        update ../x
        update /x
        update a//b
        rescan ./a
        update a b
        """
    ),
]
