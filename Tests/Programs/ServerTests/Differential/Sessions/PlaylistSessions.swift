/// Stored playlists.
let playlistSessions: [Session] = [
    Session(
        "stored playlists",
        """
        listplaylists
        add Blue
        add one.flac
        save list
        save list
        save ""
        save a/b
        save .hidden
        save "two words"
        save
        listplaylists
        listplaylist list
        listplaylistinfo list
        listplaylist none
        listplaylistinfo none
        listplaylist a/b
        clear
        load list
        playlist
        status
        load list 1:2
        load list 1
        load list 0:1 0
        load list 0:1 +0
        load list 99:
        load none
        load list x
        playlist
        playlistadd list two.flac
        playlistadd list Blue
        playlistadd list none.flac
        playlistadd list one.flac 0
        playlistadd list one.flac 99
        playlistadd list http://127.0.0.1:9/stream.mp3
        playlistadd new one.flac
        playlistadd list
        playlistadd ../evil one.flac
        listplaylist list
        listplaylist new
        playlistdelete list 0
        playlistdelete list 99
        playlistdelete list 1:3
        playlistdelete list x
        playlistdelete none 0
        listplaylist list
        playlistmove list 0 1
        playlistmove list 0 99
        playlistmove list 99 0
        playlistmove list 0 0
        playlistmove none 0 1
        listplaylist list
        rename list other
        rename none other
        rename new other
        rename other a/b
        listplaylists
        playlistclear other
        playlistclear none
        playlistclear a/b
        listplaylist other
        rm other
        rm other
        rm a/b
        rm
        listplaylists
        clear
        load lists/list.m3u
        playlist
        listplaylist lists/list.m3u
        listplaylistinfo lists/list.m3u
        rm new
        rm "two words"
        """
    )
]
