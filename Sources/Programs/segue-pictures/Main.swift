import Glibc

/// Decodes pictures in a sandbox, for `segue thumbnail` and segued, which start it.
@main
enum Program {
    static func main() {
        guard CommandLine.arguments.dropFirst() == ["worker"] else {
            let text =
                "segue-pictures decodes pictures for segue and segued, which start it: see segue thumbnail --help\n"
            _ = unsafe write(STDERR_FILENO, text, text.utf8.count)
            exit(64)
        }
        PictureWork.run()
    }
}
