#pragma once
#include <chafa.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/// How libchafa draws a picture.
struct segue_chafa_drawing {
    /// Cells.
    int columns, rows;
    /// Pixels of one cell.
    int cell_width, cell_height;
    ChafaPixelMode pixels;
    ChafaCanvasMode colours;
    /// Whether only ASCII may be used.
    int is_ascii;
};

/// Draws rows of RGBA, and returns the text for a terminal, which belongs to the caller; null without memory.
///
/// It is computed on this thread alone, since a sandbox may have no others.
static inline char *segue_chafa_draw(
    const struct segue_chafa_drawing *drawing, const uint8_t *pixels, int width, int height, size_t *count
) {
    chafa_set_n_threads(1);
    ChafaSymbolMap *symbols = chafa_symbol_map_new();
    chafa_symbol_map_add_by_tags(
        symbols, drawing->is_ascii ? CHAFA_SYMBOL_TAG_ASCII : CHAFA_SYMBOL_TAG_BLOCK | CHAFA_SYMBOL_TAG_SPACE
    );
    ChafaCanvasConfig *config = chafa_canvas_config_new();
    chafa_canvas_config_set_geometry(config, drawing->columns, drawing->rows);
    chafa_canvas_config_set_cell_geometry(config, drawing->cell_width, drawing->cell_height);
    chafa_canvas_config_set_pixel_mode(config, drawing->pixels);
    chafa_canvas_config_set_canvas_mode(config, drawing->colours);
    chafa_canvas_config_set_symbol_map(config, symbols);
    if (drawing->colours != CHAFA_CANVAS_MODE_TRUECOLOR && drawing->pixels == CHAFA_PIXEL_MODE_SYMBOLS)
        chafa_canvas_config_set_dither_mode(config, CHAFA_DITHER_MODE_ORDERED);
    ChafaCanvas *canvas = chafa_canvas_new(config);
    chafa_canvas_draw_all_pixels(canvas, CHAFA_PIXEL_RGBA8_UNASSOCIATED, pixels, width, height, width * 4);
    ChafaTermDb *terminals = chafa_term_db_new();
    ChafaTermInfo *terminal = chafa_term_db_get_fallback_info(terminals);
    GString *text = chafa_canvas_print(canvas, terminal);
    char *result = malloc(text->len + 1);
    if (result != NULL) memcpy(result, text->str, text->len);
    *count = text->len;
    g_string_free(text, TRUE);
    chafa_term_info_unref(terminal);
    chafa_term_db_unref(terminals);
    chafa_canvas_unref(canvas);
    chafa_canvas_config_unref(config);
    chafa_symbol_map_unref(symbols);
    return result;
}
