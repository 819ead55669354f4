/// The queue: editing, looking at it, priorities, ranges, changes.
let queueSessions: [Session] = [
    Session(
        "adding",
        """
        status
        add Blue
        addid one.flac
        addid two.flac 0
        addid two.flac 99
        addid two.flac -1
        addid one.flac +0
        addid none.flac
        addid Blue
        add none
        add ""
        addid
        add
        addid one.flac 1 2
        add one.flac 1
        add one.flac +0
        add "other/日本 \\"q\\" \\\\.flac"
        addid http://127.0.0.1:9/stream.mp3
        addid nothing://x
        addid file:///etc/passwd
        add /etc/passwd
        add one.flac/
        add /
        add Blue/
        add ./one.flac
        add ../one.flac
        playlist
        playlistinfo
        status
        clear
        add Blue
        play 1
        wait state play
        wait audio 44100:16:2
        pause 1
        wait state pause
        addid one.flac +0
        addid two.flac +1
        addid one.flac -0
        addid two.flac -1
        addid two.flac -9
        addid two.flac +9
        add one.flac +0
        add Blue -0
        playlist
        stop
        addid two.flac +0
        playlist
        """
    ),
    Session(
        "editing",
        """
        add Blue
        add one.flac
        add two.flac
        add other
        playlistid
        delete 0
        delete 99
        delete -1
        delete 1:3
        delete 1:1
        delete 3:2
        delete 9:
        delete x
        delete 1:x
        delete
        delete 0 1
        deleteid $3
        deleteid $3
        deleteid 99999
        deleteid x
        deleteid -1
        playlist
        clear
        add Blue
        add one.flac
        add two.flac
        move 0 2
        move 0:2 1
        move 0:2 99
        move 1: 0
        move 5:7 0
        move 0 99
        move -1 0
        move 0 -1
        move 0 -99
        move 0 +0
        move 0
        moveid $7 0
        moveid 99999 0
        moveid $8 99
        playlist
        swap 0 1
        swap 0 99
        swap 0
        swapid $8 $9
        swapid $8 99999
        swapid 99999 $8
        playlist
        shuffle 0:1
        shuffle 99:
        shuffle 5
        shuffle x
        playlist
        play 2
        wait state play
        wait audio 44100:16:2
        pause 1
        wait state pause
        move 0 +0
        move 0 +1
        move 3 -0
        move 3 +0
        move 2 +0
        move 2 -0
        move 1 +0
        move 2 +0
        move 0:1 +0
        moveid $7 +0
        moveid $7 -1
        move 0 +99
        playlist
        status
        clear
        status
        """
    ),
    Session(
        "looking",
        """
        add Blue
        add one.flac
        add other
        playlistinfo
        playlistinfo 0
        playlistinfo 1:3
        playlistinfo 1:
        playlistinfo 99
        playlistinfo 99:
        playlistinfo 5:99
        playlistinfo 2:2
        playlistinfo 3:2
        playlistinfo -1
        playlistinfo x
        playlistinfo 0 1
        playlistid
        playlistid $1
        playlistid 99999
        playlistid x
        playlistfind artist "Miles Davis"
        playlistfind Artist "miles davis"
        playlistsearch artist miles
        playlistsearch any freddie
        playlistfind "(title == \\"So What\\")"
        playlistfind "(base 'Blue')"
        playlistfind file one.flac
        playlistfind nothing x
        playlistfind artist
        playlistfind
        playlistsearch "(title contains 'free'"
        tagtypes clear
        playlistinfo 0
        currentsong
        tagtypes enable title
        playlistinfo 0
        tagtypes all
        """
    ),
    Session(
        "priorities",
        """
        add Blue
        add one.flac
        random 1
        prio 10 0
        prio 255 1:2
        prio 256 0
        prio -1 0
        prio x 0
        prio 5 99
        prio 5 0:99
        prio 5
        prioid 7 $1
        prioid 7 $1 $2
        prioid 7 99999
        prioid 300 $1
        prioid 7
        playlistinfo
        prio 0 0:
        playlistinfo
        random 0
        """
    ),
    Session(
        "ranges and tags",
        """
        add one.flac
        addid http://127.0.0.1:9/stream.mp3
        addid two.flac
        rangeid $1 1:3
        rangeid $1 1.5:
        rangeid $1 :2
        rangeid $1 3:1
        rangeid $1 x
        rangeid $1 -1:2
        rangeid $1 1
        rangeid 99999 1:2
        playlistid $1
        rangeid $1 0:35
        playlistid $1
        rangeid $1 :30
        playlistid $1
        rangeid $1 5:
        playlistid $1
        rangeid $1 5:90
        playlistid $1
        rangeid $1 0:40
        playlistid $1
        rangeid $1 0.5:35.5
        rangeid $1 90:95
        playlistid $1
        rangeid $1 :
        playlistid $1
        rangeid $3 0.25:0.75
        playlistinfo
        addtagid $2 title "A stream"
        addtagid $2 Artist "Somebody"
        addtagid $2 Artist "Somebody else"
        addtagid $1 title x
        addtagid 99999 title x
        addtagid $2 nothing x
        addtagid $2 title
        playlistid $2
        cleartagid $2 artist
        playlistid $2
        cleartagid $2
        playlistid $2
        cleartagid $1
        cleartagid $2 nothing
        cleartagid 99999
        play 0
        wait state play
        rangeid $1 1:2
        stop
        """
    ),
    Session(
        "changes",
        """
        status
        add Blue
        status
        add one.flac
        status
        plchanges @1
        plchangesposid @1
        plchanges @2
        plchangesposid @2
        plchangesposid @3
        plchanges @3
        plchanges 0
        plchangesposid 0
        plchangesposid 99999999
        plchangesposid @1 1:2
        plchanges @1 1:2
        plchanges @1 99:
        plchanges
        plchanges x
        plchanges -1
        plchangesposid 99999999999
        move 0 1
        plchangesposid @3
        status
        delete 0
        plchangesposid @4
        status
        prio 3 0
        plchangesposid @5
        """
    ),
]
