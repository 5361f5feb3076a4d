#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <termios.h>

// What programs do when a signal ends them. Everything that the handlers call may be called in one.

// The signals that people and other programs send to end a process come first. The rest end one too, if nothing handles
// them.
static const int numbers[] = {SIGINT,  SIGTERM, SIGHUP,    SIGQUIT, SIGALRM, SIGUSR1,
                              SIGUSR2, SIGPIPE, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ};
enum { passed_count = 4, signal_count = sizeof numbers / sizeof *numbers };

/// Takes the first signals that are not ignored, and stores their former actions. The handler is not interrupted by any
/// signal, and calls of the system go on after it.
static void take_signals(void (*handler)(int), struct sigaction *former, size_t count) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < count; i++) {
    sigaction(numbers[i], NULL, &former[i]);
    if (former[i].sa_handler != SIG_IGN) sigaction(numbers[i], &action, NULL);
  }
}

static void return_signals(const struct sigaction *former, size_t count) {
  for (size_t i = 0; i < count; i++) sigaction(numbers[i], &former[i], NULL);
}

static int hidden_terminal;
static struct termios shown_settings;
static struct sigaction actions_before_hiding[signal_count];

static void show_input(int number) {
  int error = errno;
  // SIGTTOU is blocked here, so this also works in the background.
  coffer_show_input();
  // Takes effect when this handler returns.
  raise(number);
  errno = error;
}

int coffer_hide_input(int descriptor) {
  // In the background, this stops the process until it has the terminal. Until then, the settings can be those of a
  // shell that reads a line.
  if (tcdrain(descriptor) != 0) return errno;
  if (tcgetattr(descriptor, &shown_settings) != 0) return errno;
  hidden_terminal = descriptor;
  take_signals(show_input, actions_before_hiding, signal_count);
  struct termios quiet = shown_settings;
  quiet.c_lflag &= ~(tcflag_t)(ECHO | ICANON | ISIG);
  if (tcsetattr(descriptor, TCSAFLUSH, &quiet) == 0) return 0;
  int number = errno;
  return_signals(actions_before_hiding, signal_count);
  return number;
}

void coffer_show_input(void) {
  tcsetattr(hidden_terminal, TCSAFLUSH, &shown_settings);
  return_signals(actions_before_hiding, signal_count);
}

static volatile sig_atomic_t receiver;
static volatile sig_atomic_t passed_signal;
static struct sigaction actions_before_passing[passed_count];

static void pass_signal(int number) {
  int error = errno;
  passed_signal = number;
  if (receiver != 0) kill(receiver, number);
  errno = error;
}

void coffer_begin_passing_signals(void) {
  receiver = 0;
  passed_signal = 0;
  take_signals(pass_signal, actions_before_passing, passed_count);
}

void coffer_pass_signals(pid_t process) {
  receiver = process;
  if (passed_signal != 0) kill(process, passed_signal);
}

int coffer_end_passing_signals(void) {
  return_signals(actions_before_passing, passed_count);
  return passed_signal;
}
