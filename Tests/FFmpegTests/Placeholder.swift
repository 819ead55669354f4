// Filled by its first real file.
