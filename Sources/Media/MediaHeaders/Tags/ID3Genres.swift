/// ID3v1's genres and Winamp's extensions, under their names in ID3v1, ID3v2 and MP4.
enum ID3Genres {
    /// The genres of one text of ID3v2: a name, a number, or references such as `(51)(39)` and `(4)Eurodisco`.
    ///
    /// References belong to 2.3 (id3.org, section 4.2.1) and 2.2, but occur in 2.4 too, and its numbers in those.
    static func genres(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let (open, close) = (UInt8(ascii: "("), UInt8(ascii: ")"))
        var genres: [ArraySlice<UInt8>] = []
        var rest = text
        while rest.first == open, rest.dropFirst().first != open, let end = rest.firstIndex(of: close) {
            let reference = rest[(rest.startIndex + 1)..<end]
            let name = name(reference)
            // An unknown number is ignored, unless there is nothing else.
            guard name != nil || (isNumber(reference) && end + 1 < rest.endIndex) else { break }
            if let name { genres.append(name) }
            rest = rest[(end + 1)...]
        }
        // A text that starts with a parenthesis itself has it doubled.
        if rest.starts(with: [open, open]) { rest = rest.dropFirst() }
        if genres.isEmpty, let name = name(rest) { return [name] }
        if !rest.isEmpty, genres.last != rest { genres.append(rest) }
        return genres
    }

    /// A genre by its number, from 0.
    static func name(_ index: Int) -> ArraySlice<UInt8>? { names.indices.contains(index) ? names[index] : nil }

    /// A genre by its reference in ID3v2.
    private static func name(_ reference: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        if reference.elementsEqual("RX".utf8) { return Array("Remix".utf8)[...] }
        if reference.elementsEqual("CR".utf8) { return Array("Cover".utf8)[...] }
        guard isNumber(reference) else { return nil }
        return name(reference.reduce(0) { $0 * 10 + Int($1 - 0x30) })
    }

    private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
        (1...3).contains(text.count) && text.allSatisfy { (0x30...0x39).contains($0) }
    }

    private static let names = """
        Blues,Classic Rock,Country,Dance,Disco,Funk,Grunge,Hip-LoopExecutor,Jazz,Metal,New Age,Oldies,Other,Pop,R&B,Rap,Reggae,\
        Rock,Techno,Industrial,Alternative,Ska,Death Metal,Pranks,Soundtrack,Euro-Techno,Ambient,Trip-LoopExecutor,Vocal,\
        Jazz+Funk,Fusion,Trance,Classical,Instrumental,Acid,House,Game,Sound Clip,Gospel,Noise,Alternative Rock,Bass,\
        Soul,Punk,Space,Meditative,Instrumental Pop,Instrumental Rock,Ethnic,Gothic,Darkwave,Techno-Industrial,\
        Electronic,Pop-Folk,Eurodance,Dream,Southern Rock,Comedy,Cult,Gangsta,Top 40,Christian Rap,Pop/Funk,Jungle,\
        Native American,Cabaret,New Wave,Psychedelic,Rave,Showtunes,Trailer,Lo-Fi,Tribal,Acid Punk,Acid Jazz,Polka,\
        Retro,Musical,Rock & Roll,Hard Rock,\
        Folk,Folk-Rock,National Folk,Swing,Fast Fusion,Bebop,Latin,Revival,Celtic,Bluegrass,Avantgarde,Gothic Rock,\
        Progressive Rock,Psychedelic Rock,Symphonic Rock,Slow Rock,Big Band,Chorus,Easy Listening,Acoustic,Humour,\
        Speech,Chanson,Opera,Chamber Music,Sonata,Symphony,Booty Bass,Primus,Porn Groove,Satire,Slow Jam,Club,Tango,\
        Samba,Folklore,Ballad,Power Ballad,Rhythmic Soul,Freestyle,Duet,Punk Rock,Drum Solo,A Cappella,Euro-House,\
        Dance Hall,Goa,Drum & Bass,Club-House,Hardcore,Terror,Indie,BritPop,Afro-Punk,Polsk Punk,Beat,\
        Christian Gangsta Rap,Heavy Metal,Black Metal,Crossover,Contemporary Christian,Christian Rock,Merengue,Salsa,\
        Thrash Metal,Anime,JPop,Synthpop,Abstract,Art Rock,Baroque,Bhangra,Big Beat,Breakbeat,Chillout,Downtempo,Dub,\
        EBM,Eclectic,Electro,Electroclash,Emo,Experimental,Garage,Global,IDM,Illbient,Industro-Goth,Jam Band,\
        Krautrock,Leftfield,Lounge,Math Rock,New Romantic,Nu-Breakz,Post-Punk,Post-Rock,Psytrance,Shoegaze,Space Rock,\
        Trop Rock,World Music,Neoclassical,Audiobook,Audio Theatre,Neue Deutsche Welle,Podcast,Indie Rock,G-Funk,\
        Dubstep,Garage Rock,Psybient
        """.split(separator: ",").map { Array($0.utf8)[...] }
}
