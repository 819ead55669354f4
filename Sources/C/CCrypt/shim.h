#pragma once

/* As <crypt.h> declares them (crypt(3)), without its struct crypt_data, an array of 32 KiB. */
char *crypt_ra(const char *phrase, const char *setting, void **data, int *size);
char *crypt_gensalt_ra(const char *prefix, unsigned long count, const char *random, int random_count);
