// Messages with open files over Unix sockets (unix(7), SCM_RIGHTS), whose macros Swift cannot import.
#pragma once
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SEGUE_MOST_DESCRIPTORS 8

/// Sends one message. Returns 0, or an errno.
static inline int segue_send_message(int socket, const void *bytes, size_t count, const int *descriptors, int descriptor_count) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * SEGUE_MOST_DESCRIPTORS)];
    } control;
    memset(&control, 0, sizeof control);
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (descriptor_count > SEGUE_MOST_DESCRIPTORS) return EINVAL;
    if (descriptor_count > 0) {
        message.msg_control = control.space;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)descriptor_count);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * (size_t)descriptor_count);
        memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * (size_t)descriptor_count);
    }
    for (;;) {
        if (sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return 0;
        if (errno != EINTR) return errno;
    }
}

/// Receives one message, which is cut off after `limit` bytes. Returns its length, 0 when the other end is closed, or -errno.
///
/// `descriptors` has room for SEGUE_MOST_DESCRIPTORS; they close on execution.
static inline ssize_t segue_receive_message(int socket, void *bytes, size_t limit, int *descriptors, int *descriptor_count) {
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int) * SEGUE_MOST_DESCRIPTORS)];
    } control;
    struct iovec part = {bytes, limit};
    struct msghdr message = {0};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.space;
    message.msg_controllen = sizeof control.space;
    *descriptor_count = 0;
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count < 0) return -errno;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header != NULL; header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        int found = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(descriptors, CMSG_DATA(header), sizeof(int) * (size_t)found);
        *descriptor_count = found;
    }
    return count;
}
