// The parts of GnuTLS that Swift cannot import (macros), one constant per use.
#pragma once
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>

/// The curve of a key, where a number of bits is asked for.
static const unsigned int segue_P256 = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);
static const unsigned int segue_SHA256_ID = GNUTLS_KEYID_USE_SHA256;
static const char *const segue_common_name = GNUTLS_OID_X520_COMMON_NAME;
static const char *const segue_server_purpose = GNUTLS_KP_TLS_WWW_SERVER;
