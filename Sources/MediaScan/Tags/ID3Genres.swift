/// ID3v1's genres and Winamp's extensions (id3.org, appendix A).
enum ID3Genres {
    /// A genre as text: `(17)Rock`, `(17)` and `17` name one by its number.
    static func genre(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var number = value
        if value.first == UInt8(ascii: "("), let close = value.firstIndex(of: UInt8(ascii: ")")) {
            let rest = value[(close + 1)...]
            if !rest.isEmpty { return rest }
            number = value[(value.startIndex + 1)..<close]
        }
        guard (1...3).contains(number.count), number.allSatisfy({ (0x30...0x39).contains($0) }),
            let name = name(number.reduce(0) { $0 * 10 + Int($1 - 0x30) })
        else { return value }
        return name
    }

    static func name(_ index: Int) -> ArraySlice<UInt8>? { names.indices.contains(index) ? names[index] : nil }

    private static let names = """
        Blues,Classic Rock,Country,Dance,Disco,Funk,Grunge,Hip-Hop,Jazz,Metal,New Age,Oldies,Other,Pop,R&B,Rap,Reggae,\
        Rock,Techno,Industrial,Alternative,Ska,Death Metal,Pranks,Soundtrack,Euro-Techno,Ambient,Trip-Hop,Vocal,\
        Jazz+Funk,Fusion,Trance,Classical,Instrumental,Acid,House,Game,Sound Clip,Gospel,Noise,Alternative Rock,Bass,\
        Soul,Punk,Space,Meditative,Instrumental Pop,Instrumental Rock,Ethnic,Gothic,Darkwave,Techno-Industrial,\
        Electronic,Pop-Folk,Eurodance,Dream,Southern Rock,Comedy,Cult,Gangsta,Top 40,Christian Rap,Pop/Funk,Jungle,\
        Native US,Cabaret,New Wave,Psychadelic,Rave,Showtunes,Trailer,Lo-Fi,Tribal,Acid Punk,Acid Jazz,Polka,Retro,\
        Musical,Rock & Roll,Hard Rock
        """.split(separator: ",").map { Array($0.utf8)[...] }
}
