/*
 * An empty package of ICU's data, in place of the 33 MB that Foundation would link into a static program.
 *
 * GRDB imports Foundation, and with it ICU, of which segued uses nothing that needs data: no locales, calendars, time zones
 * or collations. ICU finds no item in this package and falls back, as with its own `stubdata`, from whose documentation
 * the layout is (icu4c/source/common/ucmndata.h: MappedData, UDataInfo, UDataOffsetTOC).
 *
 * The name has ICU's version, 76 in Swift 6.3. With another version it is not used, and the program is as large as before.
 */
#include <stdint.h>

struct package {
    uint16_t header_size;
    uint8_t magic[2];
    uint16_t info_size;
    uint16_t reserved_word;
    uint8_t is_big_endian;
    uint8_t charset_family;
    uint8_t size_of_uchar;
    uint8_t reserved_byte;
    uint8_t data_format[4];
    uint8_t format_version[4];
    uint8_t data_version[4];
    uint8_t padding[8];
    uint32_t item_count;
    uint32_t no_items;
};

const struct package icudt76_dat = {
    .header_size = 32,
    .magic = {0xda, 0x27},
    .info_size = 20,
    .is_big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
    .size_of_uchar = 2,
    .data_format = {'T', 'o', 'C', 'P'},
    .format_version = {1},
};
