internal import CFFmpeg
internal import FFmpegValues
internal import PictureValues

/// A still from a film, or a picture in GIF, BMP or JPEG XL, which libavcodec reads as films.
@safe
final class FilmPicture {
    private let film: FilmDecoder

    /// The moments that are tried until a frame is not of one colour: 0 is the one that was asked for, 1 the film's end.
    private static let places = [0, 0.1, 0.25, 0.45, 0.7]
    /// Luma of less deviation is one colour, to people.
    private static let leastDeviation = 10.0

    /// Opens a film, or another medium with a cover.
    ///
    /// - Returns: Its picture, to be decoded, or the bytes of its cover.
    ///
    /// - Parameter isOfCover: Whether a cover is wanted, and never a frame.
    static func open(_ file: Int32, isOfCover: Bool) throws(PictureError) -> Source {
        do {
            let container = try FilmContainer(.file(file))
            if let cover = container.cover(ofFilms: isOfCover) { return .cover(cover) }
            if isOfCover { throw PictureError.noVideo }
            return .film(try FilmPicture(FilmDecoder(container)))
        } catch {
            throw PictureError(opening: error)
        }
    }

    enum Source {
        case film(FilmPicture)
        case cover([UInt8])
    }

    private init(_ film: FilmDecoder) { self.film = film }

    /// The picture at a moment.
    ///
    /// - Parameters:
    ///   - side: The longest side of the result, in pixels.
    ///   - moment: The keyframe at or before it is taken; if that is of one colour, one of the next.
    ///   - isExact: Whether it must be the very frame that is shown then.
    /// - Throws: `tooShort` for a moment after the film's end.
    func planes(within side: Int, at moment: FilmMoment, isExact: Bool) throws(PictureError) -> PicturePlanes {
        do {
            if case .seconds(let wanted) = moment, let duration = film.duration, wanted > duration {
                throw PictureError.tooShort(duration, moment: wanted)
            }
            guard let duration = film.duration, duration > 0.5 else { return try firstFrame(within: side) }
            let start = moment.seconds(of: duration)
            if isExact { return try exactFrame(at: start, within: side) }
            return try tellingFrame(from: start, duration, within: side)
        } catch {
            throw PictureError(decoding: error)
        }
    }

    private func firstFrame(within side: Int) throws -> PicturePlanes {
        guard try film.next() else { throw PictureError.damaged("no frame can be decoded") }
        return try film.picture(within: side)
    }

    private func tellingFrame(from start: Double, _ duration: Double, within side: Int) throws -> PicturePlanes {
        unsafe film.codec.pointee.skip_frame = AVDISCARD_NONKEY
        unsafe film.codec.pointee.skip_loop_filter = AVDISCARD_ALL
        var best: (planes: PicturePlanes, deviation: Double)?
        for place in Self.places {
            let time = start + (duration - start) * place
            guard try film.seek(to: time), try film.nextKeyframe() || film.seek(to: time) && film.next() else { break }
            let planes = try film.picture(within: side)
            let deviation = planes.bitmap().luma.deviation
            if deviation >= Self.leastDeviation { return planes }
            if deviation > best?.deviation ?? -1 { best = (planes, deviation) }
        }
        if let best { return best.planes }
        // A file that cannot be sought, or one without keyframes.
        unsafe film.codec.pointee.skip_frame = AVDISCARD_DEFAULT
        _ = try film.seek(to: 0)
        unsafe avcodec_flush_buffers(film.codec)
        return try firstFrame(within: side)
    }

    /// The frame that is shown at a moment: the last one that begins before.
    private func exactFrame(at time: Double, within side: Int) throws -> PicturePlanes {
        if try decode(from: time, to: time) { return try film.picture(within: side) }
        // The film's last frames may begin long before.
        for earlier in [10.0, 60] where time > 0 {
            if try decode(from: max(0, time - earlier), to: time) { return try film.picture(within: side) }
        }
        throw PictureError.damaged("no frame can be decoded")
    }

    /// Decodes from the keyframe before one moment to the frame that is shown at another, which is in `frame` then.
    private func decode(from start: Double, to time: Double) throws -> Bool {
        _ = try film.seek(to: start)
        unsafe avcodec_flush_buffers(film.codec)
        let target = film.timestamp(of: time)
        let shown = try Frame()
        var isThere = false
        while try film.next() {
            // One that begins later is shown only when there is none before.
            if let begin = film.frame.timestamp, begin > target, isThere { break }
            unsafe av_frame_unref(shown.pointer)
            unsafe av_frame_move_ref(shown.pointer, film.frame.pointer)
            isThere = true
        }
        unsafe av_frame_unref(film.frame.pointer)
        unsafe av_frame_move_ref(film.frame.pointer, shown.pointer)
        return isThere
    }
}
