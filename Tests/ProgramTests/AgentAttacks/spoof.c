// Usage: spoof SOCKET EXECUTABLE
//
// Makes this process look like EXECUTABLE in every way that /proc shows: its executable, its name and its arguments, as
// `coffer get`. Sends the packet on standard input to the agent's socket, and prints what /proc/self/exe leads to and,
// after a line break, the answer.
//
// A process can only take another executable when nothing of its own is mapped any more, so the code goes on in a copy
// of itself, without a library.

#include <linux/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>

typedef unsigned long word;
enum { READ = 0, WRITE = 1, OPEN = 2, MMAP = 9, MUNMAP = 11, SOCKET = 41, CONNECT = 42, EXIT = 60, READLINK = 89, PRCTL = 157 };

struct job {
  struct prctl_mm_map map;
  struct sockaddr_un address;
  word start, packet_size;
  char name[8], arguments[16], link[16], packet[16384], answer[65536];
};

extern char __executable_start[], __start_moved[], __stop_moved[];

// More than this program has.
enum { IMAGE_BYTE_COUNT = 1 << 16 };

__attribute__((always_inline)) static inline word call(word number, word a, word b, word c, word d, word e, word f) {
  register word fourth __asm__("r10") = d, fifth __asm__("r8") = e, sixth __asm__("r9") = f;
  word result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
                   : "rcx", "r11", "memory");
  return result;
}

__attribute__((section("moved"), noinline, noreturn)) void stage(struct job *job) {
  call(MUNMAP, job->start, IMAGE_BYTE_COUNT, 0, 0, 0, 0);
  word code = call(PRCTL, PR_SET_MM, PR_SET_MM_MAP, (word)&job->map, sizeof job->map, 0, 0);
  call(PRCTL, PR_SET_NAME, (word)job->name, 0, 0, 0, 0);
  word size = call(READLINK, (word)job->link, (word)job->answer, 4096, 0, 0, 0);
  job->answer[size] = '\n';
  call(WRITE, 1, (word)job->answer, size + 1, 0, 0, 0);
  word connection = call(SOCKET, AF_UNIX, SOCK_SEQPACKET, 0, 0, 0, 0);
  code |= call(CONNECT, connection, (word)&job->address, sizeof job->address, 0, 0, 0);
  call(WRITE, connection, (word)job->packet, job->packet_size, 0, 0, 0);
  size = call(READ, connection, (word)job->answer, sizeof job->answer, 0, 0, 0);
  call(WRITE, 1, (word)job->answer, size, 0, 0, 0);
  call(EXIT, code != 0, 0, 0, 0, 0, 0);
  __builtin_unreachable();
}

static void copy(volatile char *to, const char *from, word count) {
  for (word i = 0; i < count; i++) to[i] = from[i];
}

static void copy_text(volatile char *to, const char *from) {
  do *to++ = *from; while (*from++ != 0);
}

__attribute__((used, noreturn)) void begin(word *stack) {
  char **arguments = (char **)(stack + 1);
  struct job *job = (struct job *)call(MMAP, 0, sizeof *job, 3, 0x22, (word)-1, 0);
  word code = call(MMAP, 0, 1 << 16, 7, 0x22, (word)-1, 0);
  copy((char *)code, __start_moved, (word)(__stop_moved - __start_moved));
  copy_text(job->name, "coffer");
  copy_text(job->link, "/proc/self/exe");
  copy((char *)job->arguments, "coffer\0get", 11);
  job->packet_size = call(READ, 0, (word)job->packet, sizeof job->packet, 0, 0, 0);
  job->address.sun_family = AF_UNIX;
  copy_text(job->address.sun_path, arguments[1]);
  job->start = (word)__executable_start;
  struct prctl_mm_map map = {
      .start_code = code, .end_code = code + 1, .start_data = code, .end_data = code + 1, .start_brk = code,
      .brk = code + 1, .start_stack = (word)stack, .arg_start = (word)job->arguments,
      .arg_end = (word)job->arguments + 11, .env_start = code, .env_end = code,
      .exe_fd = (unsigned)call(OPEN, (word)arguments[2], 0, 0, 0, 0, 0)};
  copy((char *)&job->map, (const char *)&map, sizeof map);
  ((void (*)(struct job *))(code + ((word)stage - (word)__start_moved)))(job);
  __builtin_unreachable();
}

__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n and $-16, %rsp\n call begin\n");
