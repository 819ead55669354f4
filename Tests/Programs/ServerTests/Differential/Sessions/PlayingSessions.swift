/// Status, options and playing.
let playingSessions: [Session] = [
    Session(
        "options",
        """
        status
        stats
        repeat 1
        repeat 0
        repeat 2
        repeat x
        repeat
        repeat 1 1
        random 1
        random 0
        random yes
        single 1
        single 0
        single oneshot
        single 2
        status
        single 0
        consume 1
        consume 0
        consume x
        crossfade 5
        crossfade -1
        crossfade x
        crossfade 1.5
        status
        crossfade 0
        mixrampdb -17
        mixrampdb x
        mixrampdelay 2
        mixrampdelay x
        status
        mixrampdelay nan
        mixrampdb 0
        setvol 50
        getvol
        setvol 101
        setvol -1
        setvol x
        volume 10
        volume -20
        volume 200
        volume x
        getvol
        setvol 100
        replay_gain_mode album
        replay_gain_status
        replay_gain_mode auto
        replay_gain_mode track
        replay_gain_mode x
        replay_gain_mode off
        replay_gain_status
        clearerror
        clearerror x
        status
        """
    ),
    Session(
        "playing",
        """
        currentsong
        play
        next
        previous
        stop
        pause
        pause 1
        seekcur 1
        add Blue
        add one.flac
        currentsong
        status
        play 99
        play -1
        wait state play
        wait audio 44100:16:2
        status
        currentsong
        pause
        wait state pause
        wait audio 44100:16:2
        status
        pause
        wait state play
        wait audio 44100:16:2
        pause 1
        pause 1
        wait state pause
        pause 0
        wait state play
        wait audio 44100:16:2
        pause 2
        pause x
        play 1
        wait song 1
        wait audio 44100:16:2
        wait state play
        wait audio 44100:16:2
        pause 1
        wait state pause
        wait audio 44100:16:2
        status
        next
        wait song 2
        wait audio 44100:16:2
        pause 1
        wait state pause
        wait audio 44100:16:2
        status
        previous
        wait song 1
        wait audio 44100:16:2
        pause 1
        wait state pause
        wait audio 44100:16:2
        status
        playid $1
        wait song 0
        wait audio 44100:16:2
        pause 1
        wait state pause
        playid 99999
        playid x
        play x
        play 0 1
        seek 1 2
        wait song 1
        wait audio 44100:16:2
        pause 1
        wait state pause
        seek 99 2
        seek 0 x
        seek 0 -1
        seek x 1
        seekid $2 3.5
        seekid 99999 1
        seekcur 2
        seekcur +1
        seekcur -1
        seekcur x
        seekcur
        wait audio 44100:16:2
        status
        stop
        wait state stop
        status
        currentsong
        seekcur 1
        next
        play 2
        wait state play
        wait audio 44100:16:2
        next
        wait state stop
        status
        """
    ),
    Session(
        "modes while playing",
        """
        add Blue
        add one.flac
        add two.flac
        repeat 1
        play 3
        wait state play
        wait audio 44100:16:2
        status
        next
        wait song 0
        wait audio 44100:16:2
        wait state play
        wait audio 44100:16:2
        status
        previous
        wait song 3
        wait audio 44100:16:2
        repeat 0
        single 1
        status
        single 0
        consume 1
        next
        wait state stop
        status
        playlist
        play 0
        wait state play
        wait audio 44100:16:2
        next
        wait playlistlength 2
        wait state play
        wait audio 44100:16:2
        playlist
        status
        delete 0
        wait playlistlength 1
        wait state play
        wait audio 44100:16:2
        status
        clear
        wait state stop
        consume 0
        status
        """
    ),
]
