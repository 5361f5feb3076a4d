#ifndef COFFER_CPLATFORM_H
#define COFFER_CPLATFORM_H

#include <sys/types.h>

// Parts of the operating system that Swift cannot import (variadic functions, feature-test macros, variables), or that
// may not be written in it (handlers of signals), each as a plain function.

/// Turns off core dumps and the attachment of debuggers, and restores the default action of fatal signals, so that
/// Swift's backtracer never prints registers that point at keys. With `keeps_core_limit`, a program that takes the
/// place of this one can have core dumps again; this process has none all the same. Returns 0 or an errno.
int coffer_harden_process(int keeps_core_limit);

/// Raises the soft limit of descriptors to 4096, or to the hard limit if that is less. Returns 0 or an errno.
int coffer_raise_descriptor_limit(void);

/// Returns 1 if this process gained privileges when its program was started (setuid, setgid, capabilities), else 0.
int coffer_is_secure_execution(void);

/// Marks this process, and every process that it starts from now on: no process without the rights of root takes the
/// mark off. Returns 0 or an errno; ENOTSUP where there is no such mark.
int coffer_mark_tree(void);

/// Returns 1 if a hard limit of file locks (the field `RLIMIT_LOCKS`) is such a mark, else 0.
int coffer_is_tree_mark(unsigned long long limit);

/// Returns 1 if this process has the mark, else 0.
int coffer_has_tree_mark(void);

/// Overwrites bytes wherever they are in the arguments of this process, which every user can read, with asterisks.
void coffer_hide_in_arguments(const void *bytes, size_t count);

/// Opens a pipe whose two ends no child inherits. Returns 0 or an errno.
int coffer_open_pipe(int ends[2]);

/// Exchanges the names of two files or folders on one file system, in one step. Returns 0 or an errno; EINVAL or
/// ENOTSUP if the file system cannot do that.
int coffer_exchange_names(const char *first, const char *second);

/// Creates a file for writing that has no name yet, in the file system of a folder: it is gone if this process ends.
/// Returns its descriptor or the negative of an errno; -EOPNOTSUPP or another one if the file system has no such files.
int coffer_create_unnamed_file(const char *folder);

/// Renames a temporary file, in one step and in place of the file that has the path. If `descriptor` is not -1, it is a
/// file without a name, which gets the temporary one just before; no signal but SIGKILL ends this process in between.
/// Returns 0, or an errno if the temporary name does not exist any more.
int coffer_replace_file(const char *path, const char *temporary, int descriptor);

/// Reads the next option of a command line, whose first word is not read, as `getopt` does: `known` begins with a
/// colon. Begins again with `is_first`. Returns the letter of the option, '?' for an unknown one, the negative of its
/// letter for one without its value, or -1 at the end, when `next` is the position of the first word that is no option.
int coffer_next_option(int count, char *const words[], const char *known, int is_first, const char **value, int *next);

/// Returns the environment variables of this process, as `posix_spawn` expects them.
char **coffer_environment(void);

/// Starts a program that receives SIGTERM when the calling thread ends. On Linux only; elsewhere returns ENOTSUP. The
/// child has no blocked signals and the default action of every signal.
///
/// `streams` are its standard streams: descriptors above 2. `searches_path` looks up a name without a slash in `PATH`,
/// and `leads_group` makes the child the leader of a new process group. Returns 0 or an errno.
int coffer_start_bound(int *identifier, const char *program, char *const arguments[], char *const environment[],
                       const int streams[3], int searches_path, int leads_group);

/// Returns the number of columns of the terminal behind a descriptor, 0 if it is unknown, or -1 if there is no
/// terminal.
int coffer_terminal_columns(int descriptor);

/// Opens a socket that becomes readable when a network interface or one of its addresses changes. No child inherits it,
/// and reading it never waits. Returns the descriptor, or the negative of an errno; -ENOTSUP where there is no such
/// socket.
int coffer_open_network_watch(void);

/// Opens a timer that becomes readable when the clock jumps, also after the machine was suspended. No child inherits
/// it, and reading it never waits. Returns the descriptor, or the negative of an errno; -ENOTSUP where there is none.
int coffer_open_clock_watch(void);

/// Prepares the timer for the next jump, after it was read. Returns 0, or -1 with errno.
int coffer_arm_clock_watch(int descriptor);

/// Makes a terminal show nothing of what is typed, and pass on each key at once, Ctrl-C as a character. If a signal
/// ends the process meanwhile that can be handled, the terminal gets its settings back before. In the background, the
/// process stops first until it has the terminal. For one terminal at a time. Returns 0 or an errno.
int coffer_hide_input(int descriptor);

/// Ends what `coffer_hide_input` began.
void coffer_show_input(void);

/// Takes SIGINT, SIGTERM, SIGHUP and SIGQUIT, unless they are ignored, to pass them on. For one process at a time.
void coffer_begin_passing_signals(void);

/// Passes the signals on to a process, also one that came since `coffer_begin_passing_signals`.
void coffer_pass_signals(pid_t process);

/// Ends it. Returns the number of the last signal that came, or 0.
int coffer_end_passing_signals(void);

/// Connects to a socket of this machine that carries packets, without waiting. Returns the descriptor, which no child
/// inherits, or the negative of an errno; -ENOTSUP where there is no such socket, as for the functions below.
int coffer_connect_local(const char *path);

/// Opens a socket at a path that does not exist, for connections of this user. Returns the descriptor or the negative
/// of an errno.
int coffer_listen_local(const char *path);

/// Waits for the next connection. Returns the descriptor or the negative of an errno.
int coffer_accept_local(int listener);

/// Limits how long receiving and sending wait. Returns 0 or an errno.
int coffer_set_timeouts(int descriptor, int receiving_milliseconds, int sending_milliseconds);

