// An app in C, in a sandbox or outside of one: what it shares with others in the group of the demo. It prints what it
// has found, or an error with its suggestion, and exits with the number of the error then.
//
// sandboxed_app PLIST get|reads|refusals|set|calls|enforcement|lock [ACCOUNT [VALUE|COUNT]]
#include <coffer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT(text) (text), strlen(text)
#define ITEM(account) TEXT("store.example.com"), TEXT(account), TEXT("com.example.photo.purchases")

enum { LENGTH = 20000 };

static void check(coffer_status status, coffer_error *error) {
  if (status == COFFER_OK) return;
  const char *suggestion = coffer_error_suggestion(error);
  printf("%s; %s\n", coffer_error_message(error), suggestion ? suggestion : "");
  exit(status);
}

// Returns whether the item has one of the values that are written, whole.
static int is_whole(coffer_vault *vault, const char *account, coffer_status *status) {
  uint8_t *value = NULL;
  size_t length = 0;
  *status = coffer_read(vault, ITEM(account), &value, &length, NULL);
  if (*status != COFFER_OK) return 0;
  int whole = length == LENGTH;
  for (size_t i = 0; whole && i < length; i++) whole = value[i] == value[0];
  coffer_value_free(value, length);
  return whole;
}

// Writes and reads, also while the broker is killed: prints how many calls have worked, how many have said that it has
// ended, and how many did something else.
static void calls(coffer_vault *vault, const char *account, int count) {
  static uint8_t value[LENGTH];
  int good = 0, ended = 0, wrong = 0;
  for (int i = 0; i < count; i++) {
    memset(value, 'a' + i % 26, sizeof value);
    coffer_status wrote = coffer_write(vault, ITEM(account), NULL, 0, value, sizeof value, NULL), read;
    int whole = is_whole(vault, account, &read);
    if (wrote == COFFER_BUSY || read == COFFER_BUSY)
      ended++;
    else if (wrote == COFFER_OK && whole)
      good++;
    else
      wrong++;
    printf("%d\n", i);
    fflush(stdout);
  }
  printf("good %d ended %d wrong %d\n", good, ended, wrong);
}

static void read_once(coffer_vault *vault, const char *account) {
  coffer_error *error = NULL;
  uint8_t *value = NULL;
  size_t length = 0;
  check(coffer_read(vault, ITEM(account), &value, &length, &error), error);
  printf("%s\n", (char *)value);
  fflush(stdout);
  coffer_value_free(value, length);
}

// Asks for what the app is never given, until that has another reason.
static void be_refused(coffer_vault *vault, const char *account) {
  for (int i = 0; i < 12000; i++, usleep(10000)) {
    coffer_error *error = NULL;
    uint8_t *value = NULL;
    size_t length = 0;
    coffer_status status =
        coffer_read(vault, TEXT("store.example.com"), TEXT(account), TEXT("com.example.none"), &value, &length, &error);
    if (status != COFFER_NOT_ENTITLED) check(status, error);
    coffer_error_free(error);
    printf("refused\n");
    fflush(stdout);
  }
}

int main(int argc, char **argv) {
  const char *command = argc > 2 ? argv[2] : "", *account = argc > 3 ? argv[3] : "", *last = argc > 4 ? argv[4] : "";
  static char plist[65536];
  FILE *file = argc > 1 && *argv[1] ? fopen(argv[1], "r") : NULL;
  size_t plist_length = file ? fread(plist, 1, sizeof plist, file) : 0;
  coffer_vault *vault = NULL;
  coffer_error *error = NULL;
  check(coffer_open(file ? plist : NULL, plist_length, &vault, &error), error);
  if (!strcmp(command, "get")) {
    read_once(vault, account);
  } else if (!strcmp(command, "reads")) {
    for (int i = 0; i < 12000; i++, usleep(10000)) read_once(vault, account);
  } else if (!strcmp(command, "refusals")) {
    be_refused(vault, account);
  } else if (!strcmp(command, "set")) {
    check(coffer_write(vault, ITEM(account), NULL, 0, (const uint8_t *)last, strlen(last), &error), error);
  } else if (!strcmp(command, "calls")) {
    calls(vault, account, atoi(last));
  } else if (!strcmp(command, "enforcement")) {
    int32_t enforcement = -1;
    check(coffer_enforcement(vault, &enforcement, &error), error);
    printf("%d\n", enforcement);
  } else if (!strcmp(command, "lock")) {
    coffer_lock(vault);
    printf("%d", coffer_is_locked(vault));
    check(coffer_unlock(vault, NULL, 0, &error), error);
    printf("%d\n", coffer_is_locked(vault));
  }
  coffer_close(vault);
  return 0;
}
