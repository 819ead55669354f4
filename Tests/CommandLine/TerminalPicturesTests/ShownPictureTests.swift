import Files
import PictureDecoding
import PictureValues
import PictureWorkers
import TerminalPictures
import TestSupport
import TestThreads
import Testing

/// Pictures as workers make them for terminals, read again as a terminal does.
@Suite(.blocking) struct ShownPictureTests {
    private func shown(_ path: String, _ canvas: TerminalCanvas) throws -> (TerminalPicture, TerminalScreen) {
        let picture = try PictureWorker(program: builtProgram("segue-pictures"))
            .show(TerminalOrder(canvas), of: Descriptor(path, .reading))
        var screen = TerminalScreen(columns: 100, rows: 50)
        screen.receive(PictureBlock.text(picture, isOfCharacters: canvas.graphics == .symbols))
        return (picture, screen)
    }

    private func decoded(_ path: String, _ side: Int) throws -> Bitmap {
        let file = try Descriptor(path, .reading)
        return try PictureDecoder.picture(of: file.number, .init(side: side)).flattened(on: .black)
    }

    @Test(.enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
    func kittysPicturesAreThePicture() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let (picture, screen) = try shown(path, TerminalCanvas(.kitty, columns: 20, rows: 20, cell: PixelSize(8, 16)))
        #expect((picture.columns, picture.rows) == (20, 8))
        let found = try #require(screen.pictures.first)
        #expect(screen.pictures.count == 1 && (found.row, found.column) == (0, 0))
        #expect(found.bitmap.size == PixelSize(160, 120))
        #expect(try found.bitmap.difference(to: decoded(path, 160)) == 0)
        #expect(screen.cursor == (picture.rows, 0))
    }

    @Test(.enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
    func sixelsAreThePicture() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let (_, screen) = try shown(path, TerminalCanvas(.sixel, columns: 20, rows: 20, cell: PixelSize(8, 15)))
        let found = try #require(screen.pictures.first)
        #expect(found.bitmap.size == PixelSize(160, 120))
        // A palette has fewer colours.
        #expect(try found.bitmap.difference(to: decoded(path, 160)) < 12)
    }

    @Test(.enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
    func charactersFillTheirCells() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        for colours in TerminalCanvas.Colours.allCases {
            for isUnicode in [true, false] {
                let canvas = TerminalCanvas(.symbols, colours, isUnicode: isUnicode, columns: 30, rows: 30)
                let (picture, screen) = try shown(path, canvas)
                #expect((picture.columns, picture.rows) == (30, 11))
                #expect(screen.cursor == (11, 0))
                let text = String(decoding: picture.text, as: UTF8.self)
                #expect(isUnicode || text.allSatisfy(\.isASCII))
                #expect(text.contains("38;2;") == (colours == .full))
                #expect(text.contains("38;5;") == (colours == .palette256))
            }
        }
    }

    @Test(.enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
    func nothingIsEnlarged() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let canvas = TerminalCanvas(.kitty, columns: 200, rows: 100, cell: PixelSize(8, 16))
        let picture = try PictureWorker(program: builtProgram("segue-pictures"))
            .show(TerminalOrder(canvas), of: Descriptor(path, .reading))
        #expect((picture.columns, picture.rows) == (40, 15))
    }

    @Test func linesStandBesideThePicture() {
        let picture = TerminalPicture(columns: 4, rows: 3, text: Array("aaaa\nbbbb\ncccc".utf8))
        var screen = TerminalScreen(columns: 20, rows: 6)
        // The last line but one: there is no room below.
        screen.receive(Array("1\r\n2\r\n3\r\n4\r\n5\r\n".utf8))
        screen.receive(PictureBlock.text(picture, isOfCharacters: true, beside: ["one", "two"]))
        #expect(screen.lines == ["4", "5", "aaaa  one", "bbbb  two", "cccc", ""])
        #expect(screen.cursor == (5, 0))
        screen.receive(PictureBlock.text(picture, isOfCharacters: true, beside: ["1", "2", "3", "4"]))
        #expect(screen.lines == ["cccc", "aaaa  1", "bbbb  2", "cccc  3", "      4", ""])
    }

    @Test func damagedPicturesGiveTheReason() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.png", "no picture")
        #expect(throws: PictureError.reported("is no picture and no film")) {
            _ = try shown(folder.file("a.png"), TerminalCanvas(.kitty, columns: 9, rows: 9))
        }
    }
}
