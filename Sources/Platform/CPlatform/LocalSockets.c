#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <arpa/inet.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/syscall.h>
#endif

// Sockets of this machine whose peers the kernel names, and memory that only this process reads.

#if defined(__linux__)
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

static int address_of(const char *path, struct sockaddr_un *address) {
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (strlen(path) >= sizeof address->sun_path) return ENAMETOOLONG;
  strcpy(address->sun_path, path);
  return 0;
}

// The kernel finds one socket by its addresses. The list in /proc has all sockets of the machine, which anybody can
// make hundreds of thousands of.
int coffer_tcp_user(const char *own, int own_port, const char *peer, int peer_port, uid_t *user) {
  int family = strchr(own, ':') ? AF_INET6 : AF_INET;
  struct {
    struct nlmsghdr header;
    struct inet_diag_req_v2 question;
  } request;
  memset(&request, 0, sizeof request);
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST;
  request.question.sdiag_family = (__u8)family;
  request.question.sdiag_protocol = IPPROTO_TCP;
  request.question.idiag_states = ~0u;
  struct inet_diag_sockid *ends = &request.question.id;
  ends->idiag_cookie[0] = ends->idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  ends->idiag_sport = htons((uint16_t)own_port);
  ends->idiag_dport = htons((uint16_t)peer_port);
  if (inet_pton(family, own, ends->idiag_src) != 1 || inet_pton(family, peer, ends->idiag_dst) != 1) return EINVAL;
  int descriptor = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (descriptor < 0) return errno;
  union {
    struct nlmsghdr header;
    char bytes[8192];
  } answer;
  ssize_t count = send(descriptor, &request, sizeof request, 0);
  // The kernel answers before `send` returns.
  if (count >= 0) count = recv(descriptor, &answer, sizeof answer, MSG_DONTWAIT);
  int number = count < 0 ? errno : 0;
  close(descriptor);
  if (number != 0) return number;
  if (!NLMSG_OK(&answer.header, (size_t)count)) return EPROTO;
  if (answer.header.nlmsg_type == NLMSG_ERROR) {
    if (answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct nlmsgerr))) return EPROTO;
    number = -((struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
    return number == 0 ? EPROTO : number;
  }
  if (answer.header.nlmsg_type != SOCK_DIAG_BY_FAMILY) return EPROTO;
  if (answer.header.nlmsg_len < NLMSG_LENGTH(sizeof(struct inet_diag_msg))) return EPROTO;
  const struct inet_diag_msg *found = NLMSG_DATA(&answer.header);
  // What is left of a closed socket belongs to nobody, and is shown as root's.
  if (found->idiag_state == TCP_TIME_WAIT || found->idiag_state == TCP_CLOSE || found->idiag_inode == 0) return ENOENT;
  *user = found->idiag_uid;
  return 0;
}

int coffer_connect_local(const char *path) {
  struct sockaddr_un address;
  int number = address_of(path, &address);
  if (number != 0) return -number;
  // Without waiting: a listener whose queue is full must not hold up its clients.
  int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return -errno;
  if (connect(descriptor, (struct sockaddr *)&address, sizeof address) == 0 &&
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK) == 0)
    return descriptor;
  number = errno;
  close(descriptor);
  return -number;
}

int coffer_listen_local(const char *path) {
  struct sockaddr_un address;
  int number = address_of(path, &address);
  if (number != 0) return -number;
  int descriptor = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -errno;
  mode_t former = umask(0177);
  int bound = bind(descriptor, (struct sockaddr *)&address, sizeof address);
  number = errno;
  umask(former);
  if (bound == 0 && listen(descriptor, 128) == 0) return descriptor;
  if (bound == 0) number = errno;
  close(descriptor);
  return -number;
}

int coffer_accept_local(int listener) {
  int descriptor = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
  return descriptor >= 0 ? descriptor : -errno;
}

int coffer_set_timeouts(int descriptor, int receiving_milliseconds, int sending_milliseconds) {
  struct timeval receiving = {receiving_milliseconds / 1000, receiving_milliseconds % 1000 * 1000};
  struct timeval sending = {sending_milliseconds / 1000, sending_milliseconds % 1000 * 1000};
  if (setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &receiving, sizeof receiving) != 0) return errno;
  if (setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &sending, sizeof sending) != 0) return errno;
  return 0;
}

ssize_t coffer_await_packet(int descriptor) {
  ssize_t size;
  do { size = recv(descriptor, NULL, 0, MSG_PEEK | MSG_TRUNC); } while (size < 0 && errno == EINTR);
  return size;
}

ssize_t coffer_receive_packet(int descriptor, void *bytes, size_t count) {
  ssize_t received;
  // Truncated packets report their whole size.
  do { received = recv(descriptor, bytes, count, MSG_TRUNC); } while (received < 0 && errno == EINTR);
  return received;
}

