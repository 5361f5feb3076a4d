#ifdef __linux__

#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// Runs the jobs of Swift's concurrency on more threads than the machine has cores.
///
/// A test blocks its thread while it waits for a program, and Swift's own pool has a thread for each core: on two
/// cores, two waiting tests stop all others and the report of those that have ended. How many tests run at once is
/// limited by `Scripts/test`. More threads than these are started only while all block, so that a test whose body waits
/// for another job does not wait for ever.

#define SWIFT_CALL __attribute__((swiftcall))

typedef struct swift_job swift_job;

extern SWIFT_CALL void (*swift_task_enqueueGlobal_hook)(swift_job *, SWIFT_CALL void (*)(swift_job *));
/// The two words of the executor are zero for the global one.
extern SWIFT_CALL void swift_job_run(swift_job *, void *, void *);

struct entry {
  swift_job *job;
  struct entry *next;
};

enum { thread_limit = 128, stack_bytes = 4 << 20 };

static struct entry *first;
static struct entry **end = &first;
static int waiting_jobs;
static int idle_threads;
static int threads;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;

static void *run_jobs(void *unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (;;) {
    while (!first) {
      idle_threads++;
      pthread_cond_wait(&arrived, &mutex);
      idle_threads--;
    }
    struct entry *entry = first;
    first = entry->next;
    if (!first) end = &first;
    waiting_jobs--;
    pthread_mutex_unlock(&mutex);
    swift_job_run(entry->job, NULL, NULL);
    free(entry);
    pthread_mutex_lock(&mutex);
  }
  return NULL;
}

static SWIFT_CALL void enqueue(swift_job *job, SWIFT_CALL void (*original)(swift_job *)) {
  struct entry *entry = malloc(sizeof *entry);
  if (!entry) {
    original(job);
    return;
  }
  *entry = (struct entry){.job = job};
  pthread_mutex_lock(&mutex);
  *end = entry;
  end = &entry->next;
  waiting_jobs++;
  if (waiting_jobs > idle_threads && threads < thread_limit) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    if (pthread_create(&thread, &attributes, run_jobs, NULL) == 0) threads++;
    pthread_attr_destroy(&attributes);
  }
  pthread_cond_signal(&arrived);
  pthread_mutex_unlock(&mutex);
}

/// Before any job of the test runner.
__attribute__((constructor)) static void begin(void) { swift_task_enqueueGlobal_hook = enqueue; }

/// Waits as the C library does. After the first exit test, a thread of Swift Testing asks for any child that has ended,
/// and leaves it to its owner. Until the owner has reaped the child, the thread is answered at once: it took a
/// twentieth of the time of all tests with asking again.
int waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
  static pid_t last;
  int result = (int)syscall(SYS_waitid, type, id, info, options, NULL);
  if (result == 0 && type == P_ALL && options & WNOWAIT) {
    if (info->si_pid == last) usleep(5000);
    last = info->si_pid;
  }
  return result;
}

#endif
