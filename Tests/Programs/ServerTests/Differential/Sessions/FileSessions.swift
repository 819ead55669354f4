/// The music directory, pictures and stickers.
let fileSessions: [Session] = [
    Session(
        "files",
        """
        lsinfo
        lsinfo ""
        lsinfo /
        lsinfo Blue
        lsinfo Blue/
        lsinfo one.flac
        lsinfo none
        lsinfo ../
        lsinfo Blue/..
        lsinfo other
        lsinfo lists
        lsinfo a b
        listall
        listall Blue
        listall one.flac
        listall none
        listall /
        listallinfo
        listallinfo other
        listfiles
        listfiles Blue
        listfiles none
        listmounts
        mount "" nfs://x/y
        mount
        mount x
        unmount x
        unmount ""
        listfiles one.flac
        readcomments one.flac
        readcomments "Blue/01 So What.flac"
        readcomments none
        readcomments Blue
        readcomments
        lsinfo "other/日本 \\"q\\" \\\\.flac"
        lsinfo file:///etc/passwd
        lsinfo http://127.0.0.1:9/
        lsinfo /etc
        listall /etc
        readcomments /etc/passwd
        readcomments ../secret.flac
        readcomments outside.flac
        """
    ),
    Session(
        "pictures",
        """
        albumart "Blue/01 So What.flac" 0
        albumart "Blue/01 So What.flac" 8192
        albumart "Blue/01 So What.flac" 20000
        albumart "Blue/01 So What.flac" 99999
        albumart "Blue/01 So What.flac" x
        albumart "Blue/01 So What.flac" -1
        albumart one.flac 0
        albumart none 0
        albumart Blue 0
        albumart "Blue/01 So What.flac"
        albumart Blue/none.flac 0
        binarylimit 100
        albumart "Blue/01 So What.flac" 0
        albumart "Blue/01 So What.flac" 19950
        readpicture two.flac 0
        readpicture two.flac 100
        readpicture two.flac 99999
        readpicture one.flac 0
        readpicture none 0
        readpicture two.flac
        binarylimit 63
        binarylimit 64
        binarylimit x
        binarylimit -1
        binarylimit 999999999
        binarylimit
        binarylimit 100000
        albumart "Blue/01 So What.flac" 0
        albumart ../x.flac 0
        albumart /etc/passwd 0
        """
    ),
    Session(
        "stickers",
        """
        sticker list song one.flac
        sticker get song one.flac rating
        sticker set song one.flac rating 5
        sticker get song one.flac rating
        sticker set song one.flac rating 7
        sticker set song one.flac name "a value with = and spaces"
        sticker list song one.flac
        sticker set song "Blue/01 So What.flac" rating 9
        sticker set song "Blue/02 Freddie Freeloader.flac" rating 10
        sticker find song "" rating
        sticker find song Blue rating
        sticker find song Blue none
        sticker find song "" rating = 7
        sticker find song "" rating < 8
        sticker find song "" rating > 7
        sticker find song "" rating ! 7
        sticker set song none.flac rating 5
        sticker get song none.flac rating
        sticker list song none.flac
        sticker list song Blue
        sticker set nothing one.flac a b
        sticker get song one.flac
        sticker get song
        sticker nothing song one.flac
        sticker
        sticker set song one.flac rating
        sticker delete song one.flac rating
        sticker delete song one.flac rating
        sticker delete song one.flac
        sticker list song one.flac
        sticker delete song "Blue/01 So What.flac"
        sticker delete song "Blue/02 Freddie Freeloader.flac"
        """
    ),
]