ssize_t coffer_send_packet(int descriptor, const void *bytes, size_t count) {
  ssize_t sent;
  do { sent = send(descriptor, bytes, count, MSG_NOSIGNAL); } while (sent < 0 && errno == EINTR);
  return sent;
}

int coffer_peer(int descriptor, coffer_peer_identity *peer) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return errno;
  peer->process = credentials.pid;
  peer->user = credentials.uid;
  peer->group = credentials.gid;
  return 0;
}

int coffer_open_process(pid_t process) {
  int handle = (int)syscall(SYS_pidfd_open, process, 0);
  return handle >= 0 ? handle : -errno;
}

int coffer_peer_process(int descriptor, pid_t process) {
  int handle = -1;
  socklen_t size = sizeof handle;
  if (getsockopt(descriptor, SOL_SOCKET, SO_PEERPIDFD, &handle, &size) == 0) return handle;
  if (errno != ENOPROTOOPT) return -errno;
  // Before Linux 6.5. If the process has ended since it connected, its number may be another one's by now, and nothing
  // from the time of the connection tells: the handle is that of the later process.
  return coffer_open_process(process);
}

void *coffer_map_secret_memory(size_t count) {
#if defined(SYS_memfd_secret)
  int descriptor = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
  if (descriptor < 0) return NULL;
  void *memory = MAP_FAILED;
  if (ftruncate(descriptor, (off_t)count) == 0) {
    memory = mmap(NULL, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  }
  close(descriptor);
  if (memory == MAP_FAILED) return NULL;
  // No child has it, not even between fork and exec.
  if (madvise(memory, count, MADV_DONTFORK) != 0) {
    munmap(memory, count);
    return NULL;
  }
  return memory;
#else
  (void)count;
  return NULL;
#endif
}

int coffer_enter_background(int *report) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -errno;
  pid_t child = fork();
  if (child < 0) {
    int number = errno;
    close(ends[0]);
    close(ends[1]);
    return -number;
  }
  if (child == 0) {
    close(ends[0]);
    setsid();
#if defined(SYS_close_range)
    // Whatever the program inherited, such as a pipe whose reader waits for its end.
    if (ends[1] > 3) syscall(SYS_close_range, 3, ends[1] - 1, 0);
    syscall(SYS_close_range, ends[1] + 1, ~0U, 0);
#endif
    *report = ends[1];
    return 0;
  }
  close(ends[1]);
  unsigned char code = 1;
  ssize_t count;
  do { count = read(ends[0], &code, 1); } while (count < 0 && errno == EINTR);
  _exit(count == 1 ? code : 1);
}

void coffer_report_background(int report, int code) {
  unsigned char byte = (unsigned char)code;
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null >= 0) {
    for (int stream = 0; stream < 3; stream++) dup2(null, stream);
    if (null > 2) close(null);
  }
  if (chdir("/") != 0) byte = 1;
  ssize_t count;
  do { count = write(report, &byte, 1); } while (count < 0 && errno == EINTR);
  close(report);
}
#else
int coffer_connect_local(const char *path) { (void)path; return -ENOTSUP; }
int coffer_listen_local(const char *path) { (void)path; return -ENOTSUP; }
int coffer_tcp_user(const char *own, int own_port, const char *peer, int peer_port, uid_t *user) {
  (void)own, (void)own_port, (void)peer, (void)peer_port, (void)user;
  return ENOTSUP;
}
int coffer_accept_local(int listener) { (void)listener; return -ENOTSUP; }
int coffer_set_timeouts(int descriptor, int receiving_milliseconds, int sending_milliseconds) {
  (void)descriptor, (void)receiving_milliseconds, (void)sending_milliseconds;
  return ENOTSUP;
}
ssize_t coffer_await_packet(int descriptor) {
  (void)descriptor;
  errno = ENOTSUP;
  return -1;
}
ssize_t coffer_receive_packet(int descriptor, void *bytes, size_t count) {
  (void)descriptor, (void)bytes, (void)count;
  errno = ENOTSUP;
  return -1;
}
ssize_t coffer_send_packet(int descriptor, const void *bytes, size_t count) {
  (void)descriptor, (void)bytes, (void)count;
  errno = ENOTSUP;
  return -1;
}
int coffer_peer(int descriptor, coffer_peer_identity *peer) { (void)descriptor, (void)peer; return ENOTSUP; }
int coffer_peer_process(int descriptor, pid_t process) { (void)descriptor, (void)process; return -ENOTSUP; }
int coffer_open_process(pid_t process) { (void)process; return -ENOTSUP; }
void *coffer_map_secret_memory(size_t count) { (void)count; return NULL; }
int coffer_enter_background(int *report) { (void)report; return -ENOTSUP; }
void coffer_report_background(int report, int code) { (void)report, (void)code; }
#endif
