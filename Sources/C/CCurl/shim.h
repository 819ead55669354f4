// The parts of libcurl that Swift cannot import (variadic functions, macros), one function per use.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <errno.h>
#include <locale.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

/// Macro in curl.h.
static inline CURLcode segue_global_init(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

/// A locale with UTF-8 text; null when the system has none. Its mask is a macro.
static inline locale_t segue_unicode_locale(void) { return newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0); }

// Macros with casts.
static const long segue_CURLAUTH_BASIC = (long)CURLAUTH_BASIC;

// curl_easy_setopt and curl_easy_getinfo are variadic: one function per type of their last argument.
static inline CURLcode segue_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode segue_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode segue_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode segue_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode segue_set_callback(
    CURL *easy, CURLoption option, size_t (*function)(char *, size_t, size_t, void *)
) {
    return curl_easy_setopt(easy, option, function);
}
static inline long segue_get_long(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline curl_off_t segue_get_offset(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline const char *segue_get_string(CURL *easy, CURLINFO info) {
    char *value = NULL;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline void *segue_get_pointer(CURL *easy, CURLINFO info) {
    void *value = NULL;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
/// The single connection to wait for, else -1: libcurl reveals a transfer's own only when it has ended.
static inline int segue_waiting_socket(CURLM *multi) {
    fd_set reading, writing, failing;
    FD_ZERO(&reading);
    FD_ZERO(&writing);
    FD_ZERO(&failing);
    int last = -1;
    if (curl_multi_fdset(multi, &reading, &writing, &failing, &last) != CURLM_OK || last < 0) return -1;
    for (int descriptor = 0; descriptor < last; descriptor++) {
        if (FD_ISSET(descriptor, &reading) || FD_ISSET(descriptor, &writing)) return -1;
    }
    return FD_ISSET(last, &reading) ? last : -1;
}
/// Makes poll(2) wake up only for so many bytes at once (SO_RCVLOWAT, socket(7)); the end and errors always wake it.
static inline void segue_set_low_water(int descriptor, int bytes) {
    setsockopt(descriptor, SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof bytes);
}
static inline CURLMcode segue_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// The addresses that a request tried to connect to, for a host that has several.
struct segue_addresses {
    int count;
    struct segue_address {
        struct sockaddr_storage address;
        socklen_t length;
    } all[4];
};

/// Creates a close-on-exec socket, so that programs started later do not inherit it (older libcurls leave theirs open),
/// and records its address.
static inline curl_socket_t segue_open_socket(struct segue_addresses *addresses, struct curl_sockaddr *address) {
    if (addresses->count < 4 && address->addrlen <= sizeof(struct sockaddr_storage)) {
        struct segue_address *next = &addresses->all[addresses->count++];
        memcpy(&next->address, &address->addr, address->addrlen);
        next->length = address->addrlen;
    }
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
/// The bytes of an address to connect to, 4 or 16; 0 for another family's.
static inline int segue_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    if (address->family == AF_INET) {
        struct sockaddr_in inner;
        memcpy(&inner, &address->addr, sizeof inner);
        memcpy(bytes, &inner.sin_addr, 4);
        return 4;
    }
    if (address->family != AF_INET6 || address->addrlen < sizeof(struct sockaddr_in6)) return 0;
    memcpy(bytes, (const char *)&address->addr + offsetof(struct sockaddr_in6, sin6_addr), 16);
    return 16;
}
/// Makes libcurl create sockets with `open`, which decides about each address to connect to.
static inline CURLcode segue_set_sockets(CURL *easy, curl_opensocket_callback open, void *data) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, data);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
}
/// The port that was tried.
static inline int segue_port(const struct segue_addresses *addresses, int index) {
    const struct sockaddr_storage *to = &addresses->all[index].address;
    if (to->ss_family == AF_INET) return ntohs(((const struct sockaddr_in *)to)->sin_port);
    return to->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)to)->sin6_port) : 0;
}
/// Starts to connect; the socket becomes writable when that has finished. -1: it failed at once.
static inline int segue_begin_connecting(const struct segue_addresses *addresses, int index) {
    const struct segue_address *to = &addresses->all[index];
    int descriptor = socket(to->address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)&to->address, to->length) == 0 || errno == EINPROGRESS) {
        return descriptor;
    }
    close(descriptor);
    return -1;
}
/// Whether a writable socket is connected (connect(2), EINPROGRESS), and not to itself, which can happen with an
/// ephemeral port of this machine.
static inline int segue_is_connected(int descriptor) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0 || error != 0) return 0;
    struct sockaddr_storage own, other;
    memset(&own, 0, sizeof own);
    memset(&other, 0, sizeof other);
    socklen_t own_length = sizeof own, other_length = sizeof other;
    return getsockname(descriptor, (struct sockaddr *)&own, &own_length) == 0
        && getpeername(descriptor, (struct sockaddr *)&other, &other_length) == 0
        && memcmp(&own, &other, sizeof own) != 0;
}

/// Allows only http and https, also after a redirect (7.85 renamed the option).
static inline CURLcode segue_allow_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    return code ? code : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
#else
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    return code ? code : curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

/// Does not wait for a name server when a transfer is aborted (since 7.87).
static inline void segue_leave_quickly(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#endif
}

/// A cookie store, in memory only, shared by the transfers of one thread.
static inline CURLSH *segue_make_cookies(void) {
    CURLSH *share = curl_share_init();
    if (share) curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
    return share;
}
/// Makes a transfer receive and send cookies.
static inline CURLcode segue_set_cookies(CURL *easy, CURLSH *share) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SHARE, share);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COOKIEFILE, "");
}

/// The outcome in a finished transfer's message (a union).
static inline CURLcode segue_result(const CURLMsg *message) { return message->data.result; }
