private import CHEIF
internal import PictureValues

/// HEIC and AVIF, by libheif, which joins tiles, and turns and crops as the file says.
enum HEIFPicture {
    /// Loads libheif's decoders.
    static func prepare() { _ = unsafe heif_init(nil) }

    static func planes(_ file: MappedFile, within side: Int) throws(PictureError) -> PicturePlanes {
        guard let context = unsafe heif_context_alloc() else { throw .system("out of memory") }
        defer { unsafe heif_context_free(context) }
        unsafe heif_context_set_max_decoding_threads(context, 0)
        unsafe heif_context_set_maximum_image_size_limit(context, 65_535)
        unsafe try check(heif_context_read_from_memory_without_copy(context, file.base, file.count, nil))
        var primary: OpaquePointer?
        unsafe try check(heif_context_get_primary_image_handle(context, &primary))
        guard let primary = unsafe primary else { throw .damaged("it has no picture") }
        defer { unsafe heif_image_handle_release(primary) }
        let whole = unsafe try size(primary)
        try PictureLimits.check(whole)
        // A preview that the camera made, if it is large enough.
        let preview = unsafe preview(of: primary, atLeast: min(side, whole.longestSide))
        defer { if let preview = unsafe preview { unsafe heif_image_handle_release(preview) } }
        return unsafe try decoded(preview ?? primary, to: whole.fitted(within: side), colours: primary)
    }

    private static func size(_ handle: OpaquePointer) throws(PictureError) -> PixelSize {
        let (width, height) = unsafe (heif_image_handle_get_width(handle), heif_image_handle_get_height(handle))
        guard let size = PixelSize(Int(width), Int(height)) else { throw .damaged("it has no pixels") }
        return size
    }

    private static func preview(of primary: OpaquePointer, atLeast side: Int) -> OpaquePointer? {
        var numbers = [heif_item_id](repeating: 0, count: 8)
        let count = unsafe heif_image_handle_get_list_of_thumbnail_IDs(primary, &numbers, Int32(numbers.count))
        for number in numbers.prefix(max(0, Int(count))) {
            var handle: OpaquePointer?
            guard unsafe heif_image_handle_get_thumbnail(primary, number, &handle).code == heif_error_Ok,
                let handle = unsafe handle
            else { continue }
            if let size = unsafe try? size(handle), size.longestSide >= side { return unsafe handle }
            unsafe heif_image_handle_release(handle)
        }
        return nil
    }

    private static func decoded(
        _ handle: OpaquePointer,
        to size: PixelSize,
        colours: OpaquePointer
    ) throws(PictureError) -> PicturePlanes {
        let depth = unsafe max(8, Int(heif_image_handle_get_luma_bits_per_pixel(handle)))
        // The picture, and its tiles or what it is turned into.
        try PictureLimits.check(bytes: unsafe try self.size(handle).pixelCount * (depth > 8 ? 2 : 1) * 3)
        var image: OpaquePointer?
        unsafe try check(heif_decode_image(handle, &image, heif_colorspace_undefined, heif_chroma_undefined, nil))
        guard let image = unsafe image else { throw .damaged("it has no picture") }
        defer { unsafe heif_image_release(image) }
        let space = unsafe heif_image_get_colorspace(image)
        let channels =
            space == heif_colorspace_monochrome
            ? [heif_channel_Y]
            : space == heif_colorspace_RGB
                ? [heif_channel_G, heif_channel_B, heif_channel_R]
                : [heif_channel_Y, heif_channel_Cb, heif_channel_Cr]
        // The file's boxes may say another depth than the pictures in it have.
        let depths = channels.map { unsafe Self.depth(of: $0, in: image) }
        guard Set(depths).count == 1 else { throw .unsupported("channels of several depths") }
        let profile = unsafe profile(colours)
        var colour = unsafe colour(image, colours, isRGB: space == heif_colorspace_RGB, depth: depths[0])
        // A profile says what the colours are; they are converted once.
        if !profile.isEmpty { (colour.primaries, colour.transfer) = (1, 13) }
        var planes = PicturePlanes(model: .yCbCr(colour), size: size, samples: [])
        for channel in channels { planes.samples.append(unsafe try samples(image, channel, to: size)) }
        if unsafe heif_image_has_channel(image, heif_channel_Alpha) != 0 {
            let unneeded = UInt16(clamping: unsafe Self.depth(of: heif_channel_Alpha, in: image) - 8)
            planes.alpha = unsafe try samples(image, heif_channel_Alpha, to: size).map { $0 >> unneeded }
            planes.isPremultiplied = unsafe heif_image_is_premultiplied_alpha(image) != 0
        }
        planes.profile = profile
        return planes
    }

    /// Bits per sample.
    private static func depth(of channel: heif_channel, in image: OpaquePointer) -> Int {
        unsafe Int(heif_image_get_bits_per_pixel_range(image, channel))
    }

    private static func samples(
        _ image: OpaquePointer,
        _ channel: heif_channel,
        to size: PixelSize
    ) throws(PictureError) -> [UInt16] {
        var stride: Int32 = 0
        let (width, height) = unsafe (heif_image_get_width(image, channel), heif_image_get_height(image, channel))
        guard let plane = unsafe heif_image_get_plane_readonly(image, channel, &stride),
            let stored = PixelSize(Int(width), Int(height))
        else { throw .unsupported("its arrangement of samples") }
        return unsafe try PlaneScaler.scaled(
            PlaneScaler.Plane(plane, stride: Int(stride), size: stored, depth: depth(of: channel, in: image)),
            to: size
        )
    }

    private static func colour(_ image: OpaquePointer, _ handle: OpaquePointer, isRGB: Bool, depth: Int) -> VideoColour
    {
        // The default for a file without colour information (ISO 23000-22, section 7.3.6.4).
        var colour = VideoColour(matrix: 6, transfer: 13, primaries: 1, isFullRange: true, depth: depth)
        var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
        if unsafe heif_image_get_nclx_color_profile(image, &profile).code != heif_error_Ok {
            _ = unsafe heif_image_handle_get_nclx_color_profile(handle, &profile)
        }
        if let profile = unsafe profile {
            colour.matrix = unsafe Int(profile.pointee.matrix_coefficients.rawValue)
            colour.transfer = unsafe Int(profile.pointee.transfer_characteristics.rawValue)
            colour.primaries = unsafe Int(profile.pointee.color_primaries.rawValue)
            colour.isFullRange = unsafe profile.pointee.full_range_flag != 0
            unsafe heif_nclx_color_profile_free(profile)
        }
        if isRGB { (colour.matrix, colour.isFullRange) = (0, true) }
        return colour
    }

    private static func profile(_ handle: OpaquePointer) -> [UInt8] {
        let count = unsafe heif_image_handle_get_raw_color_profile_size(handle)
        guard (1...4_194_304).contains(count) else { return [] }
        var profile = [UInt8](repeating: 0, count: count)
        return unsafe heif_image_handle_get_raw_color_profile(handle, &profile).code == heif_error_Ok ? profile : []
    }

    private static func check(_ error: heif_error) throws(PictureError) {
        let code = unsafe error.code
        guard code != heif_error_Ok else { return }
        let message = unsafe error.message.map { unsafe String(cString: $0) } ?? "libheif's error \(code.rawValue)"
        let text =
            message
            .split(whereSeparator: \.isNewline).joined(separator: " ")
        throw code == heif_error_Unsupported_feature || code == heif_error_Unsupported_filetype
            ? .unsupported("this kind of HEIF (\(text))") : .damaged(text)
    }
}
