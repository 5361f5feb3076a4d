/*
 * Coffer's vault for programs in C, and in languages that call C.
 *
 * Each function that can fail returns a coffer_status and, if `error` is not NULL, stores a coffer_error there, which
 * the caller frees; NULL on success. Results are stored only on success.
 *
 * Texts are UTF-8, given as a pointer and a length in bytes. A NULL text means what the function says, and its length
 * must be 0. Texts that the library returns also end with a 0 byte, which does not count.
 *
 * All functions may be called from any thread at the same time, also with one vault. A handle must not be freed while
 * another call uses it, and not twice. No function calls back on another thread. After fork(), only exec() is safe.
 */
#ifndef COFFER_H
#define COFFER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define COFFER_API __attribute__((visibility("default")))
#else
#define COFFER_API
#endif

/* The version of this interface. Within version 0, functions and constants are only added. */
#define COFFER_ABI_VERSION 0

typedef struct coffer_vault coffer_vault;
typedef struct coffer_list coffer_list;
typedef struct coffer_error coffer_error;

/* More may be added: treat an unknown one as a failure. */
typedef int32_t coffer_status;
enum {
  COFFER_OK = 0,
  COFFER_ITEM_NOT_FOUND = 1,
  COFFER_DUPLICATE_ITEM = 2,
  COFFER_ITEM_CHANGED = 3,
  COFFER_NO_VAULT = 4,
  COFFER_VAULT_EXISTS = 5,
  COFFER_NOT_ENTITLED = 6,
  COFFER_LOCKED = 7,
  COFFER_AUTHENTICATION_FAILED = 8,
  COFFER_AUTHENTICATION_CANCELLED = 9,
  COFFER_CANCELLED = 10,
  COFFER_INVALID_ARGUMENT = 11,
  COFFER_INTEGRITY = 12,
  COFFER_UPGRADE_NEEDED = 13,
  COFFER_NETWORK = 14,
  COFFER_BUSY = 15,
  COFFER_DISK_FULL = 16,
  COFFER_READ_ONLY = 17,
  COFFER_IO = 18
};

/* What keeps other programs of the same user from the app's access groups. */
enum {
  COFFER_ENFORCED_BY_NOTHING = 0, /* no credential on this machine, or a vault in memory */
  COFFER_ENFORCED_BY_POLICY = 1,  /* every program of the user can read the owner's keys */
  COFFER_ENFORCED_BY_FILE = 2,    /* the mode of a file, which every program of the user can read */
  COFFER_ENFORCED_BY_INSTALL = 3, /* the operating system: root has installed this program */
  COFFER_ENFORCED_BY_SANDBOX = 4  /* this app's sandbox and that of others: advisory */
};

/* The texts and numbers of a row. Times are microseconds since 1970; the others are 0 or 1. */
enum {
  COFFER_SERVICE = 0,
  COFFER_ACCOUNT = 1,
  COFFER_LABEL = 2,
  COFFER_GROUP = 3,
  COFFER_WRITER_APP = 4, /* none if the vault's owner wrote it */
  COFFER_WRITER_MACHINE = 5
};
enum {
  COFFER_CREATED = 0,
  COFFER_MODIFIED = 1,
  COFFER_HAS_CONFLICT = 2, /* machines have changed the item at the same time */
  COFFER_IS_CURRENT = 3,   /* the version that reads return */
  COFFER_IS_DELETION = 4,
  COFFER_IS_WRITABLE = 5
};

COFFER_API uint32_t coffer_abi_version(void);

/* Opens the user's vault as the app of an entitlements plist, NULL for the one that belongs to the program's file.
   The plist says which app this is; what it may do is what was registered. In Python, the program's file is the
   interpreter. In a Flatpak, the plist that is installed with it counts, /app/share/coffer/apps/ID.entitlements, and
   not this one. All calls go to the broker of Coffer outside of the sandbox then. One that fails with COFFER_BUSY
   because the broker has ended can be made again. */
COFFER_API coffer_status coffer_open(const char *plist, size_t plist_length, coffer_vault **vault,
                                     coffer_error **error);
/* Wipes the keys, and ends the vault's watches. NULL is allowed, as for all functions that free. */
COFFER_API void coffer_close(coffer_vault *vault);

/* Items are generic passwords. A NULL service or account finds all. A NULL group stands for all groups of the app. In a
   Flatpak, COFFER_INVALID_ARGUMENT if the names of what is found take more than 16 MiB. */
COFFER_API coffer_status coffer_find(coffer_vault *vault, const char *service, size_t service_length,
                                     const char *account, size_t account_length, const char *group, size_t group_length,
                                     coffer_list **items, coffer_error **error);
/* Stores the value in memory that coffer_value_free wipes. It ends with a 0 byte that does not count.
   COFFER_ITEM_NOT_FOUND if no group has the item. */
COFFER_API coffer_status coffer_read(coffer_vault *vault, const char *service, size_t service_length,
                                     const char *account, size_t account_length, const char *group, size_t group_length,
                                     uint8_t **value, size_t *value_length, coffer_error **error);
