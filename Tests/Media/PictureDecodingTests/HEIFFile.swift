import CHEIF
import Glibc
import PictureValues

/// HEIC and AVIF files of a shape that heif-enc does not make.
enum HEIFFile {
    struct Failure: Error {
        let message: String
    }

    /// Encodes a picture that is turned by `irot` and `imir`, and whose EXIF may say something else.
    static func make(
        _ picture: Bitmap,
        _ format: heif_compression_format,
        orientation: Int,
        exif: [UInt8] = [],
        at path: String
    ) throws {
        let context = unsafe heif_context_alloc()
        defer { unsafe heif_context_free(context) }
        let image = unsafe try image(picture)
        defer { unsafe heif_image_release(image) }
        var encoder: OpaquePointer?
        unsafe try check(heif_context_get_encoder_for_format(context, format, &encoder))
        defer { unsafe heif_encoder_release(encoder) }
        unsafe try check(heif_encoder_set_lossy_quality(encoder, 95))
        let options = unsafe heif_encoding_options_alloc()
        defer { unsafe heif_encoding_options_free(options) }
        unsafe options?.pointee.image_orientation = heif_orientation(rawValue: UInt32(orientation))
        var handle: OpaquePointer?
        unsafe try check(heif_context_encode_image(context, image, encoder, options, &handle))
        defer { unsafe heif_image_handle_release(handle) }
        if !exif.isEmpty {
            unsafe try check(heif_context_add_exif_metadata(context, handle, exif, Int32(exif.count)))
        }
        unsafe try check(heif_context_write_to_file(context, path))
    }

    private static func image(_ picture: Bitmap) throws -> OpaquePointer? {
        let (width, height) = (picture.size.width, picture.size.height)
        var image: OpaquePointer?
        unsafe try check(
            heif_image_create(
                Int32(width),
                Int32(height),
                heif_colorspace_RGB,
                heif_chroma_interleaved_RGB,
                &image
            )
        )
        unsafe try check(
            heif_image_add_plane(image, heif_channel_interleaved, Int32(width), Int32(height), 8)
        )
        var stride: Int32 = 0
        guard let plane = unsafe heif_image_get_plane(image, heif_channel_interleaved, &stride) else {
            throw Failure(message: "there is no plane")
        }
        for row in 0..<height {
            let pixels = Array(picture.pixels[row * width * 3..<(row + 1) * width * 3])
            unsafe pixels.withUnsafeBytes { pixels in
                guard let base = pixels.baseAddress else { return }
                unsafe (plane + row * Int(stride)).update(
                    from: base.assumingMemoryBound(to: UInt8.self),
                    count: pixels.count
                )
            }
        }
        return unsafe image
    }

    private static func check(_ error: heif_error) throws {
        let code = unsafe error.code
        guard code != heif_error_Ok else { return }
        throw Failure(message: unsafe error.message.map { unsafe String(cString: $0) } ?? "libheif's error \(code)")
    }

    // MARK: Boxes

    /// The file with one more property of its primary picture (ISO 14496-12, sections 8.11.3 and 8.11.14), as libheif
    /// lays files out.
    static func adding(_ property: [UInt8], to file: [UInt8]) throws -> [UInt8] {
        var file = file
        let meta = try box("meta", in: file, from: 0)
        let inside = meta + 12
        let (iloc, iprp) = (try box("iloc", in: file, from: inside), try box("iprp", in: file, from: inside))
        let item = number(file, try box("pitm", in: file, from: inside) + 12, 2)
        let (ipco, ipma) = (try box("ipco", in: file, from: iprp + 8), try box("ipma", in: file, from: iprp + 8))
        move(&file, iloc, by: property.count + 1)
        // Behind everything that is changed before it.
        var entry = ipma + 16
        while number(file, entry, 2) != item { entry += 3 + number(file, entry + 2, 1) }
        let count = number(file, entry + 2, 1)
        file[entry + 2] = UInt8(count + 1)
        file.insert(0x80 | UInt8(children(of: ipco, in: file) + 1), at: entry + 3 + count)
        file.insert(contentsOf: property, at: ipco + number(file, ipco, 4))
        grow(&file, ipco, by: property.count)
        grow(&file, ipma + property.count, by: 1)
        for place in [iprp, meta] { grow(&file, place, by: property.count + 1) }
        return file
    }

    /// `clap` (ISO 14496-12, section 12.1.4): a size, and how far its middle is from the picture's.
    static func cleanAperture(_ width: Int, _ height: Int, right: Int, down: Int) -> [UInt8] {
        bytes(40) + Array("clap".utf8) + [width, 1, height, 1, right, 1, down, 1].flatMap(bytes)
    }

    private static func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (24 - 8 * $0) & 255) } }

    private static func number(_ file: [UInt8], _ place: Int, _ count: Int) -> Int {
        file[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
    }

    private static func grow(_ file: inout [UInt8], _ box: Int, by count: Int) {
        file.replaceSubrange(box..<box + 4, with: bytes(number(file, box, 4) + count))
    }

    private static func box(_ name: String, in file: [UInt8], from start: Int) throws -> Int {
        var place = start
        while place + 8 <= file.count {
            if file[place + 4..<place + 8].elementsEqual(name.utf8) { return place }
            place += max(8, number(file, place, 4))
        }
        throw Failure(message: "there is no \(name)")
    }

    private static func children(of box: Int, in file: [UInt8]) -> Int {
        var (place, count) = (box + 8, 0)
        while place < box + number(file, box, 4) {
            place += number(file, place, 4)
            count += 1
        }
        return count
    }

    /// Items that lie in the file, rather than in the box `idat`, have moved.
    private static func move(_ file: inout [UInt8], _ iloc: Int, by count: Int) {
        let isNewer = file[iloc + 8] > 0
        var place = iloc + 16
        for _ in 0..<number(file, iloc + 14, 2) {
            let base = place + (isNewer ? 6 : 4)
            if !isNewer || number(file, place + 2, 2) == 0 {
                file.replaceSubrange(base..<base + 4, with: bytes(number(file, base, 4) + count))
            }
            place = base + 6 + 8 * number(file, base + 4, 2)
        }
    }
}
