import PictureValues
import Testing

struct TerminalSequencesTests {
    @Test(arguments: [
        "", "a\n\u{1b}[0m\u{1b}[38;2;1;2;3m▀é\u{1b}[3;4H", "\u{1b}[5b", "\u{1b}P0;1;0q\"1;1;2;2#0~-\u{1b}\\",
        "\u{1b}_Ga=T,q=2,C=1,f=24,s=1,v=1,m=0;AAAA\u{1b}\\\u{1b}_Gm=0;AA\u{1b}\\",
        "\u{1b}]1337;File=inline=1:AAAA\u{7}",
    ])
    func whatDrawsIsLetThrough(text: String) { #expect(TerminalSequences.onlyDraw(Array(text.utf8))) }

    @Test(arguments: [
        "\u{1b}", "\u{1b}[", "\u{1b}c", "\u{1b}]0;title\u{7}", "\u{1b}]52;c;AAAA\u{7}", "\u{1b}[6n", "\u{1b}[c",
        "\u{1b}[?1049h",
        "\u{1b}[21t", "\u{1b}P$qm", "\u{1b}Pq~\u{1b}[6n", "\u{1b}_Ga=T,t=f;L2V0Yw==\u{1b}\\", "\u{1b}_Ga=q;\u{1b}\\",
        "\u{1b}_Xa\u{1b}\\", "\u{7}", "\u{8}", "\u{9b}6n", "\u{1b}_Ga=T;AAAA",
    ])
    func whatDoesMoreIsNot(text: String) { #expect(!TerminalSequences.onlyDraw(Array(text.utf8))) }
}
