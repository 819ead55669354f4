/// Connections, zones, outputs, messages, lists, waiting.
let serverSessions: [Session] = [
    Session(
        "connection",
        """
        ping
        ping x
        password x
        password
        tagtypes
        tagtypes clear
        tagtypes
        tagtypes enable Artist Album
        tagtypes enable nothing
        tagtypes enable
        tagtypes disable Album
        tagtypes
        tagtypes all
        tagtypes all x
        tagtypes nothing
        > close x
        end
        2: ping
        2> kill x
        2end
        """
    ),
    Session(
        "quoting",
        #"""
        ping "
        ping "x
        lsinfo "Blue
        lsinfo "Blue"x
        lsinfo "Blue""x"
        lsinfo "Bl\ue"
        lsinfo B"lue"
        lsinfo 'Blue'
        lsinfo Blue"
        lsinfo "Blue\"
        lsinfo 	Blue
        lsinfo   Blue   
        repeat "1"
        repeat "0"
        repeat ""
        unknown
        unknown "x
        p1ng
        ping_
        pinG
        ping a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z a b c d e f g h i j k l m n o p q r s t u v w x y z
        11: pi-ng
        11end
        12: ping:
        12end
        > "ping"
        end
        13> Ping
        13end
        raw2: ping\tx\n
        2<
        raw2: ping\r\n
        2<
        raw2: ping \r\n
        2<
        raw2: lsinfo "\x01"\n
        2<
        raw2: lsinfo "\xff\xfe"\n
        2<
        raw2: pi\x01ng\n
        2<
        raw3: \xc3\n
        3end
        raw4: \n
        4end
        raw5:  ping\n
        5end
        raw6: 1\n
        6end
        raw7: ping\nping\nping\n
        7<
        7<
        7<
        raw8: pi
        raw8: ng\npi
        8<
        raw8: ng\n
        8<
        """#
    ),
    Session(
        "command lists",
        """
        list: ping | ping
        oklist: ping | ping
        list:
        oklist:
        list: ping | unknown | ping
        oklist: ping | unknown | ping
        oklist: ping | lsinfo none | ping
        oklist: status | repeat x
        list: repeat x
        oklist: ping | ping "x | ping
        list: add one.flac | add two.flac | add none.flac | add one.flac
        playlist
        oklist: addid one.flac | addid two.flac 0
        oklist: playlist | clear | playlist
        oklist: lsinfo | listplaylists
        oklist: albumart "Blue/01 So What.flac" 19950 | ping
        command_list_end
        2: command_list_end
        > command_list_begin
        > command_list_begin
        command_list_end
        > command_list_begin
        > noidle
        > ping
        command_list_end
        3> command_list_ok_begin
        3> ping
        3> idle
        3> ping
        3> command_list_end
        3> noidle
        3<
        3: ping
        4> command_list_begin
        4> ping-x
        4> ping
        4: command_list_end
        4end
        5> command_list_begin
        5> close
        5> command_list_end
        5end
        6> command_list_ok_begin
        6> ping
        6> close
        6> command_list_end
        6end
        7> command_list_begin x
        7<
        8> command_list_ok_begin
        raw8: \\n
        8end
        9> command_list_ok_begin
        9> Ping
        9end
        """
    ),
    Session(
        "waiting",
        """
        2> idle
        2> noidle
        2<
        noidle
        ping
        2> idle player
        add one.flac
        2> noidle
        2<
        2> idle playlist
        2<
        2> idle
        repeat 1
        2<
        repeat 0
        2: idle options
        2> idle mixer sticker
        setvol 30
        2<
        setvol 100
        2: idle mixer
        2: idle nothing
        2> idle playlist
        2> noidle
        2<
        clear
        2: idle
        save waiting
        2: idle
        rm waiting
        2: idle stored_playlist
        sticker set song one.flac a b
        sticker delete song one.flac
        2: idle
        subscribe here
        2: idle
        2> idle
        2> ping
        2end
        3> idle options
        3> noidle
        3> ping
        3<
        3<
        raw4: idle\\nnoidle\\nping\\n
        4<
        4<
        raw5: idle\\nnoidle\\nidle\\nnoidle\\n
        5<
        5<
        6> idle
        enableoutput 0
        disableoutput 0
        6<
        enableoutput 0
        6: idle
        newpartition waiting
        6: idle
        delpartition waiting
        6: idle
        unsubscribe here
        6: idle subscription
        7: idle "player
        7: idle player "x"
        """
    ),
    Session(
        "messages",
        """
        channels
        subscribe one
        subscribe one
        subscribe "no spaces"
        subscribe ""
        subscribe a.b:c-d_e
        subscribe
        channels
        2: channels
        2: sendmessage one hello
        2: sendmessage one "hello again"
        2: sendmessage none x
        2: sendmessage one
        readmessages
        readmessages
        unsubscribe one
        unsubscribe one
        2: sendmessage one x
        readmessages
        readmessages x
        subscribe c1
        subscribe c2
        subscribe c3
        subscribe c4
        subscribe c5
        subscribe c6
        subscribe c7
        subscribe c8
        subscribe c9
        subscribe c10
        subscribe c11
        subscribe c12
        subscribe c13
        subscribe c14
        subscribe c15
        subscribe c16
        channels
        """
    ),
    Session(
        "partitions",
        """
        listpartitions
        partition none
        newpartition kitchen
        newpartition kitchen
        newpartition "two words"
        newpartition ""
        newpartition a/b
        newpartition
        listpartitions
        add one.flac
        partition kitchen
        status
        playlist
        outputs
        add two.flac
        playlist
        2: playlist
        delpartition kitchen
        delpartition default
        delpartition none
        partition default
        playlist
        2: partition kitchen
        delpartition kitchen
        2: partition default
        delpartition kitchen
        listpartitions
        newpartition bath
        partition bath
        moveoutput second
        outputs
        2: outputs
        moveoutput none
        moveoutput second
        partition default
        delpartition bath
        moveoutput second
        outputs
        delpartition bath
        """
    ),
    Session(
        "outputs",
        """
        outputs
        disableoutput 0
        outputs
        setvol 33
        volume -3
        getvol
        status
        enableoutput 0
        status
        toggleoutput 1
        outputs
        toggleoutput 1
        enableoutput 9
        disableoutput 9
        toggleoutput 9
        enableoutput x
        enableoutput -1
        enableoutput
        outputset 0 nothing x
        outputset 9 a b
        outputset 0 a
        outputs x
        """
    ),
    Session(
        "reflection",
        """
        commands
        notcommands
        config
        urlhandlers
        decoders
        config x
        commands x
        """
    ),
]