/// Waits for a packet, which stays to be received. Returns its size; 0 at the end, and -1 with an errno.
ssize_t coffer_await_packet(int descriptor);

/// Receives a packet. Returns its size, which exceeds `count` if it was cut; 0 at the end, and -1 with an errno.
ssize_t coffer_receive_packet(int descriptor, void *bytes, size_t count);

/// Sends a packet, without raising SIGPIPE. Returns -1 with an errno if it is not sent.
ssize_t coffer_send_packet(int descriptor, const void *bytes, size_t count);

/// Who has opened the other end of a connection, as the kernel has recorded it when it was opened.
typedef struct {
  pid_t process;
  uid_t user;
  gid_t group;
} coffer_peer_identity;

int coffer_peer(int descriptor, coffer_peer_identity *peer);

/// Finds the user whose socket of TCP on this machine has an address, IPv4 or IPv6 as text, and a port, and is
/// connected to a peer. Returns 0, ENOENT if there is no such socket, or another errno if the system does not say.
int coffer_tcp_user(const char *own, int own_port, const char *peer, int peer_port, uid_t *user);

/// Opens a handle of the process that has opened the other end, which becomes readable when it ends. Before Linux 6.5,
/// it is that of a later process if that has got the number since the connection. Returns the handle or the negative of
/// an errno.
int coffer_peer_process(int descriptor, pid_t process);

/// Opens a handle of the process with a number, which becomes readable when it ends. Returns the handle or the negative
/// of an errno.
int coffer_open_process(pid_t process);

/// Maps memory that the kernel itself does not map, for which root's debugger has no access either (memfd_secret). Null
/// if the system has none.
void *coffer_map_secret_memory(size_t count);

/// Goes on in a child that belongs to no terminal. The process that was started ends with the code that the child
/// reports. Before any other thread. Returns 0 in the child, with the descriptor for the report, or the negative of an
/// errno.
int coffer_enter_background(int *report);

/// Reports the code, and gives up the standard streams and the working directory.
void coffer_report_background(int report, int code);

enum { COFFER_SLEEPS = 1, COFFER_SCREEN_LOCKS = 2 };

/// A watch for the signals of systemd's logind. Null if there is no system bus, or no libsystemd.
typedef struct coffer_sleep_watch coffer_sleep_watch;
coffer_sleep_watch *coffer_open_sleep_watch(void);

/// Waits until the machine is about to sleep or a screen is locked. Returns which, or the negative of an errno if the
/// connection has ended.
int coffer_await_sleep(coffer_sleep_watch *watch);

// For a program that takes the place of this one, or that this one observes.

/// Remembers what such a program inherits, before this process changes it: the limit of core dumps, and the signals
/// that are ignored.
void coffer_remember_inherited(void);

/// Restores it, with the standard action of all other signals. Returns 0 or an errno.
int coffer_restore_inherited(void);

/// Keeps from the programs that the calling thread starts from now on what this process has inherited: descriptors
/// other than the standard streams, and the keys of its session (session-keyring(7)). On Linux only. Returns 0 or an
/// errno.
int coffer_withhold_inherited(void);

/// Creates a file in memory that can only be read, and that programs inherit if `is_inherited`. Returns its descriptor
/// or the negative of an errno.
int coffer_create_memory_file(const char *name, const void *bytes, size_t count, int is_inherited);

/// Copies a program into a file in memory that its user may start and not read, and that no other program inherits.
/// Returns its descriptor or the negative of an errno: `ENOEXEC` for a script, or for a program that the user may not
/// read.
int coffer_copy_unreadable(const char *path);

/// Opens a terminal with the settings and the window of another one. Returns the descriptor of this process, which
/// never waits, or the negative of an errno.
int coffer_open_terminal_pair(int like, int *theirs);

/// Gives a terminal the window of another one.
void coffer_copy_window(int from, int to);

/// Makes a terminal pass on every key as it is. For one terminal at a time. Returns 0 or an errno.
int coffer_begin_raw(int terminal);

/// Does the same again after `coffer_end_raw`. The settings to return to stay those before `coffer_begin_raw`: the
/// present ones can be those of a shell that reads a line. Returns 0 or an errno.
int coffer_continue_raw(int terminal);

/// Ends what `coffer_begin_raw` began.
void coffer_end_raw(int terminal);

/// Opens a descriptor from which the signals are read that an observed program gets, and that end it or change the
/// window. Returns the negative of an errno if there is none.
int coffer_open_signals(void);

/// Ends what `coffer_open_signals` began: the signals have their former actions, also those that have come and were not
/// read.
void coffer_close_signals(int descriptor);

/// Returns the next signal, 0 if none has come. `is_from_program` is 0 if the terminal or the kernel has sent it.
int coffer_next_signal(int descriptor, int *is_from_program);

typedef struct {
  char *const *arguments;
  char *const *environment;
  /// The standard streams.
  int streams[3];
  /// The terminal of the program, in a session of its own; -1 for that of this process.
  int terminal;
  /// Which entries of the environment are `NAME=/proc/0000000000/fd/N`: they get the number of the program's process.
  const int *held_entries;
  int held_count;
  /// What is overwritten in the process that leads the session of the program: none is empty, and a longer one comes
  /// before those that it contains.
  const void *secrets;
  const size_t *secret_sizes;
  int secret_count;
} coffer_observed_program;

/// Starts a program, which is looked up in `PATH`. With a terminal, each status that `waitpid` returns for it, also
/// that it was stopped, comes through `control`, and a byte that is sent there makes it go on. The terminal hangs up
/// when the calling thread ends. Without a terminal, the program is a child of this process. Returns 0 or an errno.
int coffer_start_observed(const coffer_observed_program *program, pid_t *identifier, int *control);

#endif
