/// The facts in the first bytes of a picture.
package struct PictureHeader: Sendable, Hashable {
    /// Such as `jpeg`, `heic` or `avif`.
    package var format: String
    /// FFmpeg's name of the codec, such as `mjpeg` or `hevc`.
    package var codec: String
    /// As stored, before it is turned.
    package var size: PixelSize
    package var orientation = PictureOrientation.up
    package var captured: CaptureDate?
    /// `nil` when the file does not say; viewers then show it as sRGB.
    package var colourSpace: ColourSpace?
    package var hdr: HighDynamicRange?
    /// Of each channel; `nil` when unknown.
    package var bitsPerSample: Int?
    package var subtypes: MediaSubtypes = []
    /// Of a Live Photo.
    package var contentIdentifier: ContentIdentifier?

    package init(format: String, codec: String, size: PixelSize) {
        (self.format, self.codec, self.size) = (format, codec, size)
    }

    /// As it is shown, upright.
    package var shownSize: PixelSize { orientation.swapsSides ? size.transposed : size }
}
