// Every function of coffer.h, on the vault that the environment names, as the app of the plist in the first argument.
// The second argument is the part to run. It prints what is not as expected, and exits with 1 then.
#include <coffer.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT(text) (text), strlen(text)
#define ITEM(account) TEXT("library.example.com"), TEXT(account), NULL, 0
#define CHECK(condition)                                             \
  do {                                                               \
    if (!(condition)) {                                              \
      fprintf(stderr, "line %d: " #condition "\n", __LINE__);        \
      failures++;                                                    \
    }                                                                \
  } while (0)

static int failures;
static char plist[65536];
static size_t plist_length;

// Returns the status of a call, and whether its error says something.
static coffer_status failed(coffer_status status, coffer_error *error) {
  CHECK((status == COFFER_OK) == (error == NULL));
  if (error) CHECK(strlen(coffer_error_message(error)) > 0);
  coffer_error_free(error);
  return status;
}

#define CALL(expected, call)                                          \
  do {                                                                \
    coffer_error *error = NULL;                                       \
    coffer_status status = (call);                                    \
    if (status != (expected) && error)                                \
      fprintf(stderr, "%s; %s\n", coffer_error_message(error),        \
              coffer_error_suggestion(error) ? coffer_error_suggestion(error) : ""); \
    CHECK(failed(status, error) == (expected));                       \
  } while (0)

static coffer_vault *opened(void) {
  coffer_vault *vault = NULL;
  CALL(COFFER_OK, coffer_open(plist, plist_length, &vault, &error));
  return vault;
}

static int has_value(coffer_vault *vault, const char *account, const char *expected) {
  uint8_t *value = NULL;
  size_t length = 0;
  if (coffer_read(vault, ITEM(account), &value, &length, NULL) != COFFER_OK) return 0;
  int same = length == strlen(expected) && memcmp(value, expected, length + 1) == 0;
  coffer_value_free(value, length);
  return same;
}

static void write_value(coffer_vault *vault, const char *account, const char *value) {
  CALL(COFFER_OK, coffer_write(vault, ITEM(account), TEXT("Label"), (const uint8_t *)value, strlen(value), &error));
}

static void items(void) {
  coffer_vault *vault = opened();
  write_value(vault, "jane", "first");
  write_value(vault, "jane", "second");
  CHECK(has_value(vault, "jane", "second"));
  coffer_list *list = NULL;
  CALL(COFFER_OK, coffer_find(vault, TEXT("library.example.com"), NULL, 0, NULL, 0, &list, &error));
  CHECK(coffer_list_count(list) == 1 && coffer_list_damaged(list) == 0);
  size_t length = 0;
  CHECK(strcmp(coffer_list_text(list, 0, COFFER_ACCOUNT, &length), "jane") == 0 && length == 4);
  CHECK(strcmp(coffer_list_text(list, 0, COFFER_LABEL, NULL), "Label") == 0);
  CHECK(strstr(coffer_list_text(list, 0, COFFER_WRITER_APP, NULL), "com.example.photo.pro") != NULL);
  CHECK(coffer_list_text(list, 0, 99, &length) == NULL && length == 0);
  CHECK(coffer_list_text(list, 1, COFFER_ACCOUNT, NULL) == NULL);
  CHECK(coffer_list_number(list, 0, COFFER_CREATED) > 1600000000000000 && coffer_list_number(list, 0, 99) == -1);
  uint8_t *value = NULL;
  CALL(COFFER_OK, coffer_list_value(list, 0, &value, &length, &error));
  CHECK(length == 6 && memcmp(value, "second", 7) == 0);
  coffer_value_free(value, length);
  coffer_list_free(list);

  CALL(COFFER_OK, coffer_versions(vault, ITEM("jane"), &list, &error));
  CHECK(coffer_list_count(list) == 2 && coffer_list_number(list, 0, COFFER_IS_CURRENT) == 1);
  CHECK(coffer_list_number(list, 1, COFFER_IS_CURRENT) == 0);
  CALL(COFFER_OK, coffer_list_value(list, 1, &value, &length, &error));
  CHECK(length == 5 && memcmp(value, "first", 5) == 0);
  coffer_value_free(value, length);
  coffer_list_free(list);

  write_value(vault, "empty", "");
  CHECK(has_value(vault, "empty", ""));
  CALL(COFFER_OK, coffer_delete(vault, ITEM("jane"), &error));
  CALL(COFFER_ITEM_NOT_FOUND, coffer_delete(vault, ITEM("jane"), &error));
  CALL(COFFER_ITEM_NOT_FOUND, coffer_read(vault, ITEM("jane"), &value, &length, &error));

  CALL(COFFER_OK, coffer_groups(vault, &list, &error));
  CHECK(coffer_list_count(list) >= 2 && coffer_list_number(list, 0, COFFER_IS_WRITABLE) == 1);
  CALL(COFFER_INVALID_ARGUMENT, coffer_list_value(list, 0, &value, &length, &error));
  coffer_list_free(list);
  int32_t enforcement = -1;
  CALL(COFFER_OK, coffer_enforcement(vault, &enforcement, &error));
  CHECK(enforcement == COFFER_ENFORCED_BY_POLICY);
  CALL(COFFER_OK, coffer_receipt_buyer(vault, &value, &length, &error));
  CHECK(length == 32);
  coffer_value_free(value, length);
  int is_valid = 1;
  CALL(COFFER_OK, coffer_receipt(vault, ITEM("nothing"), &is_valid, &error));
  CHECK(is_valid == 0);
  CALL(COFFER_INVALID_ARGUMENT, coffer_redeem(vault, TEXT("no receipt"), ITEM("nothing"), &error));
  CHECK(coffer_is_locked(vault) == 0);
  coffer_lock(vault);
  CHECK(coffer_is_locked(vault) == 1);
  CALL(COFFER_LOCKED, coffer_read(vault, ITEM("empty"), &value, &length, &error));
  CALL(COFFER_OK, coffer_unlock(vault, NULL, 0, &error));
  CHECK(has_value(vault, "empty", ""));
  CHECK(coffer_abi_version() == COFFER_ABI_VERSION);
  coffer_close(vault);
}

static int write_both(void *context) {
  write_value(context, "one", "1");
  write_value(context, "two", "2");
  return has_value(context, "keep", "yes") ? 0 : -1;
}

static void transactions(void) {
  coffer_vault *vault = opened();
  CALL(COFFER_CANCELLED, coffer_transaction(vault, write_both, vault, &error));
  CHECK(!has_value(vault, "one", "1") && !has_value(vault, "two", "2"));
  write_value(vault, "keep", "yes");
  CALL(COFFER_OK, coffer_transaction(vault, write_both, vault, &error));
  CHECK(has_value(vault, "one", "1") && has_value(vault, "two", "2"));
  CALL(COFFER_INVALID_ARGUMENT, coffer_transaction(vault, NULL, NULL, &error));
  coffer_close(vault);
}

static void watches(void) {
  coffer_vault *vault = opened();
  int descriptor = -1;
  char byte;
  CALL(COFFER_NOT_ENTITLED, coffer_watch(vault, TEXT("no.such.group"), &descriptor, &error));
  CALL(COFFER_OK, coffer_watch(vault, NULL, 0, &descriptor, &error));
  struct pollfd event = {.fd = descriptor, .events = POLLIN};
  CHECK(poll(&event, 1, 0) == 0);
  write_value(vault, "watched", "1");
  CHECK(poll(&event, 1, 20000) == 1 && read(descriptor, &byte, 1) == 1);
  // The end of the vault is the end of the watch.
  coffer_close(vault);
  while (poll(&event, 1, 20000) == 1 && read(descriptor, &byte, 1) == 1) {}
  CHECK(event.revents != 0);
  close(descriptor);
}

static void hostile(void) {
  coffer_vault *vault = opened();
  coffer_list *list = NULL;
  uint8_t *value = NULL;
  size_t length = 0;
  int is_valid = 0, descriptor = -1;
  int32_t enforcement = 0;
  const size_t lengths[] = {(1 << 20) + 1, (size_t)SSIZE_MAX, (size_t)SSIZE_MAX + 1, SIZE_MAX};
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    size_t huge = lengths[i];
    CALL(COFFER_INVALID_ARGUMENT, coffer_open(plist, huge, &vault, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_find(vault, "s", huge, NULL, 0, NULL, 0, &list, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_read(vault, "s", 1, "a", huge, NULL, 0, &value, &length, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_read(vault, "s", 1, "a", 1, "g", huge, &value, &length, &error));
    CALL(COFFER_INVALID_ARGUMENT,
         coffer_write(vault, "s", 1, "a", 1, NULL, 0, "l", huge, (const uint8_t *)"v", 1, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_delete(vault, "s", huge, "a", 1, NULL, 0, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_versions(vault, NULL, huge, "a", 1, NULL, 0, &list, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_watch(vault, "g", huge, &descriptor, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_redeem(vault, "r", huge, "s", 1, "a", 1, NULL, 0, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_receipt(vault, "s", 1, "a", huge, NULL, 0, &is_valid, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_unlock(vault, "p", huge, &error));
    CALL(COFFER_OK, coffer_find(vault, NULL, 0, NULL, 0, NULL, 0, &list, &error));
    CALL(COFFER_INVALID_ARGUMENT, coffer_list_value(list, huge, &value, &length, &error));
    CHECK(coffer_list_text(list, huge, 0, NULL) == NULL && coffer_list_number(list, huge, 0) == -1);
    coffer_list_free(list);
  }
  CALL(COFFER_INVALID_ARGUMENT,
       coffer_write(vault, "s", 1, "a", 1, NULL, 0, NULL, 0, (const uint8_t *)"v", (size_t)1 << 40, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_find(vault, "\xff\xfe", 2, NULL, 0, NULL, 0, &list, &error));
  CALL(COFFER_NOT_ENTITLED,
       coffer_read(vault, TEXT("s"), TEXT("a"), TEXT("no.such.group"), &value, &length, &error));
  // NULL handles and results.
  CALL(COFFER_INVALID_ARGUMENT, coffer_open(plist, plist_length, NULL, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_open(NULL, 5, &vault, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_read(NULL, ITEM("a"), &value, &length, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_read(vault, NULL, 0, TEXT("a"), NULL, 0, &value, &length, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_find(vault, NULL, 0, NULL, 0, NULL, 0, NULL, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_groups(vault, NULL, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_enforcement(NULL, &enforcement, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_enforcement(vault, NULL, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_receipt_buyer(vault, NULL, NULL, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_watch(vault, NULL, 0, NULL, &error));
  CALL(COFFER_INVALID_ARGUMENT, coffer_list_value(NULL, 0, &value, &length, &error));
  CALL(COFFER_NOT_ENTITLED, coffer_open("no plist", 8, &vault, &error));
  CHECK(coffer_read(NULL, ITEM("a"), NULL, NULL, NULL) == COFFER_INVALID_ARGUMENT);
  CHECK(coffer_is_locked(NULL) == -1 && coffer_list_count(NULL) == 0 && coffer_list_damaged(NULL) == 0);
  CHECK(coffer_error_message(NULL) == NULL && coffer_error_suggestion(NULL) == NULL);
  coffer_close(NULL);
  coffer_lock(NULL);
  coffer_list_free(NULL);
  coffer_error_free(NULL);
  coffer_value_free(NULL, 0);
  coffer_close(vault);
}

static void *work(void *context) {
  char account[32];
  snprintf(account, sizeof account, "thread-%lu", (unsigned long)pthread_self());
  for (int round = 0; round < 10; round++) {
    write_value(context, account, account);
    CHECK(has_value(context, account, account));
    coffer_list *list = NULL;
    CALL(COFFER_OK, coffer_find(context, NULL, 0, NULL, 0, NULL, 0, &list, &error));
    CHECK(coffer_list_count(list) > 0);
    coffer_list_free(list);
  }
  return NULL;
}

static void threads(void) {
  coffer_vault *vault = opened();
  pthread_t all[8];
  for (int i = 0; i < 8; i++) pthread_create(&all[i], NULL, work, vault);
  for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);
  coffer_close(vault);
}

// An item that was written at the last time of 64 bits, as another app of the group can state it.
static void late(void) {
  coffer_vault *vault = opened();
  coffer_list *list = NULL;
  CALL(COFFER_OK, coffer_find(vault, ITEM("late"), &list, &error));
  CHECK(coffer_list_count(list) == 1 && coffer_list_number(list, 0, COFFER_CREATED) > INT64_MAX / 10 * 9);
  CHECK(coffer_list_number(list, 0, COFFER_MODIFIED) > INT64_MAX / 10 * 9);
  coffer_list_free(list);
  CALL(COFFER_OK, coffer_versions(vault, ITEM("late"), &list, &error));
  CHECK(coffer_list_count(list) == 1 && coffer_list_number(list, 0, COFFER_MODIFIED) > INT64_MAX / 10 * 9);
  coffer_list_free(list);
  coffer_close(vault);
}

enum { SECRET_LENGTH = 600, PART_LENGTH = 32 };

// The bytes of a value are computed, so that memory has them only in copies of the value.
static uint8_t secret_byte(size_t index) { return (uint8_t)((index * 2654435761u) >> 13) | 1; }

// Writes an item and its next version, for `wiping` in a process of its own.
static void secrets(void) {
  coffer_vault *vault = opened();
  uint8_t value[SECRET_LENGTH];
  for (size_t i = 0; i < SECRET_LENGTH; i++) value[i] = secret_byte(i);
  CALL(COFFER_OK, coffer_write(vault, ITEM("secret"), NULL, 0, value, SECRET_LENGTH, &error));
  write_value(vault, "secret", "another");
  coffer_close(vault);
}

// Returns whether the end of the value is anywhere in the memory that this process can write.
static int is_in_memory(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  CHECK(maps != NULL);
  int found = 0;
  char line[4096], access[5];
  while (maps && fgets(line, sizeof line, maps)) {
    uintptr_t start, end;
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s", &start, &end, access) != 3) continue;
    if (strncmp(access, "rw", 2) != 0) continue;
    for (const uint8_t *place = (const uint8_t *)start; place + PART_LENGTH <= (const uint8_t *)end; place++) {
      size_t i = 0;
      while (i < PART_LENGTH && place[i] == secret_byte(SECRET_LENGTH - PART_LENGTH + i)) i++;
      found |= i == PART_LENGTH;
    }
  }
  if (maps) fclose(maps);
  return found;
}

static void wiping(void) {
  coffer_vault *vault = opened();
  coffer_list *list = NULL;
  CALL(COFFER_OK, coffer_versions(vault, ITEM("secret"), &list, &error));
  CHECK(coffer_list_count(list) == 2 && !is_in_memory());
  uint8_t *value = NULL;
  size_t length = 0;
  CALL(COFFER_OK, coffer_list_value(list, 1, &value, &length, &error));
  CHECK(length == SECRET_LENGTH && is_in_memory());
  coffer_value_free(value, length);
  CHECK(!is_in_memory());
  coffer_list_free(list);
  coffer_close(vault);
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  FILE *file = fopen(arguments[1], "r");
  if (!file) return 2;
  plist_length = fread(plist, 1, sizeof plist, file);
  fclose(file);
  const char *part = arguments[2];
  if (strcmp(part, "items") == 0) items();
  else if (strcmp(part, "transactions") == 0) transactions();
  else if (strcmp(part, "watches") == 0) watches();
  else if (strcmp(part, "hostile") == 0) hostile();
  else if (strcmp(part, "threads") == 0) threads();
  else if (strcmp(part, "late") == 0) late();
  else if (strcmp(part, "secrets") == 0) secrets();
  else if (strcmp(part, "wiping") == 0) wiping();
  else return 2;
  return failures != 0;
}