/* Adds the item or replaces its value. A NULL group is the app's default group, a NULL label keeps the label. */
COFFER_API coffer_status coffer_write(coffer_vault *vault, const char *service, size_t service_length,
                                      const char *account, size_t account_length, const char *group,
                                      size_t group_length, const char *label, size_t label_length, const uint8_t *value,
                                      size_t value_length, coffer_error **error);
/* Deletes the item. A NULL group stands for all groups that the app may write. */
COFFER_API coffer_status coffer_delete(coffer_vault *vault, const char *service, size_t service_length,
                                       const char *account, size_t account_length, const char *group,
                                       size_t group_length, coffer_error **error);
/* Calls `body` once, before it returns and on this thread. What `body` writes to the vault takes effect together if
   it returns 0, and not at all otherwise: COFFER_CANCELLED then. `body` must return, and not jump out. In a Flatpak,
   COFFER_NOT_ENTITLED, and `body` is not called. */
COFFER_API coffer_status coffer_transaction(coffer_vault *vault, int (*body)(void *context), void *context,
                                            coffer_error **error);
/* The versions of an item that this machine has, newest first. */
COFFER_API coffer_status coffer_versions(coffer_vault *vault, const char *service, size_t service_length,
                                         const char *account, size_t account_length, const char *group,
                                         size_t group_length, coffer_list **versions, coffer_error **error);
/* Stores a descriptor that becomes readable when items of a group, NULL for all, have changed: one byte for one or
   more changes. Its end means that the watch has ended; find out why by reading. The caller closes it. The library's
   end of a descriptor that was closed lasts until the next change, or until the vault is closed. In a Flatpak, a watch
   of a vault whose keys a passphrase protects ends within a minute after the agent has locked them. */
COFFER_API coffer_status coffer_watch(coffer_vault *vault, const char *group, size_t group_length, int *descriptor,
                                      coffer_error **error);
/* The app's access groups, of which the first that is writable is usually the default. */
COFFER_API coffer_status coffer_groups(coffer_vault *vault, coffer_list **groups, coffer_error **error);
/* Stores one of COFFER_ENFORCED_BY_... for this app on this machine. */
COFFER_API coffer_status coffer_enforcement(coffer_vault *vault, int32_t *enforcement, coffer_error **error);

/* What the vendor's shop needs with an order, as a text that coffer_value_free frees. */
COFFER_API coffer_status coffer_receipt_buyer(coffer_vault *vault, uint8_t **buyer, size_t *buyer_length,
                                              coffer_error **error);
/* Stores a receipt of the shop as the value of an item, whose account is the product. */
COFFER_API coffer_status coffer_redeem(coffer_vault *vault, const char *receipt, size_t receipt_length,
                                       const char *service, size_t service_length, const char *account,
                                       size_t account_length, const char *group, size_t group_length,
                                       coffer_error **error);
/* Stores 1 if the item holds a receipt that counts now, and 0 for none, a refund or one that has ended. */
COFFER_API coffer_status coffer_receipt(coffer_vault *vault, const char *service, size_t service_length,
                                        const char *account, size_t account_length, const char *group,
                                        size_t group_length, int *is_valid, coffer_error **error);

/* 1 if the vault's keys are not in memory; -1 for NULL. */
COFFER_API int coffer_is_locked(coffer_vault *vault);
/* Unlocks the vault of an app that was registered with --locked, with the machine's passphrase; NULL for the agent's
   keys. In a Flatpak, the passphrase goes to the broker. */
COFFER_API coffer_status coffer_unlock(coffer_vault *vault, const char *passphrase, size_t passphrase_length,
                                       coffer_error **error);
COFFER_API void coffer_lock(coffer_vault *vault);

/* The rows of a list: items, versions or groups. */
COFFER_API size_t coffer_list_count(coffer_list *list);
/* The number of damaged items or versions, which are not among the rows. */
COFFER_API size_t coffer_list_damaged(coffer_list *list);
/* A text of a row, which belongs to the list; NULL if the row has none. `length` may be NULL. */
COFFER_API const char *coffer_list_text(coffer_list *list, size_t row, int32_t text, size_t *length);
/* A number of a row; -1 if the row has none. */
COFFER_API int64_t coffer_list_number(coffer_list *list, size_t row, int32_t number);
/* The value of an item or version, as coffer_read; COFFER_ITEM_NOT_FOUND for a deletion. Reads from the vault, which
   must be open. */
COFFER_API coffer_status coffer_list_value(coffer_list *list, size_t row, uint8_t **value, size_t *value_length,
                                           coffer_error **error);
COFFER_API void coffer_list_free(coffer_list *list);

/* Wipes and frees a value. `value_length` is the length that came with it. */
COFFER_API void coffer_value_free(uint8_t *value, size_t value_length);

/* What happened, without a secret, and what to do about it; NULL if there is no advice. Both belong to the error. */
COFFER_API const char *coffer_error_message(coffer_error *error);
COFFER_API const char *coffer_error_suggestion(coffer_error *error);
COFFER_API void coffer_error_free(coffer_error *error);

#ifdef __cplusplus
}
#endif

#endif
