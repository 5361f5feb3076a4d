#define _GNU_SOURCE
#include "CPlatform.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <dlfcn.h>
#include <poll.h>
#include <stdint.h>
#include <time.h>
#endif

// logind's signals. libsystemd is loaded when the watch begins: no program links it, and no header of it is needed.

#if defined(__linux__)
typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef int (*handler)(sd_bus_message *, void *, void *);

struct coffer_sleep_watch {
  sd_bus *bus;
  int events;
  int (*process)(sd_bus *, sd_bus_message **);
  int (*wait)(sd_bus *, uint64_t);
  int (*read_basic)(sd_bus_message *, char, void *);
  int (*skip)(sd_bus_message *, const char *);
  int (*enter)(sd_bus_message *, char, const char *);
  int (*exit)(sd_bus_message *);
};

static int preparing(sd_bus_message *message, void *data, void *error) {
  (void)error;
  struct coffer_sleep_watch *watch = data;
  int begins = 0;
  if (watch->read_basic(message, 'b', &begins) >= 0 && begins) watch->events |= COFFER_SLEEPS;
  return 0;
}

static int locking(sd_bus_message *message, void *data, void *error) {
  (void)message, (void)error;
  ((struct coffer_sleep_watch *)data)->events |= COFFER_SCREEN_LOCKS;
  return 0;
}

// A session whose LockedHint turns true: how desktops report their own locks.
static int changed(sd_bus_message *message, void *data, void *error) {
  (void)error;
  struct coffer_sleep_watch *watch = data;
  const char *name = NULL;
  if (watch->read_basic(message, 's', &name) < 0 || watch->enter(message, 'a', "{sv}") < 0) return 0;
  while (watch->enter(message, 'e', "sv") > 0) {
    int is_locked = 0;
    if (watch->read_basic(message, 's', &name) < 0) return 0;
    if (strcmp(name, "LockedHint") == 0) {
      if (watch->enter(message, 'v', "b") < 0 || watch->read_basic(message, 'b', &is_locked) < 0) return 0;
      if (is_locked) watch->events |= COFFER_SCREEN_LOCKS;
      return 0;
    }
    if (watch->skip(message, "v") < 0 || watch->exit(message) < 0) return 0;
  }
  return 0;
}

coffer_sleep_watch *coffer_open_sleep_watch(void) {
  void *library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return NULL;
  int (*open_system)(sd_bus **) = (int (*)(sd_bus **))dlsym(library, "sd_bus_open_system");
  int (*add_match)(sd_bus *, void **, const char *, handler, void *) =
      (int (*)(sd_bus *, void **, const char *, handler, void *))dlsym(library, "sd_bus_add_match");
  struct coffer_sleep_watch *watch = calloc(1, sizeof *watch);
  if (watch == NULL) return NULL;
  watch->process = (int (*)(sd_bus *, sd_bus_message **))dlsym(library, "sd_bus_process");
  watch->wait = (int (*)(sd_bus *, uint64_t))dlsym(library, "sd_bus_wait");
  watch->read_basic = (int (*)(sd_bus_message *, char, void *))dlsym(library, "sd_bus_message_read_basic");
  watch->skip = (int (*)(sd_bus_message *, const char *))dlsym(library, "sd_bus_message_skip");
  watch->enter = (int (*)(sd_bus_message *, char, const char *))dlsym(library, "sd_bus_message_enter_container");
  watch->exit = (int (*)(sd_bus_message *))dlsym(library, "sd_bus_message_exit_container");
  if (open_system && add_match && watch->process && watch->wait && watch->read_basic && watch->skip && watch->enter &&
      watch->exit && open_system(&watch->bus) >= 0) {
    static const char sleep[] = "type='signal',sender='org.freedesktop.login1',"
                                "interface='org.freedesktop.login1.Manager',member='PrepareForSleep'";
    static const char lock[] = "type='signal',sender='org.freedesktop.login1',"
                               "interface='org.freedesktop.login1.Session',member='Lock'";
    static const char hint[] = "type='signal',sender='org.freedesktop.login1',"
                               "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
                               "arg0='org.freedesktop.login1.Session'";
    if (add_match(watch->bus, NULL, sleep, preparing, watch) >= 0 &&
        add_match(watch->bus, NULL, lock, locking, watch) >= 0 && add_match(watch->bus, NULL, hint, changed, watch) >= 0)
      return watch;
  }
  // The connection, if there is one, stays until the process ends: a failed watch is not begun again.
  free(watch);
  return NULL;
}

int coffer_await_sleep(coffer_sleep_watch *watch) {
  for (;;) {
    int count = watch->process(watch->bus, NULL);
    if (watch->events != 0) {
      int events = watch->events;
      watch->events = 0;
      return events;
    }
    if (count < 0) return count;
    if (count > 0) continue;
    count = watch->wait(watch->bus, UINT64_MAX);
    if (count < 0 && count != -EINTR) return count;
  }
}
#else
coffer_sleep_watch *coffer_open_sleep_watch(void) { return NULL; }
int coffer_await_sleep(coffer_sleep_watch *watch) { (void)watch; return -ENOTSUP; }
#endif
